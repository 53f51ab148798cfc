"""The program ``kvo-audit`` of this package: the tool, and Parquet.

    kvo-audit export --to parquet logs/ -o tables
    kvo-audit logs/ --findings findings.parquet

Everything else is the tool's own.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from . import _tool
from ._audit import run_audit
from ._errors import AuditError
from ._report import Report, write_parquet


def main(arguments: list[str] | None = None) -> None:
    """Runs the program, and ends with its status."""
    given = sys.argv[1:] if arguments is None else arguments
    try:
        if given[:1] == ["export"] and _value(given, "--to") == "parquet":
            _export(given[1:])
        elif _value(given, "--findings") is not None:
            sys.exit(_audit(given))
        else:
            tool = _tool.path()
            os.execv(tool, [tool, *given])
    except AuditError as error:
        words = str(error)
        print(words if words.startswith(("kvo-audit:", "Error:")) else f"kvo-audit: {words}", file=sys.stderr)
        status = {"UsageError": 64, "InputError": 65, "ToolMissing": 69, "OutputError": 74}
        sys.exit(status.get(type(error).__name__, 70))
    except OSError as error:
        print(f"kvo-audit: {error.filename}: {error.strerror}", file=sys.stderr)
        sys.exit(74)


def _export(arguments: list[str]) -> None:
    """``kvo-audit export --to parquet``: three files in a folder."""
    rest, _ = _without(arguments, "--to")
    rest, folder = _without(rest, "-o", "--output")
    if folder is None:
        print("kvo-audit: --to parquet writes three files: name their folder with -o", file=sys.stderr)
        sys.exit(64)
    outcome = run_audit((), rest, separate=False)
    Report(outcome.report).to_parquet(folder)
    if outcome.words:
        print(outcome.words, file=sys.stderr)
    sys.exit(outcome.status)


def _audit(arguments: list[str]) -> int:
    """``kvo-audit --findings FILE``: the tool's own report, and a table of its findings."""
    rest, file = _without(arguments, "--findings")
    assert file is not None
    if rest[:1] == ["audit"]:
        rest = rest[1:]
    summary = Path(f"{file}.{os.getpid()}.json")
    try:
        tool = [_tool.path(), "audit", "--by-origin", "--summary", str(summary), *rest]
        status = subprocess.call(tool)
        if summary.exists():
            write_parquet(Report.read(summary).findings, Path(file))
        return status
    finally:
        summary.unlink(missing_ok=True)


def _value(arguments: list[str], name: str) -> str | None:
    return _without(arguments, name)[1]


def _without(arguments: list[str], *names: str) -> tuple[list[str], str | None]:
    """The arguments without an option, and its value."""
    rest: list[str] = []
    value: str | None = None
    position = 0
    while position < len(arguments):
        argument = arguments[position]
        name, equals, text = argument.partition("=")
        if argument == "--":
            break
        if name in names and equals:
            value = text
        elif argument in names and position + 1 < len(arguments):
            position += 1
            value = arguments[position]
        else:
            rest.append(argument)
        position += 1
    return rest + arguments[position:], value
