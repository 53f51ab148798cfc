"""Audits logs on this machine."""

from __future__ import annotations

import os
import re
import tempfile
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

from . import _tool
from ._errors import InputError
from ._report import Report

PathLike = str | os.PathLike[str]

# A call takes about two megabytes of arguments; beyond this, logs are audited in several calls.
_ARGUMENT_BYTES = 1_000_000


def audit(
    paths: PathLike | Iterable[PathLike],
    *,
    profile: str | None = None,
    suppressions: PathLike | Iterable[PathLike] = (),
    baseline: PathLike | None = None,
    path_pattern: str | None = None,
    app_modules: Iterable[str] = (),
    dsyms: Iterable[PathLike] = (),
    symbols: PathLike | None = None,
    leaks_at_exit: bool = False,
    today: str | None = None,
    jobs: int | None = None,
    timeout: float | None = None,
) -> Report:
    """Audits logs and crash reports.

    An input that cannot be read, or in which something is damaged, does not prevent the audit of the others:
    :attr:`Report.inputs` has a row for it, with the reason.

    :param paths: logs, folders, and patterns such as ``logs/**/*.kvolog``.
    :param profile: the runtime to judge as, such as ``"apple-modern"``; None: the one that each log was recorded on.
    :param suppressions: files of known issues. Others, such as ``.kvo-suppressions`` in the working directory, are not
        read.
    :param baseline: a JSON report; findings are compared with it.
    :param path_pattern: what the paths of logs state about app version, system, day and device, if the logs do not:
        ``"{version}/{day}/{device}-*.kvolog"``.
    :param app_modules: the modules of your own code; without them, all but those of the system.
    :param dsyms: files with debug information, or folders of them.
    :param symbols: a symbol store: a folder that ``kvo-audit symbols add`` filled; None: that of ``KVO_SAFETY_SYMBOLS`` in the
        environment, if it is set.
    :param leaks_at_exit: count what is registered at an orderly exit as leaked.
    :param today: the day by which suppressions expire, ``"2027-01-31"``; None: today.
    :param jobs: how many logs are replayed at a time; None: one for each processor.
    :param timeout: the seconds that a call of the tool may take.
    :returns: the report.
    :raises InputError: none of the inputs can be read, or a baseline or suppressions cannot be used.
    :raises UsageError: an argument is wrong.
    :raises ToolTimeout: the tool took longer than ``timeout``.
    :raises ToolCrashed: the tool was ended by a signal.
    """
    names = _texts(paths)
    if not names:
        raise InputError("there are no logs to audit")
    triage = triage_arguments(suppressions, baseline, today)
    options = audit_arguments(profile, path_pattern, app_modules, dsyms, symbols, leaks_at_exit, jobs)
    pieces = list(_pieces(names))
    if len(pieces) == 1:
        report = Report(run_audit(pieces[0], options + triage, timeout=timeout).report)
    else:
        none = triage_arguments((), None, None)
        parts = [Report(run_audit(piece, options + none, timeout=timeout).report) for piece in pieces]
        report = _merge(parts, triage_arguments(suppressions, baseline, today) + ["--all-inputs"])
    if report.is_empty and report.failures:
        raise InputError("\n".join(report.failures))
    return report


def merge(
    reports: Iterable[Report],
    *,
    suppressions: PathLike | Iterable[PathLike] = (),
    baseline: PathLike | None = None,
    today: str | None = None,
) -> Report:
    """Makes one report of several, as if their inputs had been audited together.

    The result is the same, byte by byte, in whichever order and groups reports are merged. Of more than 1,000 inputs, it
    lists those that are damaged, cut or unreadable and those with findings, and counts the others by state.

    :param reports: the reports.
    :param suppressions: as of :func:`audit`.
    :param baseline: as of :func:`audit`.
    :param today: as of :func:`audit`.
    :returns: the report.
    """
    return _merge(reports, triage_arguments(suppressions, baseline, today))


def _merge(reports: Iterable[Report], arguments: Sequence[str]) -> Report:
    with tempfile.TemporaryDirectory(prefix="kvo-audit-") as folder:
        names = []
        for number, report in enumerate(reports):
            names.append(f"{number}.json")
            Path(folder, names[-1]).write_bytes(report.json)
        return Report(merge_files(folder, names, arguments).read_bytes())


