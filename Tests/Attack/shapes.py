"""Attacks by the kind of an input: bombs, depth, size, FIFOs, devices, folders, many of them, and files that change."""
import contextlib
import gzip
import json
import lzma
import os
import shutil
import signal
import socket
import subprocess
import threading
import time

from .attempt import attack, long_attack
from .files import ON_LOGS, expect_json
from .material import zstandard
from .process import NOBODY, Conditions

READING = [["audit"], ["stats"], ["validate"], ["census"], ["growth"], ["convert", "--to", "jsonl", "-o", "/dev/null"], ["merge"], ["heap"]]


@long_attack
def bombs(attempt):
    """Compressed files of up to a gigabyte of zeroes, lines or one endless line: within 1 GB of memory, and nothing is left in TMPDIR."""
    size = 1 << attempt.random.choice((26, 28, 30))
    byte = attempt.random.choice((b"\0", b" ", b"\n", b"[", b"{", b"a", b'"'))
    ending = attempt.random.choice(("gz", "xz", "zst", "zst"))
    first = attempt.random.choice((b"", attempt.source("log.kvolog"), attempt.source("log.jsonl"), b'{"event":"exit","x":'))
    if ending == "zst":
        content = zstandard(first) + zstandard(byte, repeated=size)
    elif ending == "gz":
        # Members that follow each other are one file.
        content = gzip.compress(first) + gzip.compress(byte * (1 << 26)) * (size >> 26)
    else:
        content = lzma.compress(first) + lzma.compress(byte * (1 << 26), preset=0) * (size >> 26)
    path = attempt.file(f"bomb.{ending}", content)
    command = attempt.random.choice(READING)
    run = attempt.audit(*command, path)
    attempt.names(run, path.name)
    attempt.expect(not list((attempt.state / "tmp").iterdir()), run, "left a temporary file")


@long_attack
def extremes(attempt):
    """JSON that is a million levels deep, numbers of a million digits, NUL bytes, invalid UTF-8, lines of 20 MB, a million empty lines, for each reader."""
    event = b'{"event":"register","subject":{"class":"A","id":"1"},"observer":{"class":"B","id":"2"},"keyPath":"%s"}\n'
    depth = attempt.random.choice((100, 513, 10_000, 1_000_000))
    odd = attempt.random.choice(
        [
            b"[" * depth, b'{"a":' * depth, b"[" * depth + b"]" * depth, b"9" * 1_000_000, b"-" * 1000, b"1e" + b"9" * 1000, b"0." + b"0" * 1_000_000 + b"1",
            b'"' + b"\\u0000" * 1000 + b'"', b'"' + b"\0" * 1000 + b'"', b'"' + b"\xff" * 1000 + b'"', b'"\\ud800"', b'"\\udc00\\ud800"', b'"' + b"a" * 20_000_000 + b'"',
            b'"' + b"\\" * 1_000_000, b"\n" * 1_000_000, b"\r" * 1_000_000, b"{}\n" * 300_000, b"null\n" * 300_000, b"tru", b"[1,]", b'{"a":1,}', b"\xef\xbb\xbf" * 1000,
        ]
    )
    kind = attempt.random.randrange(6)
    if kind == 0:
        content = (event % b"a").replace(b'"A"', odd)
    elif kind == 1:
        content = event % b"a" + b'{"event":"unknown","x":' + odd + b"}\n" + event % b"b"
    elif kind == 2:
        content = event % b"a" + odd + b"\n" + event % b"b"
    elif kind == 3:
        content = b'{"tool":"kvo-audit","findings":' + odd + b"}"
    elif kind == 4:
        content = attempt.source("log.json").replace(b'"findings"', b'"x":' + odd + b',"findings"', 1)
    else:
        content = odd
    path = attempt.file("extreme.log", content)
    command = attempt.random.choice(ON_LOGS[:20] + [["merge"], ["heap"], ["audit", "--suppressions", path], ["audit", "--config", path]])
    before = attempt.tree()
    run = attempt.audit(*command, path)
    attempt.unchanged(before, run)
    attempt.names(run, path.name)
    if "json" in command:
        expect_json(attempt, run)


