"""Generates the logs of a fleet: versions of an app with faults of their own, on days and devices."""

from __future__ import annotations

import json
import random
from pathlib import Path

VERSIONS = ("1.0", "1.1", "2.0")
DAYS = ("2026-11-01", "2026-11-02", "2026-11-03")
SYSTEMS = ("iOS 16.4", "iOS 17.0")
SCREENS = ("Balance", "Orders", "Profile", "Settings")

# The fault that each version has on each screen: a screen that removes twice, or an object that is deallocated first.
FAULTS = {
    ("1.0", "Balance"): "twice",
    ("1.0", "Orders"): "deallocated",
    ("1.1", "Orders"): "deallocated",
    ("1.1", "Profile"): "twice",
    ("2.0", "Profile"): "twice",
}


def log(version: str, day: str, system: str, seed: int, visits: int = 8, says_version: bool = True) -> str:
    """A log as JSON Lines in which a user visits screens."""
    choice = random.Random(seed)
    lines: list[dict[str, object]] = []
    process = {"event": "process", "schema": 1, "pid": 1000 + seed, "runtime": "swift", "os": system}
    process |= {"started": f"{day}T08:00:00Z", "complete": True}
    if says_version:
        process["appVersion"] = version
    lines.append(process)
    lines.append({"event": "threadName", "thread": 1, "name": "main"})
    for visit in range(visits):
        lines += _visit(choice.choice(SCREENS), version, visit)
    lines.append({"event": "exit", "status": 0})
    return "".join(json.dumps(line, separators=(",", ":")) + "\n" for line in lines)


def _visit(screen: str, version: str, visit: int) -> list[dict[str, object]]:
    subject = {"class": f"{screen}Model", "id": str(visit * 2)}
    observer = {"class": f"{screen}Screen", "id": str(visit * 2 + 1)}
    pair = {"thread": 1, "subject": subject, "observer": observer, "keyPath": "state"}
    # Lines move from one version to the next.
    moved = VERSIONS.index(version) * 7

    def at(function: str, line: int) -> list[str]:
        file = f"{screen}.swift"
        return [f"{screen}Screen.{function} ({file}:{line + moved})", f"main (main.swift:{20 + moved})"]

    fault = FAULTS.get((version, screen))
    events = [{"event": "register", **pair, "registration": visit, "stack": at("init()", 12)}]
    events.append({"event": "registerEnd", "thread": 1, "registration": visit})
    if fault != "deallocated":
        events.append({"event": "remove", **pair, "registration": visit, "stack": at("close()", 30)})
    if fault == "twice":
        events.append({"event": "remove", **pair, "registration": None, "stack": at("deinit", 41)})
    for kind in ("deinit", "deinitEnd"):
        events.append({"event": kind, "thread": 1, "object": subject, "stack": at("drop()", 50)})
    return events


def write(folder: Path, count: int, visits: int = 8, days: tuple[str, ...] = DAYS) -> list[Path]:
    """Writes logs into ``folder/VERSION/DAY/device-N.jsonl``; every fifth one leaves the version to its path."""
    paths = []
    for number in range(count):
        version, day = VERSIONS[number % 3], days[number // 3 % len(days)]
        system = SYSTEMS[number // 9 % 2]
        path = folder / version / day / f"phone{number % 50:02}-{number}.jsonl"
        path.parent.mkdir(parents=True, exist_ok=True)
        # Some machines write more than others.
        length = visits * (1 + number % 4)
        path.write_text(log(version, day, system, number, length, says_version=number % 5 != 0))
        paths.append(path)
    return paths


PATTERN = "{version}/{day}/{device}-*.jsonl"
