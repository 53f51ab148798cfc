"""The folders of tables."""

from __future__ import annotations

import datetime

import pyarrow as pa

import kvo_audit
from kvo_audit.spark._partitions import partitions

DAY = datetime.date(2026, 11, 1)


def test_each_day_and_version_has_a_folder_and_rows_keep_their_order():
    rows = [
        {"path": "a", "state": "read", "day": DAY, "app_version": "1.10"},
        {"path": "b", "state": "read", "day": None, "app_version": "1.10"},
        {"path": "c", "state": "read", "day": DAY, "app_version": None},
        {"path": "d", "state": "read", "day": DAY, "app_version": "2:0/x y"},
        {"path": "e", "state": "read", "day": DAY, "app_version": "1.10"},
        {"path": "f", "state": "read", "day": DAY, "app_version": ""},
    ]
    table = pa.Table.from_pylist(rows, kvo_audit.INPUTS)
    found = {folder: part["path"].to_pylist() for folder, part in partitions(table)}
    null = "__HIVE_DEFAULT_PARTITION__"
    assert found == {
        f"by_day={null}/by_version=v1.10/": ["b"],
        f"by_day=2026-11-01/by_version={null}/": ["c"],
        "by_day=2026-11-01/by_version=v/": ["f"],
        "by_day=2026-11-01/by_version=v1.10/": ["a", "e"],
        "by_day=2026-11-01/by_version=v2%3A0%2Fx y/": ["d"],
    }
    assert all(part.schema.equals(kvo_audit.INPUTS) for _, part in partitions(table))


def test_a_table_without_rows_has_a_file_with_its_columns():
    [(folder, part)] = partitions(kvo_audit.FINDINGS.empty_table())
    assert (folder, part.num_rows) == ("", 0)
    assert part.column_names == [*kvo_audit.FINDINGS.names, "by_day", "by_version"]
