"""Finds and runs the program kvo-audit."""

from __future__ import annotations

import os
import resource
import shutil
import signal
import subprocess
from collections.abc import Sequence
from pathlib import Path

from ._errors import AuditError, InputError, OutputError, ToolCrashed, ToolMissing, ToolTimeout, UsageError

FINDINGS_STATUS = 1
UNREADABLE_STATUS = 65
_ERRORS = {64: UsageError, UNREADABLE_STATUS: InputError, 74: OutputError}


def path() -> str:
    """The program: that of the environment variable ``KVO_AUDIT``, the wheel's own, or that on the PATH."""
    named = os.environ.get("KVO_AUDIT")
    if named:
        # The tool may run in another folder.
        return os.path.abspath(named) if os.sep in named else named
    own = Path(__file__).parent / "bin" / "kvo-audit"
    if own.exists():
        return str(own)
    for folder in os.get_exec_path():
        found = shutil.which("kvo-audit", path=folder)
        # This package's own script of that name, which is first in a virtual environment, would start itself.
        if found and not _is_script(found):
            return found
    raise ToolMissing("kvo-audit is not there: install the wheel that `make wheel` makes, or set KVO_AUDIT to the program")


def _is_script(found: str) -> bool:
    with open(found, "rb") as file:
        return file.read(2) == b"#!"


def run(
    arguments: Sequence[str],
    *,
    cwd: str | None = None,
    timeout: float | None = None,
    memory: int | None = None,
) -> tuple[int, str]:
    """Runs the tool to its end.

    :param arguments: its arguments.
    :param cwd: its working directory.
    :param timeout: the seconds after which it is killed.
    :param memory: the bytes of data that it may have; beyond that it crashes.
    :returns: the exit status, and what it wrote to standard error.
    :raises ToolCrashed: a signal ended it.
    :raises ToolTimeout: it took longer than ``timeout``.
    """
    # Annotations of a CI server are for its own steps.
    environment = {key: value for key, value in os.environ.items() if key != "GITHUB_ACTIONS"}
    # What the tool says is an error's text: a backtrace of it is not.
    environment["SWIFT_BACKTRACE"] = "enable=no"
    try:
        process = subprocess.Popen(
            [path(), *arguments],
            cwd=cwd,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
        )
    except FileNotFoundError as error:
        if cwd is not None and not os.path.isdir(cwd):
            raise
        raise ToolMissing(f"{path()}: {error.strerror}") from error
    with process:
        if memory is not None:
            resource.prlimit(process.pid, resource.RLIMIT_DATA, (memory, memory))
        try:
            _, complaint = process.communicate(timeout=timeout)
        except subprocess.TimeoutExpired:
            process.kill()
            process.communicate()
            raise ToolTimeout(f"kvo-audit took longer than {timeout:g} s") from None
        except BaseException:
            process.kill()
            raise
    words = complaint.decode(errors="replace").strip()
    if process.returncode < 0:
        raise ToolCrashed(_crash(-process.returncode, words))
    return process.returncode, words


def _crash(number: int, words: str) -> str:
    try:
        name = signal.Signals(number).name
    except ValueError:
        name = f"signal {number}"
    last = f": {words.splitlines()[-1]}" if words else ""
    return f"kvo-audit was ended by {name}{last}"


def error(status: int, words: str) -> AuditError:
    """The error that an exit status stands for."""
    kind = _ERRORS.get(status, AuditError)
    return kind(words or f"kvo-audit ended with status {status}")
