"""The output of a job: tables, reports, and what the next job needs to know.

    findings/  registrations/  inputs/     Parquet, in folders by_day=…/by_version=…
    reports/                               the report in each form
    _audit/                                lock, the merged report, and what is not yet in its place

A job owns the output by a lock. It writes everything into a folder of its own, and puts that in place at its end. From
the moment at which ``_audit/commit`` names its folder, the work is done: a job that finds that file completes it.
"""

from __future__ import annotations

import json
import os
import re
import socket
import uuid
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

TABLES = ("findings", "registrations", "inputs")
_PARTS = (*TABLES, "reports", "_audit/state")
# What is passed to the virtual machine at a time, which needs several times as much for it.
_PIECE = 4 << 20


class OutputBusy(Exception):
    """Another job writes into the output."""


class Output:
    """An output folder, on any file system that Hadoop knows, while a job owns it."""

    def __init__(self, spark: SparkSession, address: str) -> None:
        self._jvm: Any = spark.sparkContext._jvm
        self.address = address.rstrip("/")
        self._path = self._jvm.org.apache.hadoop.fs.Path
        configuration = spark.sparkContext._jsc.hadoopConfiguration()
        self._files = self._path(self.address).getFileSystem(configuration)
        # A folder without a scheme is on the driver's disk if Spark's default file system is.
        self._local = self._path(self._files.makeQualified(self._path(self.address)).toString()).toUri().getPath()
        self._is_local = self._files.getScheme() == "file"
        self.run = uuid.uuid4().hex
        self._owner = json.dumps({"run": self.run, "host": socket.gethostname(), "pid": os.getpid()})

    # MARK: Files

    def _at(self, name: str) -> Any:
        return self._path(f"{self.address}/{name}")

    def exists(self, name: str) -> bool:
        """Whether there is a file or a folder."""
        return self._files.exists(self._at(name))

    def read(self, name: str) -> bytes | None:
        """The content of a file, or None if there is none."""
        if not self.exists(name):
            return None
        size = self._files.getFileStatus(self._at(name)).getLen()
        stream = self._files.open(self._at(name))
        try:
            content = bytearray()
            while len(content) < size:
                count = min(size - len(content), _PIECE)
                content += self._jvm.org.apache.commons.io.IOUtils.toByteArray(stream, count)
            return bytes(content)
        finally:
            stream.close()

    def write(self, name: str, content: bytes) -> None:
        """Writes a file, and its folders."""
        stream = self._files.create(self._at(name), True)
        try:
            for start in range(0, len(content), _PIECE):
                stream.write(content[start : start + _PIECE])
        finally:
            stream.close()

    # MARK: Owning

    def acquire(self, breaks_lock: bool = False) -> None:
        """Takes the lock, and completes what an earlier job has decided.

        :raises OutputBusy: another job has it.
        """
        self._files.mkdirs(self._at("_audit"))
        if breaks_lock or self._is_abandoned():
            self._files.delete(self._at("_audit/lock"), False)
        if not self._create_lock():
            raise OutputBusy(self._busy())
        try:
            self._check()
            self._complete()
        except BaseException:
            self.release()
            raise

    def _create_lock(self) -> bool:
        if self._is_local:
            # Hadoop's local file system looks and creates in two steps.
            try:
                descriptor = os.open(f"{self._local}/_audit/lock", os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o644)
            except FileExistsError:
                return False
            with os.fdopen(descriptor, "w") as file:
                file.write(self._owner)
            return True
        try:
            stream = self._files.create(self._at("_audit/lock"), False)
        except Exception as error:
            if "AlreadyExists" in str(error):
                return False
            raise
        try:
            stream.write(self._owner.encode())
        finally:
            stream.close()
        return True

    def _holder(self) -> dict[str, Any] | None:
        try:
            return json.loads(self.read("_audit/lock") or b"")
        except ValueError:
            return None

    def _is_abandoned(self) -> bool:
        """Whether the job that has the lock was on this machine, and is no more."""
        holder = self._holder()
        if holder is None or holder.get("host") != socket.gethostname():
            return False
        try:
            os.kill(int(holder["pid"]), 0)
        except ProcessLookupError:
            return True
        except (PermissionError, ValueError, KeyError):
            return False
        return False

    def _check(self) -> None:
        """Ends a job whose lock another one has, as object stores let happen."""
        if (self._holder() or {}).get("run") != self.run:
            raise OutputBusy(self._busy())

    def _busy(self) -> str:
        holder = self._holder() or {}
        return (
            f"{self.address}: the job {holder.get('run', '?')} on {holder.get('host', '?')} writes here; if it is no "
            "more, break its lock (--break-lock)"
        )

    def release(self) -> None:
        """Gives the lock back, and removes what is not to be put in place."""
        if self.read("_audit/commit") != self.run.encode():
            self._files.delete(self._at(f"_audit/{self.run}"), True)
        if (self._holder() or {}).get("run") == self.run:
            self._files.delete(self._at("_audit/lock"), False)

    # MARK: Putting in place

    def draft(self, name: str) -> str:
        """The address of a table or a file before it is in its place."""
        return f"{self.address}/{self.draft_name(name)}"

    def draft_name(self, name: str) -> str:
        """The same, below the output."""
        return f"_audit/{self.run}/{name}"

    def commit(self) -> None:
        """Puts all drafts in place.

        :raises OutputBusy: another job took the output; nothing of this one is put in place.
        """
        self._check()
        self.write("_audit/commit", self.run.encode())
        self._complete()

    def _complete(self) -> None:
        decided = self.read("_audit/commit")
        if decided is None:
            return
        if not re.fullmatch(rb"[0-9a-f]{32}", decided):
            # A job was lost before it had written the name: nothing is decided.
            self._files.delete(self._at("_audit/commit"), False)
            return
        run = decided.decode()
        for name in _PARTS:
            draft = f"_audit/{run}/{name}"
            # What is not there was put in place before.
            if not self.exists(draft):
                continue
            self._files.delete(self._at(name), True)
            self._files.mkdirs(self._at(name).getParent())
            if not self._files.rename(self._at(draft), self._at(name)):
                raise OSError(f"{self.address}/{name} cannot be replaced")
        self._files.delete(self._at("_audit/commit"), False)
        self._files.delete(self._at(f"_audit/{run}"), True)
