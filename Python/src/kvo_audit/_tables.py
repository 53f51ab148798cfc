"""The tables of a report, and their schemas."""

from __future__ import annotations

import datetime
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import pyarrow as pa


def _field(name: str, kind: pa.DataType, meaning: str, nullable: bool = True) -> pa.Field:
    return pa.field(name, kind, nullable=nullable, metadata={"meaning": meaning})


#: A row for each finding and each app version, system and day of the logs that have it. The sum of a count over the
#: rows of a signature and parent is that of the report.
FINDINGS = pa.schema(
    [
        _field("signature", pa.string(), "the identity of the finding", nullable=False),
        _field("parent", pa.string(), "the signature of the finding that it follows from; null: it follows from none"),
        _field("rule", pa.string(), "KVO001", nullable=False),
        _field("name", pa.string(), "double-remove", nullable=False),
        _field("severity", pa.string(), "error, warning or note", nullable=False),
        _field("consequence", pa.string(), "contained, crash, wrong, leak, hang, none or unknown", nullable=False),
        _field("confidence", pa.string(), "high or low", nullable=False),
        _field("class", pa.string(), "the class of the observed object"),
        _field("observer_class", pa.string(), "the class of the observer"),
        _field("key_path", pa.string(), "the observed key path"),
        _field("frame_function", pa.string(), "the first own frame of the failed call, or the first one"),
        _field("frame_file", pa.string(), "its file"),
        _field("frame_line", pa.int64(), "its line"),
        _field("message", pa.string(), "the sentence of the first occurrence", nullable=False),
        _field("count", pa.int64(), "how often it happened", nullable=False),
        _field("processes", pa.int64(), "in how many processes", nullable=False),
        _field("runs", pa.int64(), "in how many logs or crash reports", nullable=False),
        _field("app_version", pa.string(), "the version of the app"),
        _field("os", pa.string(), "the system's name and version"),
        _field("day", pa.date32(), "the day on which the logs began"),
        _field("first_seen", pa.date32(), "the first day on which the report has the finding"),
        _field("last_seen", pa.date32(), "the last one"),
        _field("suppressed", pa.bool_(), "whether it is a known issue", nullable=False),
        _field("library", pa.bool_(), "whether only libraries made the calls", nullable=False),
        _field("expected", pa.bool_(), "whether a test expects it, so that it does not count", nullable=False),
    ]
)

#: A row for each call site that registers, and each app version, system and day of the logs.
REGISTRATIONS = pa.schema(
    [
        _field("class", pa.string(), "the class of the observed objects", nullable=False),
        _field("observer_class", pa.string(), "the class of the observers; null: a closure without one"),
        _field("key_path", pa.string(), "the observed key path", nullable=False),
        _field("place", pa.string(), "Screen.swift:12, a function or an address"),
        _field("made", pa.int64(), "how many were made", nullable=False),
        _field("live", pa.int64(), "how many were live at the ends of the processes", nullable=False),
        _field("app_version", pa.string(), "the version of the app"),
        _field("os", pa.string(), "the system's name and version"),
        _field("day", pa.date32(), "the day on which the logs began"),
    ]
)

#: A row for each input.
INPUTS = pa.schema(
    [
        _field("path", pa.string(), "the path or the address", nullable=False),
        _field("state", pa.string(), "read, damaged, cut, unreadable or set aside", nullable=False),
        _field("reason", pa.string(), "why it is not read as a whole"),
        _field("kind", pa.string(), "kvolog, jsonl, crash, ips or console"),
        _field("events", pa.int64(), "how many events it has"),
        _field("processes", pa.int64(), "how many processes it is of"),
        _field("ended", pa.string(), "how the last of them ended: exit, crash, stopped, kept or open"),
        _field("app_version", pa.string(), "the version of the app"),
        _field("device", pa.string(), "the device"),
        _field("os", pa.string(), "the system's name and version"),
        _field("day", pa.date32(), "the day on which it began"),
    ]
)

READ, DAMAGED, CUT, UNREADABLE, SET_ASIDE = "read", "damaged", "cut", "unreadable", "set aside"


