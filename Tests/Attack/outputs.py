"""Attacks on what kvo-audit writes: full devices, closed pipes, its own input, and interruptions at any moment."""
import json
import os
import resource
import shutil
import signal
import sqlite3
import time
import xml.etree.ElementTree

from .attempt import attack, long_attack
from .process import NOBODY, Conditions

# Each that writes a file, whose name is OUT, and how a complete one is told.
WRITING = {
    "text": ["audit", "--format", "text=OUT", "LOG"], "json": ["audit", "--format", "json=OUT", "LOG"], "html": ["audit", "--format", "html=OUT", "LOG"],
    "sarif": ["audit", "--format", "sarif=OUT", "LOG"], "junit": ["audit", "--format", "junit=OUT", "LOG"], "gitlab": ["audit", "--format", "gitlab=OUT", "LOG"],
    "markdown": ["audit", "--format", "markdown=OUT", "LOG"], "summary": ["audit", "--summary", "OUT", "LOG"], "convert": ["convert", "--to", "jsonl", "LOG", "-o", "OUT"],
    "binary": ["convert", "--to", "kvolog", "LOG", "-o", "OUT"], "anonymize": ["anonymize", "LOG", "-o", "OUT"], "perfetto": ["export", "--to", "perfetto", "LOG", "-o", "OUT"],
    "sqlite": ["export", "--to", "sqlite", "LOG", "-o", "OUT"], "pprof": ["export", "--to", "pprof", "LOG", "-o", "OUT"], "otlp": ["export", "--to", "otlp", "LOG", "-o", "OUT"],
    "merge": ["merge", "--format", "json=OUT", "REPORT"], "map": ["anonymize", "LOG", "-o", "/dev/null", "--map", "OUT"],
}
PRINTING = [
    ["audit", "LOG"], ["audit", "--format", "json", "LOG"], ["audit", "--format", "html", "LOG"], ["stats", "LOG"], ["validate", "LOG"], ["census", "LOG"],
    ["growth", "LOG"], ["convert", "LOG"], ["anonymize", "LOG"], ["diff", "LOG", "LOG"], ["explain", "KVO001"], ["--help"], ["--version"], ["help", "audit"],
    ["--show-config"], ["merge", "REPORT"], ["export", "--to", "perfetto", "LOG"], ["heap", "SNAPSHOT"], ["--generate-completion-script", "bash"],
]


def filled(attempt, words, out="out", log="log.kvolog"):
    for name in (log, "log.json", "log.kvoheap"):
        if not (attempt.work / name).exists():
            attempt.file(name, attempt.source(name))
    known = {"LOG": log, "REPORT": "log.json", "SNAPSHOT": "log.kvoheap"}
    return [known.get(word, word).replace("OUT", str(out)) for word in words]


def expect_whole(attempt, kind, path, run):
    """What is there is complete."""
    content = path.read_bytes()
    try:
        if kind in ("json", "sarif", "gitlab", "summary", "perfetto", "otlp", "merge", "map"):
            json.loads(content)
        elif kind == "junit":
            xml.etree.ElementTree.fromstring(content)
        elif kind == "sqlite":
            with sqlite3.connect(path) as database:
                assert database.execute("pragma integrity_check").fetchone() == ("ok",)
        elif kind in ("convert", "binary", "anonymize"):
            assert attempt.audit("validate", path).status == 0
        elif kind == "html":
            assert content.rstrip().endswith(b"</html>")
        else:
            assert content
    except (ValueError, AssertionError, sqlite3.Error, xml.etree.ElementTree.ParseError) as error:
        attempt.expect(False, run, f"half a file under the final name: {error!r}")


def measured(attempt, words, out):
    """How many bytes the file has."""
    attempt.audit(*filled(attempt, words, out))
    size = out.stat().st_size
    out.unlink()
    return size


@attack
def full(attempt):
    """Standard output or a file on a full device, beyond the limit of file sizes, in a folder that is read-only or missing: status 74 with its name, and no half a file."""
    kind = attempt.random.choice(list(WRITING))
    way = attempt.random.randrange(5)
    conditions = Conditions()
    out = attempt.work / "out"
    if way == 0:
        words = attempt.random.choice(PRINTING)
        with open("/dev/full", "wb") as file:
            run = attempt.audit(*filled(attempt, words), streams=(None, file, None))
        attempt.expect(run.status == 74, run, "nothing could be printed")
        return
    if way == 1:
        out = "/dev/full"
    elif way == 2:
        # Enough for the error, and not for the file.
        size = measured(attempt, WRITING[kind], out)
        if size < 1000:
            return
        conditions.limits = {resource.RLIMIT_FSIZE: attempt.random.randrange(500, size)}
        if attempt.random.random() < 0.5:
            attempt.file("out", "before")
    elif way == 3:
        out = attempt.work / "missing/out"
    elif os.geteuid() == 0:
        folder = attempt.work / "closed"
        folder.mkdir(mode=0o555)
        out = folder / "out"
        conditions.user = NOBODY
    else:
        out = attempt.work
    words = filled(attempt, WRITING[kind], out)
    before = attempt.tree()
    with open("/dev/null", "wb") as nothing:
        run = attempt.audit(*words, conditions=conditions, streams=(None, nothing, None))
    attempt.expect(run.status == 74, run, f"{out} could not be written")
    attempt.names(run, out)
    attempt.unchanged(before, run)