def make_kind(attempt):
    """A path that is not an ordinary file."""
    work, kind = attempt.work, attempt.random.randrange(13)
    path = work / "input"
    if kind == 0:
        path.mkdir()
        (path / "again").symlink_to("..")
    elif kind == 1:
        path.mkdir()
        shutil.copy(attempt.sources / "log.kvolog", path / "a.kvolog")
        os.mkfifo(path / "b.kvolog")
        (path / "c.kvolog").symlink_to("c.kvolog")
        (path / "d.kvolog").mkdir()
    elif kind == 2:
        with socket.socket(socket.AF_UNIX) as listener:
            listener.bind(str(path))
    elif kind == 3:
        path.symlink_to("input")
    elif kind == 4:
        path = work / ("x/" * 3000)
    elif kind == 5:
        path = attempt.file("input", attempt.source("log.kvolog"))
        path.chmod(0)
    elif kind == 6:
        path = work / ("n" * 300)
    elif kind == 7:
        os.mkfifo(path)
    elif kind == 8:
        path = attempt.file("input")
    else:
        odd = ["/dev/null", "/dev/zero", "/dev/full", "/proc/self/mem", "/proc/self/maps", "/proc/self/fd", "/proc/self/status", "/", "/dev/tty", "", "/dev/stdin", "/sys", "/dev"]
        path = attempt.random.choice(odd)
    return path


@attack
def kinds(attempt):
    """Folders, loops of links, sockets, FIFOs without a writer, unreadable and empty files, devices and files of /proc as input, as root and as nobody: said in one sentence, never waited for."""
    path = make_kind(attempt)
    user = NOBODY if os.geteuid() == 0 and attempt.random.random() < 0.5 else None
    command = attempt.random.choice(
        READING + [["index"], ["symbols", "add", "--symbols", "store"], ["audit", "--baseline", path, "/dev/null"], ["anonymize", "--restore", path], ["mcp", "--config"]]
        + [["audit", "--suppressions", path, "/dev/null"], ["diff", path], ["audit", "--heap", path]]
    )
    if command[0] == "mcp":
        command = ["audit", "--config"]
    # Folders of all files of the machine take as long as they are large.
    if path in ("/", "/sys", "/dev", "/proc/self/fd"):
        path = "/dev/null"
    before = attempt.tree()
    run = attempt.audit(*command, path, conditions=Conditions(user=user))
    attempt.unchanged(before, run, "store.*")
    attempt.expect(run.status != 0 or command[0] == "symbols" or run.output or command[0] in ("convert", "index"), run, f"{path} is clean")


@long_attack
def streams(attempt):
    """An endless FIFO, /dev/zero and random bytes on standard input, which is interrupted or ends: it ends at once, and within 1 GB."""
    kind = attempt.random.randrange(4)
    command = attempt.random.choice(READING[:6])
    if kind == 0:
        limit = attempt.random.choice((1, 5000, 1 << 20, 50 << 20))
        source = attempt.random.choice(("/dev/zero", "/dev/urandom"))
        with subprocess.Popen(["head", "-c", str(limit), source], stdout=subprocess.PIPE) as writer:
            run = attempt.audit(*command, "-", streams=(writer.stdout, None, None))
        attempt.expect(run.status == 65, run, f"{limit} bytes of {source} are clean")
        return
    fifo = attempt.work / "endless"
    os.mkfifo(fifo)
    line = attempt.source("log.jsonl") if kind == 1 else b'{"event":"exit"' if kind == 2 else b"\0" * 65536
    stopped = threading.Event()

    def write():
        # It is gone if the reader ended before it opened it.
        with contextlib.suppress(BrokenPipeError, FileNotFoundError), open(fifo, "wb", buffering=0) as file:
            while not stopped.is_set():
                file.write(line)
                if kind == 1:
                    time.sleep(0.001)

    writer = threading.Thread(target=write, daemon=True)
    writer.start()
    number = attempt.random.choice((signal.SIGINT, signal.SIGTERM, signal.SIGHUP))

    def interrupt(child):
        time.sleep(attempt.random.uniform(0.05, 1.5))
        os.kill(child.pid, number)

    run = attempt.run([attempt.products / "kvo-audit", *command, fifo], meanwhile=interrupt, seconds=20)
    stopped.set()
    attempt.expect(not run.is_hanging, run, f"does not end by {number!r}")
    attempt.expect(run.signal in (None, number), run, "ended by another signal")
    attempt.expect(run.status in (None, 65, 130, 143, 129), run, "an endless log is clean")
    attempt.expect(run.kilobytes < 1 << 20, run, f"it took {run.kilobytes:,} kB")


