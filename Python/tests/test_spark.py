"""The job on a standalone cluster. `make fleet` runs all of it; `make fleet-check` the tests that are not marked `isLong`."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path

import duckdb
import fleet
import pytest

pytest.importorskip("pyspark", reason="pyspark is not installed")
from cluster import Cluster, descendants, end  # noqa: E402

import kvo_audit  # noqa: E402
from kvo_audit import _tool  # noqa: E402

pytestmark = pytest.mark.cluster

COUNT = int(os.environ.get("KVO_FLEET_LOGS", "60"))
isLong = pytest.mark.skipif("KVO_FLEET_LOGS" not in os.environ, reason="the long form: make fleet")


@pytest.fixture(scope="module")
def cluster(tmp_path_factory):
    cluster = Cluster(tmp_path_factory.mktemp("cluster"), {})
    yield cluster
    cluster.stop()


def options(output):
    return ("--output", str(output), "--path-pattern", fleet.PATTERN)


def one_process(*folders):
    parts = [kvo_audit.audit(folder, path_pattern=fleet.PATTERN) for folder in folders]
    return kvo_audit.merge(parts)


def tables(output, name):
    files = sorted((output / name).rglob("*.parquet"))
    return duckdb.sql(f"SELECT * FROM read_parquet({[str(file) for file in files]}, union_by_name = true)")


def counts(report):
    return {finding["signature"]: finding["count"] for finding in report.data["findings"]}


def content(output):
    """All that a reader sees."""
    rows = {name: sorted(map(repr, tables(output, name).fetchall())) for name in ("findings", "registrations", "inputs")}
    reports = {path.name: path.read_bytes() for path in (output / "reports").iterdir() if path.suffix != ".crc"}
    # It has the time at which it was written.
    reports["report.sarif"] = json.loads(reports["report.sarif"])["runs"][0]["results"]
    return rows, reports


def test_the_cluster_one_process_and_merge_give_the_same_bytes(cluster, tmp_path):
    logs, output = tmp_path / "logs", tmp_path / "output"
    paths = fleet.write(logs, COUNT)
    status, said = end(cluster.start(str(logs), *options(output)))
    assert status == 0, said
    report = one_process(logs)
    assert (output / "reports" / "report.json").read_bytes() == report.json
    # Three groupings of the same parts.
    parts = [kvo_audit.audit(sorted(paths)[start::6], path_pattern=fleet.PATTERN) for start in range(6)]
    for groups in ([parts[:3], parts[3:]], [parts[5:], parts[:1], parts[1:5]], [parts]):
        assert kvo_audit.merge([kvo_audit.merge(group) for group in groups]) == report

    # SQL over the tables has the counts of the report.
    found = tables(output, "findings")
    sums = duckdb.sql("SELECT signature, sum(count) FROM found WHERE parent IS NULL GROUP BY signature").fetchall()
    assert dict(sums) == counts(report)
    columns = [f'"{name}"' for name in report.findings.column_names]
    expected = [tuple(row.values()) for row in report.findings.to_pylist()]
    assert sorted(map(repr, found.select(*columns).fetchall())) == sorted(map(repr, expected))
    assert tables(output, "inputs").aggregate("count(*), sum(events)").fetchall() == [
        (COUNT, report.data["summary"]["events"])
    ]
    assert sorted(path.name for path in (output / "findings").iterdir() if path.is_dir()) == [
        f"by_day={day}" for day in fleet.DAYS
    ]
    names = {path.name for path in (output / "reports").iterdir() if path.suffix != ".crc"}
    assert names == {
        *("report.txt", "report.json", "report.md", "report.sarif", "report.html"),
        *("junit.xml", "gitlab.json", "annotations.txt"),
    }
    assert (output / "reports" / "report.html").read_text() == report.to_html()

    # Nothing of the job is left behind.
    assert sorted(path.name for path in (output / "_audit").iterdir()) == ["state"]


@isLong
def test_a_day_is_added_and_the_same_job_again_changes_nothing(cluster, tmp_path):
    logs, later, output = tmp_path / "logs", tmp_path / "later", tmp_path / "output"
    fleet.write(logs, COUNT)
    fleet.write(later, 9, days=("2026-11-04",))
    status, said = end(cluster.start(str(logs), *options(output)))
    assert status == 0 and f"{COUNT} logs audited, 0 known before" in said, said
    status, said = end(cluster.start(str(logs), str(later), *options(output)))
    assert status == 0 and f"9 logs audited, {COUNT} known before" in said, said
    whole = one_process(logs, later)
    assert (output / "reports" / "report.json").read_bytes() == whole.json
    before = content(output)
    assert len(before[0]["inputs"]) == COUNT + 9
    status, said = end(cluster.start(str(later), *options(output)))
    assert status == 0 and f"0 logs audited, {COUNT + 9} known before" in said, said
    assert content(output) == before
    # A log that has changed is no longer what the output has.
    log = sorted(later.rglob("*.jsonl"))[0]
    log.write_text(log.read_text() + "\n")
    status, said = end(cluster.start(str(later), *options(output)))
    assert status == 65 and f"{log}: changed since an earlier job read it" in said, said
    assert content(output) == before


@isLong
def test_damaged_logs_among_the_others_change_nothing_but_their_own_rows(cluster, tmp_path):
    logs, output = tmp_path / "logs", tmp_path / "output"
    fleet.write(logs, COUNT)
    clean = one_process(logs)
    odd = logs / "1.0" / fleet.DAYS[0]
    (odd / "empty-0.jsonl").write_text("")
    (odd / "odd-0.jsonl").write_bytes(b"\x00\x01\x02" * 100)
    (odd / "cut-0.jsonl").write_text(fleet.log("1.0", fleet.DAYS[0], "iOS 16.4", 1)[:-25])
    status, said = end(cluster.start(str(logs), *options(output)))
    assert status == 0, said
    inputs = {Path(path).name: (state, reason) for path, state, reason in tables(output, "inputs").select("path, state, reason").fetchall()}
    assert inputs["empty-0.jsonl"][0] == inputs["odd-0.jsonl"][0] == "unreadable"
    assert inputs["cut-0.jsonl"][0] in ("cut", "damaged")
    assert len(inputs) == COUNT + 3
    report = kvo_audit.Report.read(output / "reports" / "report.json")
    cut = kvo_audit.audit(odd / "cut-0.jsonl")
    assert counts(report) == {
        signature: count + counts(cut).get(signature, 0) for signature, count in counts(clean).items()
    }


@isLong
def test_a_large_log_and_one_with_many_findings_are_rows_like_others(cluster, tmp_path):
    logs, output = tmp_path / "logs", tmp_path / "output"
    fleet.write(logs, 30)
    many, large = logs / "1.0" / "many-1.jsonl", logs / "1.0" / "large-1.jsonl"
    with open(many, "w") as file:
        for number in range(100_000):
            pair = '"thread":1,"subject":{"class":"A%d","id":"1"},"observer":{"class":"B","id":"2"},"keyPath":"k"' % number
            file.write('{"event":"remove",%s,"registration":null,"stack":["B.close() (B.swift:1)"]}\n' % pair)
    line = '{"event":"write","thread":1,"subject":{"class":"A","id":"1"},"key":"k","fingerprint":"%s"}\n' % ("x" * 900)
    with open(large, "w") as file:
        while file.tell() < 1 << 30:
            file.write(line * 1000)
    status, said = end(cluster.start(str(logs), *options(output)))
    assert status == 0, said
    report = kvo_audit.Report.read(output / "reports" / "report.json")
    assert report == one_process(logs)
    assert len(report.data["findings"]) > 100_000


@pytest.fixture
def gate(tmp_path):
    """A tool whose first audit of a certain log waits until the test lets it go on."""
    folder = tmp_path / "gate"
    folder.mkdir()
    script = folder / "tool"
    script.write_text(
        "#!/bin/sh\n"
        f'case "$*" in *phone00-0.jsonl*) if mkdir {folder}/first 2>/dev/null; then\n'
        f"  echo $$ > {folder}/at; read line < {folder}/go; fi;;\n"
        f'esac\nexec {_tool.path()} "$@"\n'
    )
    script.chmod(0o755)
    os.mkfifo(folder / "go")
    os.mkfifo(folder / "at")
    return folder


@isLong
def test_a_worker_that_is_killed_changes_nothing(cluster, tmp_path, gate):
    logs, output = tmp_path / "logs", tmp_path / "output"
    fleet.write(logs, COUNT)
    job = cluster.start(str(logs), *options(output), KVO_AUDIT=str(gate / "tool"))
    with open(gate / "at") as at:
        waiting = int(at.read())
    [victim] = [worker for worker in cluster.workers if waiting in descendants(worker.pid)]
    victim.kill()
    cluster.workers.remove(victim)
    status, said = end(job)
    cluster.add_worker()
    assert status == 0, said
    assert (output / "reports" / "report.json").read_bytes() == one_process(logs).json


@isLong
def test_of_two_jobs_at_once_one_wins_and_nothing_is_mixed(cluster, tmp_path, gate):
    logs, others, output = tmp_path / "logs", tmp_path / "others", tmp_path / "output"
    fleet.write(logs, 30)
    shutil.copytree(logs / "1.1", others / "1.1")
    first = cluster.start(str(logs), *options(output), KVO_AUDIT=str(gate / "tool"))
    with open(gate / "at") as at:
        at.read()
    status, said = end(cluster.start(str(others), *options(output)))
    assert status == 75 and "writes here" in said, said
    with open(gate / "go", "w") as go:
        go.write("on\n")
    status, said = end(first)
    assert status == 0, said
    assert (output / "reports" / "report.json").read_bytes() == one_process(logs).json