@attack
def pipes(attempt):
    """Standard output closed, a pipe whose reader has gone or leaves after a line, with SIGPIPE ignored or not; standard error likewise: no signal, no trace of an error."""
    words = filled(attempt, attempt.random.choice(PRINTING))
    sound = attempt.audit(*words)
    ignored = (signal.SIGPIPE,) if attempt.random.random() < 0.5 else ()
    way = attempt.random.randrange(4)
    if way == 0:
        closed = tuple(number for number in range(3) if attempt.random.random() < 0.5)
        run = attempt.run([attempt.products / "kvo-audit", *words], conditions=Conditions(closed=closed, ignored=ignored))
        attempt.expect(run.signal is None and not run.is_hanging, run, f"without descriptors {closed}")
        attempt.expect(run.status in (sound.status, 74), run, f"without descriptors {closed}, and {sound.status} with them")
        return
    reader, writer = os.pipe()

    def leave(child):
        if way > 1:
            os.read(reader, 1)
        os.close(reader)

    target = 2 if way == 3 else 1
    if way == 3:
        words = ["missing.kvolog"]
        sound = attempt.audit(*words)
    streams = tuple(writer if number == target else None for number in range(3))
    run = attempt.audit(*words, streams=streams, conditions=Conditions(ignored=ignored), meanwhile=leave)
    os.close(writer)
    attempt.expect(run.status == sound.status, run, f"the reader has gone, and the status is not {sound.status}")
    attempt.expect(target == 2 or run.complaint == sound.complaint, run, "the reader has gone, which is not an error")


@attack
def own_input(attempt):
    """An output that is the input, by its name, another spelling, a symbolic or a hard link, through /proc, or the file of another option: refused, and the input stays; a copy under another name is made."""
    kind = attempt.random.choice([kind for kind in WRITING if kind != "merge"])
    words = filled(attempt, WRITING[kind])
    log = attempt.work / "log.kvolog"
    way = attempt.random.randrange(6)
    out = ["log.kvolog", "./x/../log.kvolog", "link", "hard", str(log), "/proc/self/cwd/log.kvolog"][way]
    (attempt.work / "x").mkdir()
    (attempt.work / "link").symlink_to("log.kvolog")
    os.link(log, attempt.work / "hard")
    content = log.read_bytes()
    run = attempt.audit(*filled(attempt, WRITING[kind], out))
    attempt.expect(run.status in (64, 74), run, f"{out} is its own input: {words}")
    attempt.expect(log.read_bytes() == content, run, f"changed its own input by {out}")


@long_attack
def interruptions(attempt):
    """SIGINT, SIGTERM, SIGHUP, SIGPIPE and SIGKILL at random moments while a file is written: under its name is the previous one, or a complete one."""
    kind = attempt.random.choice(list(WRITING))
    # Long enough to be interrupted.
    log = attempt.work / "long.jsonl"
    log.write_bytes(attempt.source("log.jsonl") * attempt.random.choice((1, 100)))
    shutil.copy(attempt.sources / "log.json", attempt.work / "log.json")
    out = attempt.work / "out"
    had = attempt.random.random() < 0.5
    words = filled(attempt, WRITING[kind], out, log="long.jsonl")
    begin = time.monotonic()
    attempt.audit(*words)
    # As long as it takes, and what that left is removed.
    duration = time.monotonic() - begin
    for _ in range(6):
        out.unlink(missing_ok=True)
        if had:
            out.write_text("before")
        number = attempt.random.choice((signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGKILL, signal.SIGQUIT))
        before = attempt.tree()

        def interrupt(child):
            time.sleep(attempt.random.uniform(0, duration * 1.1))
            os.kill(child.pid, number)

        run = attempt.run([attempt.products / "kvo-audit", *words], meanwhile=interrupt)
        attempt.expect(not run.is_hanging, run, f"does not end by {number!r}")
        attempt.expect(run.signal in (None, number), run, f"ended by another signal than {number!r}")
        if not out.exists():
            attempt.expect(not had, run, "the previous file is gone")
        elif not had or out.read_bytes() != b"before":
            expect_whole(attempt, kind, out, run)
        # SQLite writes where it will replace.
        attempt.unchanged(before, run, "out", *(["out.*", "tmp/.*"] if number == signal.SIGKILL or kind == "sqlite" else []))
