"""Divides a table by day and app version, into the folders that Spark would give them."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pyarrow as pa

# What Spark writes for a value that is null, and the characters that it escapes in others.
_NULL = "__HIVE_DEFAULT_PARTITION__"
_ESCAPED = re.compile(r"""[\x00-\x1f"#%'*/:=?\\\x7f{\[\]^]""")


def partitions(table: pa.Table) -> Iterator[tuple[str, pa.Table]]:
    """The rows of each day and version, with their folder, such as ``by_day=2026-11-01/by_version=v2.4.1/``.

    The columns ``day`` and ``app_version`` stay in the tables: readers would take the version 1.10 in a folder's name for
    the number 1.1. A table without rows is in no folder.
    """
    if table.num_rows == 0:
        # Without a file there would be nothing that says which columns there are.
        names = pa.nulls(0, pa.string())
        yield "", table.append_column("by_day", names).append_column("by_version", names)
        return
    keys = list(zip(table["day"].to_pylist(), table["app_version"].to_pylist(), strict=True))
    order = sorted(range(len(keys)), key=lambda row: [(value is not None, value and str(value)) for value in keys[row]])
    ordered = table.take(order)
    start = 0
    for end in range(1, len(order) + 1):
        if end < len(order) and keys[order[end]] == keys[order[start]]:
            continue
        day, version = keys[order[start]]
        by_day = None if day is None else str(day)
        by_version = None if version is None else f"v{version}"
        folder = f"by_day={_name(by_day)}/by_version={_name(by_version)}/"
        yield folder, ordered.slice(start, end - start)
        start = end


def _name(value: str | None) -> str:
    return _NULL if value is None else _ESCAPED.sub(lambda match: f"%{ord(match[0]):02X}", value)
