"""The job: lists, audits, merges, writes."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.parquet as pq

from .. import _tables
from .._audit import PathLike, audit_arguments, merge, triage_arguments
from .._errors import InputError, UsageError
from .._report import Report
from ._inputs import LogFile, Storage, list_files, tasks
from ._output import Output
from ._partitions import partitions
from ._tasks import Limits, Log, audit_task, merge_all, merge_packed, pack, unpack, without_findings

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

#: The inputs of a job, with what tells whether a log has changed since.
INPUTS = _tables.INPUTS.append(pa.field("log", pa.string(), False)).append(pa.field("size", pa.int64())).append(
    pa.field("modified", pa.int64())
)

_FORMS = {
    "text": "report.txt",
    "markdown": "report.md",
    "sarif": "report.sarif",
    "junit": "junit.xml",
    "html": "report.html",
    "gitlab": "gitlab.json",
    "github": "annotations.txt",
}


@dataclass(frozen=True)
class SparkAudit:
    """What a job did."""

    #: The report on all logs of the output.
    report: Report
    #: How many logs were audited now.
    audited: int
    #: How many logs the output had before.
    known: int
    #: The logs that were set aside: the tool crashed of them, or they took too much time or memory.
    set_aside: list[str]


def audit(
    spark: SparkSession,
    logs: str | Iterable[str],
    *,
    output: str,
    profile: str | None = None,
    suppressions: PathLike | Iterable[PathLike] = (),
    baseline: PathLike | None = None,
    path_pattern: str | None = None,
    app_modules: Iterable[str] = (),
    dsyms: Iterable[PathLike] = (),
    symbols: PathLike | None = None,
    leaks_at_exit: bool = False,
    today: str | None = None,
    timeout: float | None = 3600,
    memory: int | None = None,
    task_count: int | None = None,
    fetch: bool = False,
    rebuild: bool = False,
    break_lock: bool = False,
) -> SparkAudit:
    """Audits logs on a cluster, and adds what is found to an output.

    Logs that the output has are not audited again, so that a job may run twice, and a day may be added. The report is
    that of one process over all logs, byte for byte.

    :param spark: the session; each worker needs this package.
    :param logs: folders, files and patterns, ``s3a://bucket/logs/**/*.kvolog``. Folders of local disks must be the same
        on all machines.
    :param output: a folder for the tables and the reports, on any file system that Spark can write to.
    :param profile: as of :func:`kvo_audit.audit`, and so are the parameters up to ``today``. Each worker opens the files
        of ``dsyms`` and ``symbols``.
    :param timeout: the seconds that one call of the tool may take; the log that takes longer is set aside.
    :param memory: the bytes of data that one call of the tool may have, likewise.
    :param task_count: the least number of tasks; None: four for each core.
    :param fetch: copy local files, too, before they are read, as those of other file systems are.
    :param rebuild: audit all ``logs``, and replace what the output has.
    :param break_lock: take the output from a job that ended without giving it back.
    :returns: what was done.
    :raises OutputBusy: another job writes into the output.
    :raises FileNotFoundError: there are no logs at one of ``logs``.
    :raises InputError: a log has changed since an earlier job read it, or ``suppressions`` cannot be used.
    :raises UsageError: an argument is wrong, or not that of the earlier job.
    """
    addresses = [logs] if isinstance(logs, str) else list(logs)
    arguments = audit_arguments(profile, path_pattern, app_modules, dsyms, symbols, leaks_at_exit)
    known_issues = {"suppressions": suppressions, "baseline": baseline, "today": today}
    # What is wrong with an argument shows before anything is read.
    merge([Report(merge_all([]))], **known_issues)
    target = Output(spark, output)
    target.acquire(break_lock)
    try:
        files = list_files(addresses, _settings(spark))
        earlier = None if rebuild else _Earlier.read(spark, target, arguments)
        fresh, known = _split(files, earlier)
        job = _Job(spark, arguments, Limits(timeout, memory), fetch, task_count)
        report = job.run(fresh, earlier, target)
        final = merge([report], **known_issues)
        _write_tables(target, final)
        _write_reports(target, final, report, triage_arguments(suppressions, baseline, today))
        target.write(target.draft_name("_audit/state/merged.json"), report.json)
        target.write(target.draft_name("_audit/state/options.json"), json.dumps(arguments).encode())
        target.commit()
    finally:
        target.release()
    set_aside = [row["path"] for row in _tables.inputs(final.data) if row["state"] == _tables.SET_ASIDE]
    return SparkAudit(final, len({file.base for _, file in fresh}), known, set_aside)


def _settings(spark: SparkSession) -> dict[str, str]:
    """Hadoop's settings that concern S3."""
    configuration = spark.sparkContext._jsc.hadoopConfiguration()
    names = ("access.key", "secret.key", "session.token", "endpoint.region", "endpoint", "connection.ssl.enabled")
    found = {f"fs.s3a.{name}": configuration.get(f"fs.s3a.{name}") for name in names}
    return {name: value for name, value in found.items() if value is not None}


