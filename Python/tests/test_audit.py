"""The package on one machine: the tables and errors of audits."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import duckdb
import fleet
import pyarrow.parquet as pq
import pytest

import kvo_audit
from kvo_audit import _tool


def total(table, **where):
    rows = table.to_pylist()
    return sum(row["count"] for row in rows if all(row[key] == value for key, value in where.items()))


def test_the_counts_of_the_tables_are_those_of_the_report(logs):
    report = kvo_audit.audit(logs, path_pattern=fleet.PATTERN)
    assert report.data["findings"]
    for finding in report.data["findings"]:
        assert total(report.findings, signature=finding["signature"]) == finding["count"]
    assert {row["app_version"] for row in report.findings.to_pylist()} == {"1.0", "1.1", "2.0"}
    assert report.findings.schema.equals(kvo_audit.FINDINGS)
    assert report.registrations.schema.equals(kvo_audit.REGISTRATIONS)
    assert report.inputs.schema.equals(kvo_audit.INPUTS)
    made = sum(path.read_text().count('"event":"register"') for path in logs.rglob("*.jsonl"))
    assert sum(report.registrations["made"].to_pylist()) == made
    assert report.inputs.num_rows == 30
    assert {row["state"] for row in report.inputs.to_pylist()} == {"read"}
    assert {row["device"] for row in report.inputs.to_pylist()} == {f"phone{number:02}" for number in range(30)}


def test_a_finding_has_its_first_own_frame_its_days_and_its_classes(logs):
    rows = kvo_audit.audit(logs, path_pattern=fleet.PATTERN).findings.to_pylist()
    orders = [row for row in rows if row["class"] == "OrdersModel"]
    assert {row["rule"] for row in orders} == {"KVO006"}
    assert {row["app_version"] for row in orders} == {"1.0", "1.1"}
    # The lines moved between the versions, and it is one finding.
    assert len({row["signature"] for row in orders}) == 1
    first = orders[0]
    assert (first["observer_class"], first["key_path"]) == ("OrdersScreen", "state")
    assert (first["frame_function"], first["frame_file"], first["frame_line"]) == (
        "OrdersScreen.drop()",
        "Orders.swift",
        50,
    )
    assert (str(first["first_seen"]), str(first["last_seen"])) == (fleet.DAYS[0], fleet.DAYS[-1])


def test_debug_information_is_named_as_on_the_command_line():
    arguments = kvo_audit._audit.audit_arguments(dsyms=["App.debug", "more"], symbols=Path("/srv/symbols"))
    assert arguments == ["--dsym", "App.debug", "--dsym", "more", "--symbols", "/srv/symbols"]


def test_merging_in_any_groups_gives_the_same_bytes(logs):
    paths = sorted(logs.rglob("*.jsonl"))
    whole = kvo_audit.merge([kvo_audit.audit(paths)])
    parts = [kvo_audit.audit(paths[start::7]) for start in range(7)]
    left = kvo_audit.merge([kvo_audit.merge(parts[:3]), kvo_audit.merge(parts[3:])])
    right = kvo_audit.merge([parts[6], kvo_audit.merge([parts[0], parts[4]]), *parts[1:4], parts[5]])
    assert whole == left == right
    assert whole == kvo_audit.merge(reversed(parts))


def test_more_logs_than_a_call_takes_are_audited_in_several(logs, monkeypatch):
    paths = sorted(logs.rglob("*.jsonl"))
    whole = kvo_audit.merge([kvo_audit.audit(paths)])
    monkeypatch.setattr("kvo_audit._audit._ARGUMENT_BYTES", 500)
    assert kvo_audit.audit(paths) == whole


def test_the_parts_of_a_log_are_in_one_call_and_each_name_once(monkeypatch):
    pieces = kvo_audit._audit._pieces
    names = ["/logs/b.kvolog.1", "/logs/a.kvolog", "/logs/b.kvolog", "/logs/a.kvolog", "/logs/b.kvolog.12.1"]
    assert list(pieces(names)) == [[*names[:3], names[4]]]
    monkeypatch.setattr("kvo_audit._audit._ARGUMENT_BYTES", 60)
    assert list(pieces(names)) == [[names[0], names[2], names[4]], [names[1]]]


def test_a_program_that_is_named_from_here_is_found_from_elsewhere(logs, tmp_path, monkeypatch):
    tool = _tool.path()
    monkeypatch.chdir(tmp_path)
    (tmp_path / "tool").symlink_to(tool)
    monkeypatch.setenv("KVO_AUDIT", "./tool")
    assert b"KVO006" in kvo_audit.audit(logs).render("text")


def test_a_report_fails_as_the_tool_does(tmp_path):
    objects = '"subject":{"class":"Account","id":"1"},"observer":{"class":"Screen","id":"2"}'
    process = '{"event":"process","schema":1,"runtime":"swift","complete":true}\n'
    removal = f'{{"event":"remove","thread":1,{objects},"keyPath":"balance"}}\n'
    crash = '{"event":"crash","thread":1,"signal":"SIGSEGV"}\n'
    end = '{"event":"exit","status":0}\n'
    known = tmp_path / "known"
    known.write_text("KVO002 until=2030-01-01 because #1\n")
    cases = []
    for name, text in {"clean": end, "found": removal + end, "crashed": crash, "both": removal + crash}.items():
        (tmp_path / f"{name}.jsonl").write_text(process + text)
        for suppressions in ((), (known,)):
            for today in ("2029-01-01", "2031-01-01"):
                case = kvo_audit.audit(tmp_path / f"{name}.jsonl", suppressions=suppressions, today=today)
                cases.append((name, bool(suppressions), today, case))
    statuses = set()
    for name, is_known, today, report in cases:
        (tmp_path / "report.json").write_bytes(report.json)
        for least in ("error", "warning", "note", "never"):
            merge = ["merge", "--no-suppressions", "--fail-on", least, str(tmp_path / "report.json")]
            status, words = _tool.run(merge)
            assert report.fails(least) == (status == 1), (name, is_known, today, least, status, words)
            statuses.add(status)
    assert statuses == {0, 1}


def test_an_input_that_cannot_be_read_is_a_row(logs):
    (logs / "1.0" / "empty.jsonl").write_text("")
    (logs / "1.0" / "odd.jsonl").write_bytes(b"\x00\x01\x02" * 100)
    cut = logs / "1.0" / "cut.jsonl"
    cut.write_text(fleet.log("1.0", fleet.DAYS[0], "iOS 16.4", 1)[:-30])
    paths = sorted(logs.rglob("*.jsonl"))
    rows = {Path(row["path"]).name: row for row in kvo_audit.audit(paths).inputs.to_pylist()}
    assert rows["empty.jsonl"]["state"] == "unreadable"
    assert "the input is empty" in rows["empty.jsonl"]["reason"]
    assert rows["odd.jsonl"]["state"] == "unreadable"
    assert rows["cut.jsonl"]["state"] in ("cut", "damaged")
    assert rows["cut.jsonl"]["reason"]
    assert sum(row["state"] == "read" for row in rows.values()) == 30


def test_errors_have_the_words_of_the_tool(logs, tmp_path):
    with pytest.raises(kvo_audit.InputError, match="none.jsonl: no such file"):
        kvo_audit.audit(tmp_path / "none.jsonl")
    with pytest.raises(kvo_audit.UsageError, match="'x' is invalid for '--profile"):
        kvo_audit.audit(logs, profile="x")
    with pytest.raises(kvo_audit.UsageError, match=r'"\{build\}" is not known'):
        kvo_audit.audit(logs, path_pattern="{build}/*")
    with pytest.raises(kvo_audit.InputError, match="none: no such file"):
        kvo_audit.audit(logs, suppressions=tmp_path / "none")
    with pytest.raises(kvo_audit.InputError, match="there are no logs"):
        kvo_audit.audit([])


def test_a_tool_that_crashes_or_takes_too_long_is_an_error(logs, tmp_path, monkeypatch):
    tool = tmp_path / "tool"
    tool.write_text("#!/bin/sh\necho 'Fatal error: it' >&2\nkill -SEGV $$\n")
    tool.chmod(0o755)
    monkeypatch.setenv("KVO_AUDIT", str(tool))
    with pytest.raises(kvo_audit.ToolCrashed, match="kvo-audit was ended by SIGSEGV: Fatal error: it"):
        kvo_audit.audit(logs)
    tool.write_text("#!/bin/sh\nexec tail -f /dev/null\n")
    with pytest.raises(kvo_audit.ToolTimeout, match="longer than 0.1 s"):
        kvo_audit.audit(logs, timeout=0.1)
    monkeypatch.setenv("KVO_AUDIT", str(tmp_path / "none"))
    with pytest.raises(kvo_audit.ToolMissing):
        kvo_audit.audit(logs)


def test_suppressions_and_a_baseline_apply(logs, tmp_path):
    known = tmp_path / "known"
    known.write_text("KVO006 class=OrdersModel until=2030-01-01 because #1\n")
    before = tmp_path / "before.json"
    before.write_bytes(kvo_audit.audit(logs).json)
    report = kvo_audit.audit(logs, suppressions=known, baseline=before, today="2026-11-24")
    suppressed = {row["class"]: row["suppressed"] for row in report.findings.to_pylist()}
    assert suppressed == {"BalanceModel": False, "OrdersModel": True, "ProfileModel": False}
    assert report.data["baseline"]["new"] == 0
    expired = kvo_audit.audit(logs, suppressions=known, today="2031-01-01")
    assert not any(expired.findings["suppressed"].to_pylist())


def test_a_finding_that_a_test_expects_is_marked(tmp_path):
    objects = '"subject":{"class":"Account","id":"1"},"observer":{"class":"Screen","id":"2"}'
    lines = [
        '{"event":"process","schema":1,"runtime":"swift","complete":true}',
        '{"event":"scopeBegin","thread":1,"id":2,"name":"test"}',
        '{"event":"expects","thread":1,"rules":["KVO002"],"scope":2}',
        f'{{"event":"remove","thread":1,{objects},"keyPath":"balance"}}',
        '{"event":"scopeEnd","thread":1,"id":2}',
        '{"event":"exit","status":0}',
    ]
    for log, expected in ((lines, True), (lines[:2] + lines[3:], False)):
        (tmp_path / "a.jsonl").write_text("\n".join(log) + "\n")
        rows = kvo_audit.audit(tmp_path / "a.jsonl").findings.to_pylist()
        assert [(row["rule"], row["severity"], row["expected"]) for row in rows] == [("KVO002", "error", expected)]


def test_the_meaning_of_a_consequence_names_all_of_them():
    source = Path(__file__).parents[2] / "Sources/Judge/KVORules/Findings/Severity.swift"
    cases = source.read_text().split("enum Consequence")[1].split("\n}")[0]
    meaning = kvo_audit.FINDINGS.field("consequence").metadata[b"meaning"].decode()
    assert set(re.split(r", | or ", meaning)) == set(re.findall(r"^  case (\w+)", cases, re.MULTILINE))


def test_reports_have_the_forms_of_the_tool(logs, tmp_path):
    report = kvo_audit.audit(logs)
    assert report.to_html(tmp_path / "a.html").startswith("<!DOCTYPE html>")
    assert (tmp_path / "a.html").read_bytes() == report.render("html")
    assert b"KVO006 observed-deinit-while-observed" in report.render("text")
    assert json.loads(report.render("sarif"))["version"] == "2.1.0"
    with pytest.raises(kvo_audit.UsageError, match="invalid for '--format"):
        report.render("pdf")


def test_parquet_is_what_the_tables_are(logs, tmp_path):
    report = kvo_audit.audit(logs, path_pattern=fleet.PATTERN)
    report.to_parquet(tmp_path / "tables")
    for name in ("findings", "registrations", "inputs"):
        table = pq.read_table(tmp_path / "tables" / f"{name}.parquet")
        assert table.equals(getattr(report, name))
    sums = duckdb.sql(
        f"SELECT signature, sum(count) FROM '{tmp_path}/tables/findings.parquet' WHERE parent IS NULL GROUP BY signature"
    ).fetchall()
    assert dict(sums) == {finding["signature"]: finding["count"] for finding in report.data["findings"]}


def command(*arguments, cwd):
    line = [sys.executable, "-c", "from kvo_audit._command import main; main()", *arguments]
    return subprocess.run(line, cwd=cwd, capture_output=True, text=True)


def test_the_command_writes_parquet_and_passes_the_rest_on(logs, tmp_path):
    version = command("--version", cwd=tmp_path)
    assert (version.returncode, version.stdout) == (0, f"{kvo_audit.__version__}\n")

    run = command("logs/", "--path-pattern", fleet.PATTERN, "--findings", "findings.parquet", cwd=tmp_path)
    assert run.returncode == 1 and run.stderr == ""
    assert "KVO006 observed-deinit-while-observed" in run.stdout
    report = kvo_audit.audit(logs, path_pattern=fleet.PATTERN)
    assert pq.read_table(tmp_path / "findings.parquet").equals(report.findings)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["findings.parquet", "logs"]

    export = ("export", "--to", "parquet", "logs", "--path-pattern", fleet.PATTERN)
    run = command(*export, "-o", "tables", cwd=tmp_path)
    assert (run.returncode, run.stdout, run.stderr) == (0, "", "")
    assert pq.read_table(tmp_path / "tables" / "registrations.parquet").equals(report.registrations)

    run = command(*export, cwd=tmp_path)
    assert run.returncode == 64 and "name their folder with -o" in run.stderr
    run = command("none.jsonl", "--findings", "x.parquet", cwd=tmp_path)
    assert run.returncode == 65 and "no such file" in run.stderr
    run = command("export", "--to", "parquet", "--path-pattern", "x", "logs", "-o", "y", cwd=tmp_path)
    assert run.returncode == 64 and "has none of {version}" in run.stderr

    (tmp_path / "known").write_text("KVO006 until=2027-01-31 because of #1\n")
    known = ("--suppressions", "known", "--today", "2026-11-25")
    run = command(*export, *known, "-o", "known-tables", cwd=tmp_path)
    assert (run.returncode, run.stdout, run.stderr) == (0, "", "")
    table = pq.read_table(tmp_path / "known-tables" / "findings.parquet")
    rows = {(row["rule"], row["suppressed"]) for row in table.to_pylist() if row["parent"] is None}
    assert ("KVO006", True) in rows and ("KVO006", False) not in rows
    (tmp_path / "cut.jsonl").write_text('{"event":"process","schema":1,"runtime":"swift"}\n{"event":"regis')
    run = command("export", "--to", "parquet", "cut.jsonl", "-o", "cut-tables", cwd=tmp_path)
    assert run.returncode == 65 and "in the middle of the log" in run.stderr


def test_the_tool_is_not_this_package_s_own_script(tmp_path, monkeypatch):
    script = tmp_path / "kvo-audit"
    script.write_text("#!/usr/bin/env python3\n")
    script.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.delenv("KVO_AUDIT", raising=False)
    monkeypatch.setattr(_tool, "__file__", str(tmp_path / "_tool.py"))
    with pytest.raises(kvo_audit.ToolMissing, match="make wheel"):
        _tool.path()
    # That one is first in a virtual environment, and the tool may be in a later folder.
    binary = tmp_path / "later/kvo-audit"
    binary.parent.mkdir()
    binary.write_bytes(b"\x7fELF")
    binary.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{binary.parent}")
    assert _tool.path() == str(binary)