@long_attack
def moving(attempt):
    """A log that grows, is cut, emptied, replaced or deleted while it is read, and written at random, also while it is watched: it is read to an end, and by no signal."""
    name = attempt.random.choice(("log.kvolog", "log.jsonl"))
    content = attempt.source(name)
    if name == "log.jsonl":
        content *= attempt.random.choice((1, 20, 200))
    path = attempt.file(f"moving.{name}", content)
    stopped = threading.Event()
    seed = attempt.random.random()

    def move(child):
        value = type(attempt.random)(seed)

        def body():
            while not stopped.is_set():
                way = value.randrange(6)
                try:
                    if way == 0:
                        with open(path, "ab") as file:
                            file.write(content[: value.randrange(len(content))])
                    elif way == 1:
                        os.truncate(path, value.randrange(len(content)))
                    elif way == 2:
                        path.unlink()
                    elif way == 3:
                        path.write_bytes(content)
                    elif way == 4:
                        other = path.with_suffix(".new")
                        other.write_bytes(content)
                        other.rename(path)
                    else:
                        with open(path, "r+b") as file:
                            file.seek(value.randrange(len(content)))
                            file.write(value.randbytes(100))
                except FileNotFoundError:
                    path.write_bytes(content)
                time.sleep(value.uniform(0, 0.01))

        thread = threading.Thread(target=body)
        thread.start()
        child.mover = thread
        while not stopped.is_set() and child_runs(child):
            time.sleep(0.01)
        stopped.set()
        thread.join()

    for _ in range(3):
        stopped.clear()
        attempt.audit(*attempt.random.choice(ON_LOGS[:21]), path, meanwhile=move)

    def watch(child):
        def interrupt():
            if child_runs(child):
                os.kill(child.pid, signal.SIGINT)

        timer = threading.Timer(1.5, interrupt)
        timer.start()
        move(child)
        timer.cancel()

    stopped.clear()
    run = attempt.run([attempt.products / "kvo-audit", "watch", "--every", "0.1", path], meanwhile=watch)
    attempt.expect(not run.is_hanging and run.signal in (None, signal.SIGINT), run, "watch does not end by SIGINT")


def child_runs(child):
    with open(f"/proc/{child.pid}/stat") as file:
        return file.read().rsplit(")", 1)[1].split()[0] != "Z"


@long_attack
def many(attempt):
    """Up to 10,000 inputs at once, sound ones, damaged ones and FIFOs: each that cannot be read is named."""
    count = attempt.random.choice((300, 300, 1000, 10_000 if attempt.number % 50 == 49 else 500))
    folder = attempt.work / "logs"
    folder.mkdir()
    sound = attempt.source("correct.jsonl")
    bad = set()
    for number in range(count):
        way = attempt.random.randrange(40)
        # In a folder, a file is taken for a log by its content, or by this name.
        path = folder / f"{number}.{'kvolog' if way < 2 else 'jsonl'}"
        if way == 0:
            path.write_bytes(attempt.random.randbytes(50))
            bad.add(path.name)
        elif way == 1:
            path.write_bytes(b"")
            bad.add(path.name)
        else:
            path.write_bytes(sound)
    words = attempt.random.choice((["audit"], ["audit", "--format", "json"], ["audit", "--jobs", "7"], ["validate"], ["stats"]))
    inputs = [folder] if words[0] == "audit" and attempt.random.random() < 0.5 else sorted(folder.iterdir())
    limits = {} if attempt.random.random() < 0.7 else {7: 64}
    run = attempt.audit(*words, *inputs, conditions=Conditions(limits=limits))
    attempt.expect(run.status == (65 if bad else 0), run, f"{len(bad)} of {count} are damaged")
    said = run.complaint + run.output
    missing = [name for name in bad if name.encode() not in said]
    attempt.expect(not missing, run, f"says nothing of {missing[:5]}")
