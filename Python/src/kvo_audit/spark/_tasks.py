"""What a worker does: audits the logs of a task, and sets aside those that the tool cannot stand.

Nothing here needs Spark, so that it can be tested without.
"""

from __future__ import annotations

import errno
import json
import os
import shutil
import tempfile
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa

from .. import _tables
from .._audit import merge_files, run_audit
from .._errors import ToolCrashed, ToolTimeout
from ._inputs import LogFile, Storage, relative

Log = tuple[Storage, list[LogFile]]

# How often a log is tried before it is set aside.
_TRIES = 2
_COMPRESSION = "zstd"
_PIECE = 8 << 20
# A store has `a` and `a/b`, and longer names than a file system.
_NAME_ERRORS = (errno.EEXIST, errno.ENOTDIR, errno.EISDIR, errno.ENAMETOOLONG)


@dataclass(frozen=True)
class Limits:
    """What one call of the tool may take."""

    timeout: float | None = None
    memory: int | None = None


def audit_task(logs: Sequence[Log], arguments: Sequence[str], limits: Limits, fetches: bool = False) -> bytes:
    """The partial report of the logs of a task.

    :param logs: the logs, each with its parts.
    :param arguments: those of the audit.
    :param limits: what one call of the tool may take.
    :param fetches: whether local files are copied, too, as others are.
    :returns: the JSON report, with a failure for each log that cannot be fetched or is set aside.
    """
    with tempfile.TemporaryDirectory(prefix="kvo-audit-") as folder:
        parts: list[bytes] = []
        by_place: dict[Storage, list[list[LogFile]]] = {}
        for place, files in logs:
            by_place.setdefault(place, []).append(files)
        # A report has the stacks of the first input that it is given, and a merge those of the first by path.
        for groups in by_place.values():
            groups.sort(key=lambda files: files[0].name)
        for number, (place, groups) in enumerate(sorted(by_place.items(), key=lambda item: item[0].prefix)):
            if place.is_local and not fetches:
                names = [[file.name for file in files] for files in groups]
                parts.append(_audited(names, arguments, limits, None))
                continue
            stage = os.path.join(folder, str(number))
            os.mkdir(stage)
            names, failures = _fetch(place, groups, stage)
            if names:
                part = _audited(names, arguments, limits, stage)
                parts.append(_renamed(part, place.prefix + "/"))
            parts.append(_failed(failures))
        return merge_all(parts)


def merge_all(reports: Iterable[bytes]) -> bytes:
    """One partial report of several."""
    with tempfile.TemporaryDirectory(prefix="kvo-audit-") as folder:
        names = []
        # The tool merges at least one.
        for number, report in enumerate([_failed([]), *reports]):
            names.append(f"{number}.json")
            Path(folder, names[-1]).write_bytes(report)
        return merge_files(folder, names, ["--no-suppressions"]).read_bytes()


def pack(report: bytes) -> bytes:
    """A report as it travels between workers, which Spark keeps whole in the memory of its virtual machines.

    Reports repeat themselves: one of 1,000 findings has 3.5 MB, and packed a fortieth of that.
    """
    sink = pa.BufferOutputStream()
    with pa.CompressedOutputStream(sink, _COMPRESSION) as stream:
        stream.write(report)
    return sink.getvalue().to_pybytes()


def unpack(report: bytes) -> bytes:
    """The report that was packed."""
    with pa.CompressedInputStream(pa.BufferReader(report), _COMPRESSION) as stream:
        return stream.read()


def merge_packed(reports: Iterable[bytes]) -> bytes:
    """One packed report of several; none of them is in memory as a whole."""
    with tempfile.TemporaryDirectory(prefix="kvo-audit-") as folder:
        names = []
        for number, report in enumerate(reports):
            names.append(f"{number}.json")
            with pa.CompressedInputStream(pa.BufferReader(report), _COMPRESSION) as packed:
                with open(os.path.join(folder, names[-1]), "wb") as file:
                    shutil.copyfileobj(packed, file, _PIECE)
        merged = merge_files(folder, names, ["--no-suppressions"])
        sink = pa.BufferOutputStream()
        with pa.CompressedOutputStream(sink, _COMPRESSION) as stream, open(merged, "rb") as file:
            shutil.copyfileobj(file, stream, _PIECE)
        return sink.getvalue().to_pybytes()


