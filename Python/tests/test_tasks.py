"""What a worker does, without Spark: fetching, setting aside, the parts of logs."""

from __future__ import annotations

import io
import json
import os
from pathlib import Path

import fleet
import pytest

import kvo_audit
from kvo_audit import _tool
from kvo_audit.spark import _inputs, _tasks

LOCAL = _inputs.Storage("")


def work(folder: Path):
    files = _inputs.list_files([str(folder)], {})
    return [log for task in _inputs.tasks(files, 1) for log in task]


def test_the_largest_logs_are_first_and_parts_stay_together():
    sizes = {"a": 10, "b": 500_000, "c.kvolog": 5, "c.kvolog.1": 3_000_000, "d": 400_000}
    files = [(LOCAL, _inputs.LogFile(f"/logs/{name}", size, 0)) for name, size in sizes.items()]
    tasks = [[[file.name for file in parts] for _, parts in task] for task in _inputs.tasks(files, 3)]
    assert tasks == [
        [["/logs/c.kvolog", "/logs/c.kvolog.1"]],
        [["/logs/b"]],
        [["/logs/d"], ["/logs/a"]],
    ]
    # As many tasks as there are logs, at the most, and not more than some files each.
    assert len(_inputs.tasks(files, 100)) == 4
    many = [(LOCAL, _inputs.LogFile(f"/{number}", 1, 0)) for number in range(1200)]
    assert max(len(task) for task in _inputs.tasks(many, 1)) <= 500


def test_a_log_beside_another_is_in_its_task_with_its_parts():
    names = ["app.kvolog", "app.kvolog.1", "app.kvolog.4711", "app.kvolog.4711.1"]
    files = [(LOCAL, _inputs.LogFile(f"/logs/{name}", 1, 0)) for name in names]
    assert {file.base for _, file in files} == {"/logs/app.kvolog"}
    assert len(_inputs.tasks(files, 8)) == 1