def findings(report: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """The rows of :data:`FINDINGS`."""
    for finding in report["findings"]:
        yield from _finding(finding, None)


def _finding(finding: Mapping[str, Any], parent: str | None) -> Iterator[dict[str, Any]]:
    # A report without origins counts as one of an unknown origin.
    sightings = finding.get("sightings") or [finding]
    days = sorted(day for sighting in sightings if (day := sighting.get("day")))
    frame = _first_own_frame(finding)
    same = {
        "signature": finding["signature"],
        "parent": parent,
        "rule": finding["code"],
        "name": finding["slug"],
        "severity": finding["severity"],
        "consequence": finding["consequence"],
        "confidence": finding["confidence"],
        "class": (finding["subject"] or {}).get("class"),
        "observer_class": (finding["observer"] or {}).get("class"),
        "key_path": finding["keyPath"],
        "frame_function": frame.get("symbol"),
        "frame_file": frame.get("file"),
        "frame_line": frame.get("line"),
        "message": finding["message"],
        "first_seen": _day(days[0]) if days else None,
        "last_seen": _day(days[-1]) if days else None,
        "suppressed": finding["suppressed"],
        "library": finding.get("library", False),
        "expected": finding["expected"],
    }
    for sighting in sightings:
        counts = {key: sighting.get(key, 1) for key in ("count", "processes", "runs")}
        yield {**same, **counts, **_origin(sighting)}
    for consequence in finding["consequences"]:
        yield from _finding(consequence, finding["signature"])


def _first_own_frame(finding: Mapping[str, Any]) -> Mapping[str, Any]:
    for stack in finding["stacks"][:1]:
        frames = stack["frames"]
        own = next((frame for frame in frames if frame.get("own")), None)
        return own or next(iter(frames), {})
    return {}


def registrations(report: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """The rows of :data:`REGISTRATIONS`."""
    for row in report.get("registrations") or []:
        yield {
            "class": row["class"],
            "observer_class": row["observer"],
            "key_path": row["keyPath"],
            "place": row["place"],
            "made": row["made"],
            "live": row["live"],
            **_origin(row),
        }


def inputs(report: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """The rows of :data:`INPUTS`: those that were read, then the others."""
    for entry in report["inputs"]:
        origin = entry.get("origin") or {}
        state, reason = _state(entry)
        yield {
            "path": entry["path"],
            "state": state,
            "reason": reason,
            "kind": entry["kind"],
            "events": entry["events"],
            "processes": len(entry.get("ended") or []),
            "ended": next(iter(reversed(entry.get("ended") or [])), None),
            "device": origin.get("device"),
            **_origin(origin),
        }
    for failure in report.get("unreadable") or []:
        row: dict[str, Any] = dict.fromkeys(INPUTS.names)
        is_aside = failure["message"].startswith(SET_ASIDE)
        yield {
            **row,
            "path": failure["path"],
            "state": SET_ASIDE if is_aside else UNREADABLE,
            "reason": failure["message"],
        }


def _state(entry: Mapping[str, Any]) -> tuple[str, str | None]:
    if entry["cutAt"] is not None:
        return CUT, f"ends in the middle of the log, after {entry['cutAt']} bytes"
    count = entry["damagedCount"]
    if count:
        first = entry["damaged"][0]["message"] if entry["damaged"] else "damaged"
        return DAMAGED, first if count == 1 else f"{first}, and {count - 1} more"
    return READ, None


def _origin(row: Mapping[str, Any]) -> dict[str, Any]:
    day = row.get("day")
    return {"app_version": row.get("version"), "os": row.get("os"), "day": _day(day) if day else None}


def _day(text: str) -> datetime.date:
    return datetime.date.fromisoformat(text)


def table(rows: Iterable[Mapping[str, Any]], schema: pa.Schema) -> pa.Table:
    """A table of ``rows``."""
    columns: dict[str, list[Any]] = {name: [] for name in schema.names}
    for row in rows:
        for name, column in columns.items():
            column.append(row[name])
    return pa.Table.from_pydict(columns, schema=schema)