def without_findings(report: bytes) -> dict[str, Any]:
    """The report as Python values, but with no finding, of which there may be many."""
    # The tool escapes line breaks in texts: these are the keys, wherever they are found.
    start = report.find(b'\n  "findings": [')
    end = report.find(b'\n  "notJudged": [', start)
    if start < 0 or end < 0:
        return {**json.loads(report), "findings": []}
    return json.loads(report[:start] + b'"findings": [],' + report[end:])


def _audited(
    logs: Sequence[Sequence[str]],
    arguments: Sequence[str],
    limits: Limits,
    folder: str | None,
) -> bytes:
    """The report of ``logs``, without those that the tool crashes of, or that take it too long."""
    names = [name for parts in logs for name in parts]
    trouble: Exception | None = None
    for _ in range(_TRIES):
        try:
            command = [*arguments, "--no-suppressions"]
            return run_audit(names, command, cwd=folder, timeout=limits.timeout, memory=limits.memory).report
        except (ToolCrashed, ToolTimeout) as error:
            trouble = error
        if len(logs) > 1:
            # Which log it is shows when they are divided.
            break
    if len(logs) > 1:
        half = len(logs) // 2
        return merge_all(_audited(some, arguments, limits, folder) for some in (logs[:half], logs[half:]))
    reason = f"{_tables.SET_ASIDE} after {_TRIES} tries: {trouble}"
    return _failed([(logs[0][0], reason)])


def _fetch(place: Storage, groups: Sequence[Sequence[LogFile]], stage: str) -> tuple[list[list[str]], list[tuple[str, str]]]:
    """Copies files below ``stage``: the names there, and why files could not be copied."""
    source = place.open()
    names: list[list[str]] = []
    failures: list[tuple[str, str]] = []
    known: set[str] = set()
    for group in groups:
        fetched = []
        for file in group:
            name = relative(file.name, place)
            # Stores have names that no file may have here.
            if name == ".." or name.startswith("../") or name in known:
                failures.append((file.name, "cannot be copied: its name has empty parts or `..`"))
                continue
            known.add(name)
            target = os.path.join(stage, name)
            try:
                os.makedirs(os.path.dirname(target), exist_ok=True)
                with source.open_input_stream(place.path(file.name)) as stream, open(target, "wb") as copy:
                    shutil.copyfileobj(stream, copy, _PIECE)
            except FileNotFoundError:
                failures.append((file.name, "no such file"))
            except PermissionError as error:
                failures.append((file.name, f"cannot be opened: {error.strerror or error}"))
            except OSError as error:
                if error.errno not in _NAME_ERRORS:
                    raise
                failures.append((file.name, f"cannot be copied: {error.strerror or error}"))
            else:
                fetched.append(name)
        if fetched:
            names.append(fetched)
    return names, failures


def _renamed(report: bytes, prefix: str) -> bytes:
    """The report with ``prefix`` before the paths of its inputs."""
    value = json.loads(report)
    for entry in value["inputs"]:
        entry["path"] = prefix + entry["path"]
        for damage in entry["damaged"]:
            if damage.get("path"):
                damage["path"] = prefix + damage["path"]
    for failure in value["unreadable"]:
        failure["path"] = prefix + failure["path"]
    for rule in value["notJudged"]:
        rule["paths"] = [prefix + path for path in rule["paths"]]
    return json.dumps(value, ensure_ascii=False).encode()


def _failed(failures: Sequence[tuple[str, str]]) -> bytes:
    """A report of nothing but failures."""
    value: dict[str, Any] = dict(_EMPTY)
    value["unreadable"] = [
        {"path": path, "line": None, "column": None, "message": message} for path, message in failures
    ]
    return json.dumps(value, ensure_ascii=False).encode()


_EMPTY: dict[str, Any] = {
    "schema": 1,
    "inputs": [],
    "findings": [],
    "notJudged": [],
    "summary": {
        "events": 0,
        "errors": 0,
        "warnings": 0,
        "liveRegistrations": 0,
        "droppedEvents": 0,
    },
}
