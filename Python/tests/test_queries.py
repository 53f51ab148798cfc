"""The queries of Documentation/Fleet.md, in DuckDB and in Spark SQL."""

from __future__ import annotations

import collections
import os
import re
from pathlib import Path

import duckdb
import fleet
import pytest

import kvo_audit

GUIDE = Path(__file__).parents[2] / "Documentation" / "Fleet.md"


def queries():
    return [query.strip().rstrip(";") for query in re.findall(r"```sql\n(.*?)```", GUIDE.read_text(), re.S)]


@pytest.fixture(scope="module")
def report(tmp_path_factory):
    logs = tmp_path_factory.mktemp("fleet") / "logs"
    fleet.write(logs, 45)
    return kvo_audit.audit(logs, path_pattern=fleet.PATTERN)


@pytest.fixture(scope="module")
def answers(report):
    """The answers of DuckDB, as lists of rows."""
    connection = duckdb.connect()
    for name in ("findings", "registrations", "inputs"):
        connection.register(name, getattr(report, name))
    return [connection.sql(query).fetchall() for query in queries()]


def test_there_are_five():
    assert len(queries()) == 5


def test_new_signatures_are_those_whose_fault_a_version_began(report, answers):
    classes = {row["signature"]: row["class"] for row in report.findings.to_pylist()}
    new = [(version, classes[signature]) for version, signature, _ in answers[0]]
    assert sorted(new) == [("1.0", "BalanceModel"), ("1.0", "OrdersModel"), ("1.1", "ProfileModel")]


def test_the_worst_classes_are_those_of_the_last_version(report, answers):
    count = sum(row["count"] for row in report.findings.to_pylist() if row["app_version"] == "2.0")
    assert answers[1] == [("ProfileModel", count, 1)]


def test_registrations_of_screens_are_counted_by_day(report, answers):
    made = collections.Counter()
    for row in report.registrations.to_pylist():
        made[row["observer_class"], row["day"]] += row["made"]
    assert {(screen, day): count for screen, day, count, _ in answers[2]} == made
    assert len(answers[2]) == len(fleet.SCREENS) * len(fleet.DAYS)


def test_the_history_of_a_signature_is_that_of_its_sightings(report, answers):
    [finding] = [finding for finding in report.data["findings"] if finding["signature"].startswith("2:94961ebd")]
    history = collections.Counter()
    for sighting in finding["sightings"]:
        history[sighting["day"], sighting["version"]] += sighting["count"]
    assert {(str(day), version): count for day, version, count, _ in answers[3]} == history
    assert {version for _, version, _, _ in answers[3]} == {"1.0", "1.1"}


def test_a_version_has_fixed_what_it_no_longer_has(report, answers):
    classes = {row["signature"]: row["class"] for row in report.findings.to_pylist()}
    fixed = [(classes[signature], last, version) for signature, last, version in answers[4]]
    assert sorted(fixed) == [("BalanceModel", "1.0", "1.1"), ("OrdersModel", "1.1", "2.0")]


@pytest.mark.skipif("KVO_FLEET_LOGS" not in os.environ, reason="the long form: make fleet")
def test_spark_answers_as_duckdb_does(report, answers, tmp_path):
    sql = pytest.importorskip("pyspark.sql")
    report.to_parquet(tmp_path)
    spark = (
        sql.SparkSession.builder.master("local[1]")
        .config("spark.driver.host", "127.0.0.1")
        .config("spark.driver.bindAddress", "127.0.0.1")
        .config("spark.ui.enabled", "false")
        .config("spark.sql.shuffle.partitions", "1")
        .getOrCreate()
    )
    try:
        for name in ("findings", "registrations", "inputs"):
            spark.read.parquet(str(tmp_path / f"{name}.parquet")).createOrReplaceTempView(name)
        assert [[tuple(row) for row in spark.sql(query).collect()] for query in queries()] == answers
        counts = spark.sql("SELECT signature, sum(count) FROM findings WHERE parent IS NULL GROUP BY signature").collect()
        assert dict(map(tuple, counts)) == {finding["signature"]: finding["count"] for finding in report.data["findings"]}
    finally:
        spark.stop()
