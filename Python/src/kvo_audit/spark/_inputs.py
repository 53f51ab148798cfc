"""Lists the inputs of a job, and puts them into tasks."""

from __future__ import annotations

import heapq
import os
import posixpath
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import pyarrow.fs as pafs

from .._audit import base

# A partial report stays small enough to be merged on any machine.
_TASK_FILES = 500


@dataclass(frozen=True)
class LogFile:
    """A file, by the name that reports have."""

    name: str
    size: int
    modified: int

    @property
    def base(self) -> str:
        """The name of the log that it is a part of: ``app.kvolog`` for ``app.kvolog.2``."""
        return base(self.name)


@dataclass(frozen=True)
class Storage:
    """How to reach the files of one scheme and host.

    Travels to the workers: it has the settings, and no connection.
    """

    prefix: str
    options: tuple[tuple[str, str], ...] = ()

    @property
    def is_local(self) -> bool:
        return not self.prefix

    def open(self) -> pafs.FileSystem:
        if self.is_local:
            return pafs.LocalFileSystem()
        scheme = self.prefix.partition("://")[0]
        if scheme in ("s3", "s3a", "s3n"):
            return pafs.S3FileSystem(**dict(self.options))
        return pafs.FileSystem.from_uri(self.prefix)[0]

    def path(self, name: str) -> str:
        """What the file system calls the file that reports call ``name``."""
        rest = name[len(self.prefix) :]
        scheme, _, host = self.prefix.partition("://")
        # A bucket is the first part of a path.
        return f"{host}{rest}" if scheme in ("s3", "s3a", "s3n", "gs", "gcs") else rest


def storage(address: str, settings: Mapping[str, str]) -> tuple[Storage, str]:
    """The storage of an address, and the address as reports name it.

    :param settings: Hadoop's, of which those of S3 are passed on.
    """
    scheme, mark, rest = address.partition("://")
    if not mark:
        path = address[5:] if address.startswith("file:") else address
        return Storage(""), os.path.abspath(path)
    if scheme == "file":
        return Storage(""), os.path.abspath("/" + rest.lstrip("/"))
    host, slash, path = rest.partition("/")
    options: dict[str, str] = {}
    if scheme in ("s3", "s3a", "s3n"):
        names = {
            "access_key": "fs.s3a.access.key",
            "secret_key": "fs.s3a.secret.key",
            "session_token": "fs.s3a.session.token",
            "region": "fs.s3a.endpoint.region",
            "endpoint_override": "fs.s3a.endpoint",
        }
        options = {key: value for key, name in names.items() if (value := settings.get(name))}
        if settings.get("fs.s3a.connection.ssl.enabled") == "false":
            options["scheme"] = "http"
    return Storage(f"{scheme}://{host}", tuple(sorted(options.items()))), f"{scheme}://{host}{slash}{path}"


def list_files(addresses: Iterable[str], settings: Mapping[str, str]) -> list[tuple[Storage, LogFile]]:
    """The files that folders and patterns stand for, each once, in the order of their names.

    ``**`` stands for any folders, ``*`` and ``?`` inside of names. Files and folders whose names begin with ``.`` or
    ``_`` are left out below folders.

    :raises FileNotFoundError: nothing is at an address.
    """
    found: dict[str, tuple[Storage, LogFile]] = {}
    for address in addresses:
        place, name = storage(address, settings)
        files = list(_matching(place, name))
        if not files:
            raise FileNotFoundError(f"there are no logs at {address}")
        for file in files:
            found[file.name] = (place, file)
    return [found[name] for name in sorted(found)]


def _matching(place: Storage, name: str) -> Iterable[LogFile]:
    files = place.open()
    parts = name.split("/")
    fixed = next((index for index, part in enumerate(parts) if re.search(r"[*?\[]", part)), None)
    if fixed is None:
        info = files.get_file_info(place.path(name))
        if info.type == pafs.FileType.File:
            yield _file(info, place, name)
            return
        root, matches = name, None
    else:
        root, matches = "/".join(parts[:fixed]), _expression(name)
    selector = pafs.FileSelector(place.path(root) or "/", recursive=True, allow_not_found=True)
    for info in files.get_file_info(selector):
        if info.type != pafs.FileType.File:
            continue
        found = place.prefix + _rest(info.path, place)
        below = found[len(root) :].split("/")
        if any(part[:1] in (".", "_") for part in below) or (matches and not matches.fullmatch(found)):
            continue
        yield _file(info, place, found)


def _rest(path: str, place: Storage) -> str:
    """The path after the prefix by which reports name a file."""
    if place.path(place.prefix):
        return path[len(place.path(place.prefix)) :]
    return path if path.startswith("/") else f"/{path}"


def _file(info: pafs.FileInfo, place: Storage, name: str) -> LogFile:
    return LogFile(name, info.size or 0, info.mtime_ns or 0)


def _expression(pattern: str) -> re.Pattern[str]:
    words = {"**/": "(?:.*/)?", "**": ".*", "*": "[^/]*", "?": "[^/]"}
    text = "".join(words.get(part, re.escape(part)) for part in re.split(r"(\*\*/|\*\*|\*|\?)", pattern))
    return re.compile(text)


def tasks(files: Iterable[tuple[Storage, LogFile]], count: int) -> list[list[tuple[Storage, list[LogFile]]]]:
    """Spreads files over tasks, the largest first; the parts of a log stay together.

    :param count: how many tasks there are at least, if there are as many logs.
    :returns: the logs of each task, those of the largest task first.
    """
    logs: dict[tuple[Storage, str], list[LogFile]] = {}
    for place, file in files:
        logs.setdefault((place, file.base), []).append(file)
    ordered = sorted(logs.items(), key=lambda log: (-sum(file.size for file in log[1]), log[0][1]))
    total = sum(len(parts) for _, parts in ordered)
    bins = max(1, min(len(ordered), max(count, -(-total // _TASK_FILES))))
    heap: list[tuple[int, int]] = [(0, index) for index in range(bins)]
    result: list[list[tuple[Storage, list[LogFile]]]] = [[] for _ in range(bins)]
    sizes = [0] * bins
    for (place, _), parts in ordered:
        _, index = heapq.heappop(heap)
        result[index].append((place, parts))
        # Opening a file costs, too.
        sizes[index] += sum(part.size for part in parts) + 65_536
        heapq.heappush(heap, (sizes[index], index))
    order = sorted(range(bins), key=lambda index: (-sizes[index], index))
    return [result[index] for index in order if result[index]]


def relative(name: str, place: Storage) -> str:
    """Where a file is put below a worker's folder."""
    return posixpath.normpath(name[len(place.prefix) :].lstrip("/"))
