"""A job for ``spark-submit``: audits logs on a cluster.

    spark-submit --master spark://… job.py s3a://bucket/logs/ --output s3a://bucket/audit
"""

from __future__ import annotations

import argparse
import re
import sys

from pyspark.sql import SparkSession

from kvo_audit import AuditError
from kvo_audit.spark import OutputBusy, audit


def main(arguments: list[str] | None = None) -> int:
    """Runs the job: 0, or 1 if there are findings that fail it, 64, 65 or 75 (another job has the output)."""
    options = _parser().parse_args(arguments)
    spark = SparkSession.builder.appName("kvo-audit").getOrCreate()
    try:
        done = audit(
            spark,
            options.logs,
            output=options.output,
            profile=options.profile,
            suppressions=options.suppressions,
            baseline=options.baseline,
            path_pattern=options.path_pattern,
            app_modules=options.app_module,
            dsyms=options.dsym,
            symbols=options.symbols,
            leaks_at_exit=options.leaks_at_exit,
            today=options.today,
            timeout=options.timeout,
            memory=options.memory,
            task_count=options.tasks,
            fetch=options.fetch,
            rebuild=options.rebuild,
            break_lock=options.break_lock,
        )
    except OutputBusy as error:
        print(f"kvo-audit: {error}", file=sys.stderr)
        return 75
    except (AuditError, FileNotFoundError) as error:
        print(f"kvo-audit: {error}", file=sys.stderr)
        return {"UsageError": 64}.get(type(error).__name__, 65)
    finally:
        spark.stop()
    for path in done.set_aside:
        print(f"kvo-audit: {path}: set aside", file=sys.stderr)
    print(f"{done.report!r}: {done.audited} logs audited, {done.known} known before")
    return 1 if done.report.fails(options.fail_on) else 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="job.py", description="Audits logs of key-value observing on a Spark cluster.")
    parser.add_argument("logs", nargs="+", help="folders, files and patterns, such as s3a://bucket/logs/**/*.kvolog")
    parser.add_argument("--output", required=True, help="the folder of the tables and reports")
    parser.add_argument("--path-pattern", help="'{version}/{day}/{device}-*.kvolog'")
    parser.add_argument("--profile", help="the runtime to judge as")
    parser.add_argument("--suppressions", action="append", default=[], help="a file of known issues (repeatable)")
    parser.add_argument("--baseline", help="a JSON report to compare with")
    parser.add_argument("--app-module", action="append", default=[], help="a module of your own code (repeatable)")
    parser.add_argument("--dsym", action="append", default=[], help="a file or folder with debug information (repeatable)")
    parser.add_argument("--symbols", help="a symbol store, which kvo-audit symbols add fills; on every worker")
    parser.add_argument("--leaks-at-exit", action="store_true", help="count what is registered at an exit as leaked")
    parser.add_argument("--today", help="the day by which suppressions expire")
    parser.add_argument("--timeout", type=float, default=3600, help="seconds that one call of the tool may take")
    parser.add_argument("--memory", type=_bytes, help="data that it may have, such as 2G")
    parser.add_argument("--tasks", type=int, help="the least number of tasks")
    parser.add_argument("--fetch", action="store_true", help="copy local files, too")
    parser.add_argument("--rebuild", action="store_true", help="replace what the output has")
    parser.add_argument("--break-lock", action="store_true", help="take the output from a job that is no more")
    parser.add_argument("--fail-on", choices=["error", "warning", "note", "never"], default="never", help="end with 1")
    return parser


def _bytes(text: str) -> int:
    match = re.fullmatch(r"([0-9]+)([KMG]?)", text)
    if not match:
        raise argparse.ArgumentTypeError(f"{text}: a number of bytes, such as 512M or 2G")
    return int(match[1]) << {"": 0, "K": 10, "M": 20, "G": 30}[match[2]]


if __name__ == "__main__":
    sys.exit(main())