def merge_files(folder: str, names: Sequence[str], arguments: Sequence[str] = ()) -> Path:
    """The file of the JSON report of the parts ``names`` in ``folder``, which it is in, too."""
    output = Path(folder, "merged.json")
    command = ["merge", "--fail-on", "never", "--no-limits", "--format", f"json={output}", *arguments]
    status, words = _tool.run([*command, "--", *names], cwd=folder)
    return _result(output, status, words)


class Outcome(NamedTuple):
    """The JSON report of a call of the tool, its status, 0 or 65, and what it complained of."""

    report: bytes
    status: int
    words: str


def run_audit(
    names: Sequence[str],
    arguments: Sequence[str],
    *,
    cwd: str | None = None,
    timeout: float | None = None,
    memory: int | None = None,
    separate: bool = True,
) -> Outcome:
    """What one call of the tool made.

    ``separate``: whether ``names`` follow the arguments after ``--``; otherwise they are among them.
    """
    with tempfile.TemporaryDirectory(prefix="kvo-audit-") as folder:
        output = Path(folder, "report.json")
        command = ["audit", "--fail-on", "never", "--by-origin", "--no-limits", "--all-inputs", "--format", f"json={output}"]
        last = ["--", *names] if separate else names
        status, words = _tool.run([*command, *arguments, *last], cwd=cwd, timeout=timeout, memory=memory)
        return Outcome(_result(output, status, words).read_bytes(), status, words)


def _result(output: Path, status: int, words: str) -> Path:
    # An unreadable input is a row of the report. Without a report, something else cannot be read.
    if status not in (0, _tool.UNREADABLE_STATUS) or not output.exists():
        raise _tool.error(status, words)
    return output


def audit_arguments(
    profile: str | None = None,
    path_pattern: str | None = None,
    app_modules: Iterable[str] = (),
    dsyms: Iterable[PathLike] = (),
    symbols: PathLike | None = None,
    leaks_at_exit: bool = False,
    jobs: int | None = None,
) -> list[str]:
    """The arguments of an audit that do not concern what is known."""
    arguments: list[str] = []
    if profile is not None:
        arguments += ["--profile", profile]
    if path_pattern is not None:
        arguments += ["--path-pattern", path_pattern]
    for module in app_modules:
        arguments += ["--app-module", module]
    for source in _texts(dsyms):
        arguments += ["--dsym", source]
    if symbols is not None:
        arguments += ["--symbols", os.fspath(symbols)]
    if leaks_at_exit:
        arguments.append("--leaks-at-exit")
    if jobs is not None:
        arguments += ["--jobs", str(jobs)]
    return arguments


def triage_arguments(
    suppressions: PathLike | Iterable[PathLike] = (),
    baseline: PathLike | None = None,
    today: str | None = None,
) -> list[str]:
    """The arguments that say what is known. Paths are absolute: the tool may run in another folder."""
    arguments: list[str] = []
    for file in _texts(suppressions):
        arguments += ["--suppressions", os.path.abspath(file)]
    if not arguments:
        arguments.append("--no-suppressions")
    if baseline is not None:
        arguments += ["--baseline", os.path.abspath(baseline)]
    if today is not None:
        arguments += ["--today", today]
    return arguments


def _texts(paths: PathLike | Iterable[PathLike]) -> list[str]:
    if isinstance(paths, (str, os.PathLike)):
        return [os.fspath(paths)]
    return [os.fspath(path) for path in paths]


def base(name: str) -> str:
    """The name of the log that a file is a part of: ``app.kvolog`` for ``app.kvolog.2``.

    Also for ``app.kvolog.4711``, the log of another process beside it, and for its part ``app.kvolog.4711.1``.
    """
    return re.sub(r"(\.[1-9][0-9]*)+$", "", name)


def _pieces(names: Sequence[str]) -> Iterable[list[str]]:
    """The names of each call: each name once, and the parts of a log together, which a call reads as one."""
    names = list(dict.fromkeys(names))
    if _size(names) <= _ARGUMENT_BYTES:
        yield names
        return
    logs: dict[str, list[str]] = {}
    for name in names:
        logs.setdefault(base(name), []).append(name)
    piece: list[str] = []
    size = 0
    for parts in logs.values():
        length = _size(parts)
        if piece and size + length > _ARGUMENT_BYTES:
            yield piece
            piece, size = [], 0
        piece += parts
        size += length
    yield piece


def _size(names: Iterable[str]) -> int:
    return sum(len(os.fsencode(name)) + 9 for name in names)
