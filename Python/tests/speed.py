"""Compares a cluster of two workers with one process of two threads: `python tests/speed.py FOLDER`.

    KVO_SPEED_LOGS=1000 KVO_SPEED_EVENTS=100000 KVO_SPEED_ROUNDS=3

FOLDER has the logs, which are generated if it has none. Each round runs one process, then the job; the start of Spark is
everything before its session has run a task on each worker.
"""

from __future__ import annotations

import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import fleet
from cluster import Cluster, end

from kvo_audit import _tool

COUNT, EVENTS, ROUNDS = (
    int(os.environ.get(f"KVO_SPEED_{name}", default)) for name, default in (("LOGS", 1000), ("EVENTS", 100_000), ("ROUNDS", 3))
)
# Logs of different devices, each of which is written this often.
DISTINCT = 20
# So many events are in a visit of a screen, on average.
VISIT_EVENTS = 4.99
PATTERN = "{version}/{day}/{device}-*.kvolog"


def write(folder: Path) -> int:
    """Writes binary logs: how many bytes."""
    if not folder.exists():
        for number in range(DISTINCT):
            version, day = fleet.VERSIONS[number % 3], fleet.DAYS[number // 3 % 3]
            text = fleet.log(version, day, fleet.SYSTEMS[number % 2], number, round(EVENTS / VISIT_EVENTS))
            path = folder / version / day / f"phone{number:02}-0.jsonl"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
            binary = path.with_suffix(".kvolog")
            subprocess.run([_tool.path(), "convert", path, "-o", binary], check=True)
            path.unlink()
            content = binary.read_bytes()
            for copy in range(1, len(range(number, COUNT, DISTINCT))):
                path.with_name(f"phone{number:02}-{copy}.kvolog").write_bytes(content)
    return sum(path.stat().st_size for path in folder.rglob("*.kvolog"))


def one_process(logs: Path, report: Path) -> float:
    start = time.monotonic()
    command = ["audit", "--jobs", "2", "--fail-on", "never", "--no-suppressions", "--no-limits", "--path-pattern", PATTERN]
    subprocess.run([_tool.path(), *command, "--format", f"json={report}", str(logs)], check=True)
    return time.monotonic() - start


# Runs the job, and prints how long it took after the start of Spark.
TIMED = """
import sys, time
from pyspark.sql import SparkSession
from kvo_audit.spark import job
spark = SparkSession.builder.appName("kvo-audit").getOrCreate()
spark.sparkContext.parallelize(range(2), 2).map(lambda number: time.sleep(0.2)).collect()
start = time.monotonic()
status = job.main()
print("AUDITED IN", time.monotonic() - start)
sys.exit(status)
"""


def main() -> None:
    folder = Path(sys.argv[1])
    logs = folder / "logs"
    size = write(logs)
    print(f"{COUNT} logs, {size / 1e6:.0f} MB", flush=True)
    script = folder / "timed.py"
    script.write_text(TIMED)
    cluster = Cluster(folder, {})
    ratios: dict[str, list[float]] = {"with the start": [], "without it": []}
    try:
        for number in range(ROUNDS):
            before = resource.getrusage(resource.RUSAGE_CHILDREN)
            alone = one_process(logs, folder / "report.json")
            after = resource.getrusage(resource.RUSAGE_CHILDREN)
            cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
            with tempfile.TemporaryDirectory(dir=folder) as output:
                start = time.monotonic()
                job = cluster.start(str(logs), "--output", output, "--path-pattern", PATTERN, program=str(script))
                status, said = end(job)
                whole = time.monotonic() - start
                assert status == 0, said
            inner = float(said.split("AUDITED IN ")[1].split()[0])
            ratios["with the start"].append(whole / alone)
            ratios["without it"].append(inner / alone)
            print(
                f"round {number + 1}: one process {alone:.1f} s ({cpu:.1f} s of CPU), cluster {whole:.1f} s, without the start of "
                f"Spark {inner:.1f} s; load {os.getloadavg()[0]:.1f}",
                flush=True,
            )
    finally:
        cluster.stop()
    for name, values in ratios.items():
        print(f"{name}: {statistics.median(values):.2f} ({min(values):.2f} to {max(values):.2f}) times one process")


if __name__ == "__main__":
    main()