@dataclass
class _Earlier:
    """What earlier jobs put into the output."""

    report: dict[str, Any]
    inputs: DataFrame
    #: The size and the time of each log.
    logs: dict[str, tuple[int, int]]
    #: The logs that were set aside; they are tried again.
    set_aside: set[str]

    @classmethod
    def read(cls, spark: SparkSession, target: Output, arguments: list[str]) -> _Earlier | None:
        merged = target.read("_audit/state/merged.json")
        if merged is None:
            return None
        options = json.loads(target.read("_audit/state/options.json") or b"[]")
        if options != arguments:
            raise UsageError(
                f"{target.address}: earlier logs were audited with {' '.join(options) or 'no options'}, and these would be "
                f"with {' '.join(arguments) or 'none'}; use another output, or rebuild it (--rebuild)"
            )
        inputs = spark.read.parquet(f"{target.address}/inputs").select(*INPUTS.names)
        rows = inputs.select("log", "size", "modified", "state").collect()
        return cls(
            json.loads(merged),
            inputs,
            {row.log: (row.size, row.modified) for row in rows},
            {row.log for row in rows if row.state == _tables.SET_ASIDE},
        )

    def without(self, names: set[str]) -> bytes:
        """The report without what it says of the logs ``names``, which were set aside."""
        value = dict(self.report)
        value["unreadable"] = [entry for entry in value["unreadable"] if LogFile(entry["path"], 0, 0).base not in names]
        return json.dumps(value, ensure_ascii=False).encode()


def _marks(files: Iterable[tuple[Storage, LogFile]]) -> dict[str, tuple[int, int]]:
    """The size and the time of each log, with all its parts."""
    marks: dict[str, tuple[int, int]] = {}
    for _, file in files:
        size, modified = marks.get(file.base, (0, 0))
        marks[file.base] = (size + file.size, max(modified, file.modified))
    return marks


def _split(
    files: list[tuple[Storage, LogFile]],
    earlier: _Earlier | None,
) -> tuple[list[tuple[Storage, LogFile]], int]:
    """The files that are to be audited, and how many logs are known already."""
    if earlier is None:
        return files, 0
    changed = sorted(
        log
        for log, mark in _marks(files).items()
        if log not in earlier.set_aside and earlier.logs.get(log, mark) != mark
    )
    if changed:
        more = f" and {len(changed) - 1} more" if len(changed) > 1 else ""
        raise InputError(
            f"{changed[0]}{more}: changed since an earlier job read it; rebuild the output (--rebuild) from all logs"
        )
    known = earlier.logs.keys() - earlier.set_aside
    return [(place, file) for place, file in files if file.base not in known], len(known)