def test_patterns_stand_for_files_below(tmp_path):
    for name in ("a/x.kvolog", "a/b/y.kvolog", "a/b/z.txt", "a/.hidden/h.kvolog", "_audit/s.kvolog"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("x")

    def names(pattern):
        found = _inputs.list_files([f"{tmp_path}/{pattern}"], {})
        return [file.name[len(str(tmp_path)) + 1 :] for _, file in found]

    assert names("**/*.kvolog") == ["a/b/y.kvolog", "a/x.kvolog"]
    assert names("**") == ["a/b/y.kvolog", "a/b/z.txt", "a/x.kvolog"]
    assert names("a/*.kvolog") == names("?/x*") == ["a/x.kvolog"]
    assert names("a/x.kvolog") == ["a/x.kvolog"]
    assert names("") == names("**")
    with pytest.raises(FileNotFoundError, match="there are no logs at"):
        names("none/*")


def test_addresses_of_stores_are_taken_apart():
    settings = {"fs.s3a.endpoint": "http://127.0.0.1:1", "fs.s3a.connection.ssl.enabled": "false"}
    place, name = _inputs.storage("s3a://bucket/logs/a.kvolog", settings)
    assert (place.prefix, name) == ("s3a://bucket", "s3a://bucket/logs/a.kvolog")
    assert dict(place.options) == {"endpoint_override": "http://127.0.0.1:1", "scheme": "http"}
    assert place.path(name) == "bucket/logs/a.kvolog"
    assert _inputs.relative(name, place) == "logs/a.kvolog"
    assert _inputs.storage("file:///logs/a", {}) == (LOCAL, "/logs/a")
    hdfs, name = _inputs.storage("hdfs://host:9000/logs/a", {})
    assert hdfs.path(name) == "/logs/a"


def test_fetched_logs_are_reported_by_their_own_names(logs):
    (logs / "1.0" / "cut.jsonl").write_text(fleet.log("1.0", fleet.DAYS[0], "iOS 16.4", 1)[:-30])
    options = ["--path-pattern", fleet.PATTERN]
    near = _tasks.audit_task(work(logs), options, _tasks.Limits())
    far = _tasks.audit_task(work(logs), options, _tasks.Limits(), fetches=True)
    assert near == far
    assert kvo_audit.Report(far) == kvo_audit.merge([kvo_audit.audit(logs, path_pattern=fleet.PATTERN)])


def test_a_file_that_has_gone_is_a_row(logs):
    tasks = work(logs)
    gone = tasks[3][1][0].name
    os.unlink(gone)
    for fetches in (False, True):
        rows = kvo_audit.Report(_tasks.audit_task(tasks, [], _tasks.Limits(), fetches)).inputs.to_pylist()
        assert [(row["path"], row["reason"]) for row in rows if row["state"] != "read"] == [(gone, "no such file")]
        assert len(rows) == 30


def test_names_that_no_file_may_have_here_are_rows(tmp_path):
    class Store(_inputs.Storage):
        def open(self):
            return self

        def open_input_stream(self, path):
            return io.BytesIO(path.encode())

    place = Store("s3a://bucket")
    keys = ["logs/a", "../out", "logs//a", "logs/a/b", "x" * 300, "..", "logs/../../../out", "/b", "logs/c"]
    groups = [[_inputs.LogFile(f"{place.prefix}/{key}", 1, 0)] for key in keys]
    stage = tmp_path / "stage"
    stage.mkdir()
    names, failures = _tasks._fetch(place, groups, str(stage))
    assert names == [["logs/a"], ["b"], ["logs/c"]]
    assert (stage / "logs/a").read_bytes() == b"bucket/logs/a"
    assert [path for path, _ in failures] == [f"{place.prefix}/{keys[index]}" for index in (1, 2, 3, 4, 5, 6)]
    assert all(reason.startswith("cannot be copied: ") for _, reason in failures)
    assert os.listdir(tmp_path) == ["stage"]


def test_packed_reports_are_merged_as_others(logs):
    paths = sorted(logs.rglob("*.jsonl"))
    parts = [kvo_audit.audit(paths[start::3]).json for start in range(3)]
    packed = [_tasks.pack(part) for part in parts]
    assert [_tasks.unpack(part) for part in packed] == parts
    assert all(len(pack) < len(part) / 5 for pack, part in zip(packed, parts, strict=True))
    assert _tasks.unpack(_tasks.merge_packed(packed)) == _tasks.merge_all(parts)


def test_a_report_without_its_findings_has_all_else(logs):
    report = kvo_audit.audit(logs)
    expected = {**report.data, "findings": []}
    assert report.data["findings"]
    assert _tasks.without_findings(report.json) == expected
    assert _tasks.without_findings(json.dumps(report.data).encode()) == expected
    empty = _tasks.merge_all([])
    assert _tasks.without_findings(empty) == json.loads(empty)


@pytest.fixture
def fragile(tmp_path, monkeypatch):
    """A tool that fails at logs with certain names, and notes each try."""
    real = _tool.path()
    script = tmp_path / "tool"
    tries = tmp_path / "tries"
    script.write_text(
        "#!/bin/sh\n"
        'case "$1 $*" in\n'
        f'"audit "*/crash.jsonl*) echo x >> {tries}; echo "Fatal error: it" >&2; kill -ILL $$;;\n'
        f'"audit "*/hang.jsonl*) echo x >> {tries}; exec tail -f /dev/null;;\n'
        f'"audit "*/flaky.jsonl*) [ -e {tries} ] || {{ echo x >> {tries}; kill -KILL $$; }};;\n'
        "esac\n"
        f'exec {real} "$@"\n'
    )
    script.chmod(0o755)
    monkeypatch.setenv("KVO_AUDIT", str(script))
    return tries


def test_a_log_that_the_tool_crashes_of_is_set_aside_by_name(logs, fragile):
    whole = kvo_audit.merge([kvo_audit.audit(logs)])
    bad = logs / "1.0" / "crash.jsonl"
    bad.write_text(fleet.log("1.0", fleet.DAYS[0], "iOS 16.4", 1))
    report = kvo_audit.Report(_tasks.audit_task(work(logs), [], _tasks.Limits()))
    [aside] = report.data["unreadable"]
    assert aside["path"] == str(bad)
    reason = "kvo-audit was ended by SIGILL: Fatal error: it"
    assert aside["message"] == f"set aside after 2 tries: {reason}"
    # All else is as without it.
    data = json.loads(report.json)
    data["unreadable"] = []
    assert data == whole.data
    assert [row["path"] for row in report.inputs.to_pylist() if row["state"] == "set aside"] == [str(bad)]


def test_a_log_that_takes_too_long_is_set_aside_by_name(tmp_path, fragile):
    # Alone, because any log may take that long on a busy machine.
    bad = tmp_path / "logs" / "hang.jsonl"
    bad.parent.mkdir()
    bad.write_text(fleet.log("1.0", fleet.DAYS[0], "iOS 16.4", 1))
    report = kvo_audit.Report(_tasks.audit_task(work(bad.parent), [], _tasks.Limits(timeout=0.5)))
    [row] = report.inputs.to_pylist()
    assert (row["path"], row["state"]) == (str(bad), "set aside")
    assert row["reason"] == "set aside after 2 tries: kvo-audit took longer than 0.5 s"
    assert fragile.read_text() == "x\n" * 2


def test_a_tool_that_crashes_once_is_tried_again(logs, fragile):
    whole = kvo_audit.merge([kvo_audit.audit(logs)])
    flaky = logs / "1.0" / "flaky.jsonl"
    flaky.write_text(fleet.log("1.0", fleet.DAYS[0], "iOS 16.4", 1))
    report = kvo_audit.Report(_tasks.audit_task(work(logs), [], _tasks.Limits()))
    assert report.data["unreadable"] == []
    assert len(report.data["inputs"]) == len(whole.data["inputs"]) + 1


def test_a_log_that_needs_too_much_memory_is_set_aside(tmp_path):
    folder = tmp_path / "logs"
    fleet.write(folder, 3)
    # Objects that are never deallocated, each of which the audit must remember.
    with open(folder / "large.jsonl", "w") as file:
        for number in range(300_000):
            file.write(
                '{"event":"register","thread":1,"subject":{"class":"A","id":"%d"},"keyPath":"k","registration":%d}\n'
                % (number, number)
            )
    report = kvo_audit.Report(_tasks.audit_task(work(folder), ["--jobs", "1"], _tasks.Limits(memory=60 << 20)))
    assert [failure["path"] for failure in report.data["unreadable"]] == [str(folder / "large.jsonl")]
    assert len(report.data["inputs"]) == 3
