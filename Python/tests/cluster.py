"""A standalone Spark cluster on loopback: a master and two workers with a core each."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import threading
from pathlib import Path

import pyspark

import kvo_audit.spark.job

HOST = "127.0.0.1"
LIGHT = "-XX:+UseSerialGC -XX:TieredStopAtLevel=1"


class Daemon:
    """A process of the cluster, which has written the line that says that it is ready."""

    def __init__(self, name: str, arguments: list[str], ready: str, environment: dict[str, str]) -> None:
        command = [str(Path(pyspark.__file__).parent / "bin" / "spark-class"), f"org.apache.spark.deploy.{name}"]
        self._process = subprocess.Popen(
            [*command, *arguments], env=environment, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True
        )
        self.pid = self._process.pid
        lines = []
        for line in self._process.stderr:
            lines.append(line)
            match = re.search(ready, line)
            if match:
                self.word = match[1]
                break
        else:
            raise RuntimeError(f"{name} did not start:\n{''.join(lines)}")
        # Somebody must read what it writes later.
        threading.Thread(target=self._process.stderr.read, daemon=True).start()

    def kill(self) -> None:
        """Kills it, and what it started."""
        for pid in [*reversed(descendants(self.pid)), self.pid]:
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
        self._process.wait()


def descendants(pid: int) -> list[int]:
    """The processes that a process started, and those that they started."""
    found = []
    for task in Path(f"/proc/{pid}/task").glob("*/children"):
        try:
            children = task.read_text().split()
        except (FileNotFoundError, ProcessLookupError):
            continue
        for child in children:
            found += [int(child), *descendants(int(child))]
    return found


class Cluster:
    def __init__(self, folder: Path, environment: dict[str, str]) -> None:
        self._folder = folder
        self._environment = {
            **os.environ,
            **environment,
            "SPARK_LOCAL_IP": HOST,
            "SPARK_MASTER_HOST": HOST,
            "SPARK_DAEMON_MEMORY": "256m",
            "PYSPARK_PYTHON": sys.executable,
            "PYTHONPATH": str(Path(kvo_audit.__file__).parent.parent),
        }
        self._master = Daemon(
            "master.Master",
            ["--host", HOST, "--port", "0", "--webui-port", "0"],
            r"Starting Spark master at (spark://\S+)",
            self._environment,
        )
        self.address = self._master.word
        self.workers: list[Daemon] = []
        for _ in range(2):
            self.add_worker()

    def add_worker(self) -> None:
        arguments = ["--host", HOST, "--cores", "1", "--memory", "1g", "--webui-port", "0"]
        arguments += ["--work-dir", str(self._folder / f"worker-{len(self.workers)}"), self.address]
        self.workers.append(
            Daemon("worker.Worker", arguments, r"Successfully registered with master (\S+)", self._environment)
        )

    def start(self, *arguments: str, program: str = kvo_audit.spark.job.__file__, **environment: str) -> subprocess.Popen[str]:
        """Starts the job, or another program, by ``spark-submit``."""
        submit = str(Path(pyspark.__file__).parent / "bin" / "spark-submit")
        options = {
            "spark.driver.host": HOST,
            "spark.driver.bindAddress": HOST,
            "spark.ui.enabled": "false",
            "spark.ui.showConsoleProgress": "false",
            "spark.executor.memory": "512m",
            "spark.driver.memory": "1g",
            "spark.sql.shuffle.partitions": "2",
            # A job of seconds: compiling less and one collector's thread halve what the start of Spark costs.
            "spark.driver.extraJavaOptions": LIGHT,
            "spark.executor.extraJavaOptions": LIGHT,
        }
        settings = [word for name, value in options.items() for word in ("--conf", f"{name}={value}")]
        for name, value in environment.items():
            settings += ["--conf", f"spark.executorEnv.{name}={value}"]
        return subprocess.Popen(
            [submit, "--master", self.address, *settings, program, *arguments],
            env=self._environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def stop(self) -> None:
        for daemon in [*self.workers, self._master]:
            daemon.kill()


def end(job: subprocess.Popen[str]) -> tuple[int, str]:
    """Waits for a job: its status, and what it wrote."""
    output, complaint = job.communicate(timeout=1800)
    return job.returncode, output + complaint
