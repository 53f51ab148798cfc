"""What an audit found."""

from __future__ import annotations

import functools
import json
import os
import tempfile
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from . import _tables, _tool

FORMS = ("text", "json", "markdown", "sarif", "junit", "html", "gitlab", "github")
_SEVERITIES = ("error", "warning", "note")


class Report:
    """What an audit found, as the JSON report of the tool.

    Two reports are equal if their JSON is.
    """

    def __init__(self, json: bytes) -> None:
        """Takes a JSON report, as ``kvo-audit --format json`` writes it."""
        #: The JSON report.
        self.json = json

    @classmethod
    def read(cls, path: str | os.PathLike[str]) -> Report:
        """The JSON report in a file."""
        return cls(Path(path).read_bytes())

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Report) and self.json == other.json

    def __hash__(self) -> int:
        return hash(self.json)

    def __repr__(self) -> str:
        summary = self.data["summary"]
        errors, warnings = summary["errors"], summary["warnings"]
        return f"<Report: {errors} errors, {warnings} warnings in {summary['events']} events>"

    @functools.cached_property
    def data(self) -> dict[str, Any]:
        """The report as Python values."""
        return json.loads(self.json)

    @functools.cached_property
    def findings(self) -> pa.Table:
        """The findings, by app version, system and day: :data:`kvo_audit.FINDINGS`."""
        return _tables.table(_tables.findings(self.data), _tables.FINDINGS)

    @functools.cached_property
    def registrations(self) -> pa.Table:
        """The registrations by call site, app version, system and day: :data:`kvo_audit.REGISTRATIONS`."""
        return _tables.table(_tables.registrations(self.data), _tables.REGISTRATIONS)

    @functools.cached_property
    def inputs(self) -> pa.Table:
        """The inputs, with the reason if one was not read as a whole: :data:`kvo_audit.INPUTS`."""
        return _tables.table(_tables.inputs(self.data), _tables.INPUTS)

    @property
    def is_empty(self) -> bool:
        """Whether no input could be read."""
        return not self.data["inputs"]

    @property
    def failures(self) -> list[str]:
        """Why inputs could not be read, a sentence for each."""
        return [f"{failure['path']}: {failure['message']}" for failure in self.data.get("unreadable") or []]

    def fails(self, least: str = "error") -> bool:
        """Whether the tool ends with 1 for it, if everything could be read: its ``--fail-on``.

        Findings that count do, expired suppressions, and crashes for which nothing was found.

        :param least: ``"error"``, ``"warning"``, ``"note"`` or ``"never"``.
        """
        if least == "never":
            return False
        failing = _SEVERITIES[: _SEVERITIES.index(least) + 1]
        data = self.data
        for finding in data["findings"]:
            # An ambiguous reading of a text does not.
            is_ambiguous = "crash" in finding and finding["confidence"] == "low"
            counts = not (finding["expected"] or finding["suppressed"] or is_ambiguous)
            if counts and finding["severity"] in failing:
                return True
        if any(outcome["severity"] in failing for outcome in data.get("suppressions") or []):
            return True
        explained = {finding.get("input", 0) for finding in data["findings"]}
        for crash in data.get("crashes") or []:
            count = crash.get("findings")
            if count == 0 or (count is None and crash["input"] not in explained):
                return True
        return any(entry.get("crash") or (entry["kind"] == "crash" and not entry.get("reports")) for entry in data["inputs"])

    def render(self, form: str) -> bytes:
        """The report in one of the tool's forms: ``text``, ``markdown``, ``sarif``, ``junit``, ``html`` and others.

        :raises UsageError: the tool does not know the form.
        """
        return self.render_all([form])[form]

    def render_all(self, forms: list[str] | tuple[str, ...], arguments: list[str] | None = None) -> dict[str, bytes]:
        """The report in several forms, with one call of the tool.

        :param forms: their names.
        :param arguments: further arguments of ``kvo-audit merge``.
        """
        with tempfile.TemporaryDirectory(prefix="kvo-audit-") as folder:
            Path(folder, "part.json").write_bytes(self.json)
            command = ["merge", "--fail-on", "never", *(arguments or ["--no-suppressions"])]
            for form in forms:
                command += ["--format", f"{form}={form}.report"]
            status, words = _tool.run([*command, "--", "part.json"], cwd=folder)
            if status not in (0, _tool.UNREADABLE_STATUS):
                raise _tool.error(status, words)
            # A report on nothing has no text.
            written = {form: Path(folder, f"{form}.report") for form in forms}
            return {form: path.read_bytes() if path.exists() else b"" for form, path in written.items()}

    def to_html(self, path: str | os.PathLike[str] | None = None) -> str:
        """The page of the report, which is also written to ``path`` if there is one."""
        page = self.render("html")
        if path is not None:
            Path(path).write_bytes(page)
        return page.decode()

    def to_parquet(self, folder: str | os.PathLike[str]) -> None:
        """Writes ``findings.parquet``, ``registrations.parquet`` and ``inputs.parquet`` into a folder."""
        target = Path(folder)
        target.mkdir(parents=True, exist_ok=True)
        for name in ("findings", "registrations", "inputs"):
            write_parquet(getattr(self, name), target / f"{name}.parquet")


def write_parquet(table: pa.Table, path: Path) -> None:
    """Writes a file, which appears when it is whole."""
    draft = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        pq.write_table(table, draft)
        draft.replace(path)
    finally:
        draft.unlink(missing_ok=True)