@dataclass
class _Job:
    spark: SparkSession
    arguments: list[str]
    limits: Limits
    fetches: bool
    task_count: int | None

    def run(
        self,
        files: list[tuple[Storage, LogFile]],
        earlier: _Earlier | None,
        target: Output,
    ) -> Report:
        """Audits ``files``, and writes the table of inputs: the report on them and on earlier ones."""
        from pyspark import StorageLevel

        context = self.spark.sparkContext
        work = tasks(files, self.task_count or context.defaultParallelism * 4)
        arguments, limits, fetches = self.arguments, self.limits, self.fetches
        marks = _marks(files)

        def run(logs: list[Log]) -> bytes:
            return pack(audit_task(logs, arguments, limits, fetches))

        def rows(report: bytes) -> bytes:
            return _written([_marked(row, marks) for row in _tables.inputs(without_findings(unpack(report)))])

        reports = [] if earlier is None else [earlier.without(set(marks) & earlier.set_aside)]
        new = INPUTS.empty_table()
        if work:
            # An element is a task, and the largest is the first.
            parts = context.parallelize(work, len(work)).map(run).persist(StorageLevel.MEMORY_AND_DISK)
            # Everything is audited once, and kept until the inputs are known, too.
            reports.append(unpack(parts.treeReduce(lambda left, right: merge_packed([left, right]))))
            new = pa.concat_tables([_read(part) for part in parts.map(rows).collect()])
            parts.unpersist()
        if earlier is None:
            _write_table(target, "inputs", new)
        else:
            frame = self.spark.createDataFrame(new, _spark_schema(self.spark, INPUTS))
            inputs = _without(self.spark, earlier, set(marks)).unionByName(frame)
            _write_frame(inputs, target.draft("inputs"))
        return Report(merge_all(reports))


def _written(rows: list[dict[str, Any]]) -> bytes:
    """Rows of the table of inputs, for the driver."""
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, INPUTS) as stream:
        stream.write_table(pa.Table.from_pylist(rows, INPUTS))
    return sink.getvalue().to_pybytes()


def _read(rows: bytes) -> pa.Table:
    with pa.ipc.open_stream(rows) as stream:
        return stream.read_all()


def _marked(row: dict[str, Any], marks: dict[str, tuple[int, int]]) -> dict[str, Any]:
    log = LogFile(row["path"], 0, 0).base
    size, modified = marks.get(log, (None, None))
    return {**row, "log": log, "size": size, "modified": modified}


def _without(spark: SparkSession, earlier: _Earlier, names: set[str]) -> DataFrame:
    """The earlier inputs without those that are tried again."""
    again = sorted(names & earlier.set_aside)
    if not again:
        return earlier.inputs
    return earlier.inputs.join(spark.createDataFrame([(name,) for name in again], "log string"), "log", "left_anti").select(
        *INPUTS.names
    )


def _spark_schema(spark: SparkSession, schema: pa.Schema) -> Any:
    from pyspark.sql.pandas.types import from_arrow_schema

    return from_arrow_schema(schema)


def _write_frame(frame: DataFrame, address: str) -> None:
    """Writes a table that has rows as :func:`_write_table` does, on the workers."""
    from pyspark.sql import functions as f

    named = frame.withColumn("by_day", f.col("day").cast("string")).withColumn(
        "by_version", f.concat(f.lit("v"), f.col("app_version"))
    )
    named.repartition("by_day", "by_version").write.partitionBy("by_day", "by_version").parquet(address)


def _write_table(target: Output, name: str, table: pa.Table) -> None:
    """Writes a table in folders by day and app version.

    By Arrow, on the driver, which has the rows anyway: the first table that a session writes takes Spark seconds.
    """
    for folder, rows in partitions(table):
        sink = pa.BufferOutputStream()
        pq.write_table(rows, sink)
        target.write(target.draft_name(f"{name}/{folder}part-0.parquet"), sink.getvalue().to_pybytes())


def _write_tables(target: Output, report: Report) -> None:
    for name, table in (("findings", report.findings), ("registrations", report.registrations)):
        _write_table(target, name, table)


def _write_reports(target: Output, final: Report, report: Report, triage: list[str]) -> None:
    target.write(target.draft_name("reports/report.json"), final.json)
    for form, content in report.render_all(list(_FORMS), triage).items():
        target.write(target.draft_name(f"reports/{_FORMS[form]}"), content)
