"""Attacks by damaged files on each command of kvo-audit."""
import bz2
import gzip
import json
import lzma

from .attempt import attack
from .material import CRASHES, WAYS, WAYS_FOR_TEXT, damaged, is_json_line, zstandard

# Each command that reads logs, with the log last but for options.
ON_LOGS = [
    ["audit"], ["audit", "--format", "json"], ["audit", "--format", "html"], ["audit", "--format", "sarif"], ["audit", "--profile", "all"],
    ["audit", "--by-image", "--leaks-at-exit"], ["stats"], ["stats", "--format", "json"], ["validate"], ["census"], ["census", "--parked"],
    ["growth"], ["convert", "--to", "jsonl"], ["convert", "--to", "kvolog"], ["anonymize"], ["export", "--to", "perfetto"],
    ["export", "--to", "collapsed"], ["export", "--to", "speedscope"], ["export", "--to", "pprof"], ["export", "--to", "otlp"],
    ["export", "--to", "sqlite", "-o", "out"], ["verify-fix", "2:6898ccf5d8"], ["verify-fix", "2:6898ccf5d8", "--before", "DAMAGED"],
    ["diff", "SOUND"], ["audit", "--baseline", "DAMAGED", "SOUND"],
]
# Those whose status says whether an input is damaged, and those that make a copy and only say so.
JUDGING = ("audit", "census", "growth", "validate", "export")
COPYING = ("convert", "anonymize")


def on_log(attempt, path, sound):
    """Runs one command on a log, which may write no other file."""
    command = attempt.random.choice(ON_LOGS)
    words = [str(path) if word == "DAMAGED" else str(sound) if word == "SOUND" else word for word in command]
    if not words[-1] == str(sound) or command[0] == "diff":
        words.append(str(path))
    before = attempt.tree()
    run = attempt.audit(*words)
    attempt.unchanged(before, run, "out")
    attempt.names(run, path.name)
    if "json" in command or "otlp" in command or "perfetto" in command or "speedscope" in command:
        expect_json(attempt, run)
    return command, run


def expect_json(attempt, run):
    """What was printed as JSON is JSON, or nothing."""
    if run.output:
        try:
            json.loads(run.output.decode())
        except (ValueError, RecursionError) as error:
            attempt.expect(False, run, f"no JSON: {error}")


def expect_agreement(attempt, command, run, isDamaged, done):
    """What `validate` finds damaged is clean for no other command."""
    if isDamaged and command[0] in JUDGING and "--baseline" not in command:
        attempt.expect(run.status == 65, run, f"looks sound, although validate says otherwise: {done}")
    if isDamaged and command[0] in COPYING:
        attempt.expect(b"could not be read" in run.complaint or run.status == 65, run, f"says nothing of the damage: {done}")


@attack
def binary_logs(attempt):
    """Binary logs with bits flipped, cut, joined, filled, swapped, repeated and with forged lengths, for each command: one whose events differ is never called sound."""
    sound = attempt.file("sound.kvolog", attempt.source("log.kvolog"))
    content, done = damaged(attempt.random, attempt.source(attempt.random.choice(("log.kvolog", "log.kvolog", "probe.kvolog"))))
    path = attempt.file("damaged.kvolog", content)
    validation = attempt.audit("validate", path)
    if validation.status == 0:
        converted = attempt.audit("convert", path).output
        known = [attempt.audit("convert", attempt.sources / name).output for name in ("log.kvolog", "probe.kvolog")]
        attempt.expect(converted in known, validation, f"other events, and no word of it: {done}")
    command, run = on_log(attempt, path, sound)
    expect_agreement(attempt, command, run, validation.status == 65, done)


@attack
def lines(attempt):
    """Logs of JSON Lines, likewise, and with nonsensical numbers: a line that is not JSON for Python is a problem for validate and for each command."""
    sound = attempt.file("sound.jsonl", attempt.source("log.jsonl"))
    content, done = damaged(attempt.random, attempt.source("log.jsonl"), WAYS_FOR_TEXT)
    path = attempt.file("damaged.jsonl", content)
    validation = attempt.audit("validate", path)
    wrong = [line for line in content.replace(b"\r", b"\n").split(b"\n") if line.strip(b" \t") and not is_json_line(line)]
    if validation.status == 0 and wrong:
        # A cut last line is reported, and no problem; so is a mark of the order of bytes.
        isCut = len(wrong) == 1 and content.endswith(wrong[0])
        attempt.expect(isCut or wrong[0].startswith(b"\xef\xbb\xbf"), validation, f"{wrong[0][:300]!r} is not a problem: {done}")
    command, run = on_log(attempt, path, sound)
    # To an audit, what does not begin like a log is a text, in which it finds nothing.
    isText = b"not a usage log: it begins" in validation.complaint
    expect_agreement(attempt, command, run, validation.status == 65 and not isText, done)


@attack
def reports(attempt):
    """JSON reports, damaged likewise, that are merged, compared and taken as baselines: each is read, or refused with its name."""
    name = attempt.random.choice(("log.json", "other.json"))
    content, done = damaged(attempt.random, attempt.source(name), WAYS_FOR_TEXT)
    path = attempt.file("damaged.json", content)
    sound = attempt.file("sound.json", attempt.source("log.json"))
    log = attempt.file("sound.kvolog", attempt.source("log.kvolog"))
    form = attempt.random.choice(("text", "json", "html", "sarif", "junit", "markdown", "gitlab", "github"))
    words = attempt.random.choice(
        [
            ["merge", "--format", form, sound, path],
            ["merge", "--format", form, path],
            ["diff", sound, path],
            ["diff", "--format", "json", path, sound],
            ["audit", "--baseline", path, log],
            ["verify-fix", "2:6898ccf5d8", "--before", path, log],
        ]
    )
    before = attempt.tree()
    run = attempt.audit(*words)
    attempt.unchanged(before, run)
    attempt.names(run, path.name)
    if words[0] == "merge" and not is_json_line(content):
        attempt.expect(run.status == 65, run, f"no JSON, and merged: {done}")
    if words[:3] == ["merge", "--format", "json"]:
        expect_json(attempt, run)


@attack
def snapshots(attempt):
    """Heap snapshots, damaged likewise, for heap, heap diff and beside a log: none that differs is called whole."""
    content, done = damaged(attempt.random, attempt.source("log.kvoheap"))
    path = attempt.file("damaged.kvoheap", content)
    sound = attempt.file("sound.kvoheap", attempt.source("log.kvoheap"))
    log = attempt.file("probe.kvolog", attempt.source("probe.kvolog"))
    words = attempt.random.choice(
        [
            ["heap", path], ["heap", "--format", "json", path], ["heap", "--path", "Screen", path], ["heap", "--cycles", path],
            ["heap", "--leaks", path], ["heap", "diff", sound, path], ["heap", "diff", path, sound], ["audit", "--heap", path, log],
        ]
    )
    before = attempt.tree()
    run = attempt.audit(*words)
    attempt.unchanged(before, run)
    attempt.names(run, path.name)
    if run.status != 65:
        words = ["heap", "--format", "json", "--limit", "0"]
        same = attempt.audit(*words, path).output == attempt.audit(*words, sound).output
        attempt.expect(same, run, f"other objects, and no word of it: {done}")


@attack
def crash_reports(attempt):
    """Crash reports and console text, damaged likewise, in each form of report."""
    content, done = damaged(attempt.random, attempt.source(attempt.random.choice(CRASHES)), WAYS_FOR_TEXT)
    path = attempt.file("damaged.ips", content)
    form = attempt.random.choice(("text", "json", "html", "sarif", "junit", "markdown", "gitlab", "github"))
    before = attempt.tree()
    run = attempt.audit("audit", "--format", form, path)
    attempt.unchanged(before, run)
    attempt.names(run, path.name)
    if form in ("json", "sarif", "gitlab"):
        expect_json(attempt, run)


@attack
def programs(attempt):
    """ELF files with damaged headers, sections and debug information, for index, symbols and --dsym."""
    name = attempt.random.choice(("small.elf", "program.elf"))
    content = attempt.source(name)
    if attempt.random.random() < 0.5:
        # Where the numbers are that lead to everything else.
        head, done = damaged(attempt.random, content[:1024], [way for way in WAYS if way.__name__ in ("flip", "forge", "fill", "swap")])
        content = head + content[1024:]
    else:
        content, done = damaged(attempt.random, content)
    path = attempt.file("damaged.elf", content)
    log = attempt.file("sound.kvolog", attempt.source("DoubleRemove.kvolog"))
    words = attempt.random.choice(
        [["index", path], ["index", "--dsym", path, "/bin/true"], ["symbols", "add", "--symbols", "store", path], ["audit", "--dsym", path, log]]
    )
    before = attempt.tree()
    run = attempt.audit(*words, memory=2 << 20)
    attempt.unchanged(before, run, "store.*")
    if words[-1] == path:
        attempt.names(run, path.name)
    if words[0] == "symbols":
        attempt.audit("audit", "--symbols", "store", log)


@attack
def settings(attempt):
    """Suppressions, configurations, keys and maps of names, damaged likewise: each is used as it is written, or refused with its name; what is refused is used nowhere."""
    kind = attempt.random.choice(("suppressions", "config", "key", "map", "map"))
    content, done = damaged(attempt.random, attempt.source(f"log.{kind}"), WAYS_FOR_TEXT)
    path = attempt.file(f"damaged.{kind}", content)
    log = attempt.file("sound.kvolog", attempt.source("log.kvolog"))
    words = {
        "suppressions": ["audit", "--suppressions", path, log],
        "config": ["audit", "--config", path, log],
        "key": ["anonymize", "--key", path, log, "-o", "out"],
        "map": ["anonymize", "--restore", path, attempt.file("anonymous.kvolog", attempt.source("anonymous.kvolog")), "-o", "out"],
    }[kind]
    before = attempt.tree()
    run = attempt.audit(*words)
    # A map that was damaged may name anything: reports as a configuration go where it says, below the folder.
    attempt.unchanged(before, run, "out")
    attempt.names(run, path.name)


@attack
def compressed(attempt):
    """Logs compressed by gzip, xz and zstd, cut, damaged, joined, nested and under the wrong name: never called sound if they differ."""
    source = attempt.random.choice(("log.kvolog", "log.jsonl"))
    ending = attempt.random.choice(("gz", "xz", "zst"))
    packed = attempt.source(f"{source}.{ending}")
    nested = {"gz": gzip.compress, "xz": lzma.compress, "zst": zstandard}[ending]
    way = attempt.random.randrange(6)
    if way == 0:
        content, done = packed[: attempt.random.randrange(1, len(packed))], "cut"
    elif way == 1:
        content, done = packed + packed, "joined"
    elif way == 2:
        content, done = nested(packed), "nested"
    elif way == 3:
        content, done = packed + attempt.random.randbytes(50), "followed by something else"
    elif way == 4:
        content, done = bz2.compress(attempt.source(source)), "by bzip2"
    else:
        content, done = damaged(attempt.random, packed)
    path = attempt.file(f"damaged.kvolog.{attempt.random.choice((ending, 'gz', 'zst', 'log'))}", content)
    validation = attempt.audit("validate", path)
    if validation.status == 0 and way != 1:
        converted = attempt.audit("convert", "--to", "jsonl", path).output
        attempt.expect(converted == attempt.source("log.jsonl"), validation, f"other events, and no word of it: {done}")
    command, run = on_log(attempt, path, attempt.file("sound.kvolog", attempt.source("log.kvolog")))
    expect_agreement(attempt, command, run, validation.status == 65, done)
    attempt.expect(not list((attempt.state / "tmp").iterdir()), run, "left a temporary file")


@attack
def requests(attempt):
    """Requests of `kvo-audit mcp`, damaged, deep, endless and of the wrong types: each answer is a line of JSON, and the server ends with its input."""
    calls = [
        {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"protocolVersion": "2025-06-18", "capabilities": {}}},
        {"jsonrpc": "2.0", "id": 2, "method": "tools/list"},
        {"jsonrpc": "2.0", "id": 3, "method": "tools/call", "params": {"name": "audit", "arguments": {"paths": ["sound.kvolog"], "limit": 3}}},
        {"jsonrpc": "2.0", "id": 4, "method": "tools/call", "params": {"name": "finding", "arguments": {"id": "2:68"}}},
        {"jsonrpc": "2.0", "id": 5, "method": "tools/call", "params": {"name": "diff", "arguments": {"old": "sound.kvolog", "new": "sound.kvolog"}}},
    ]
    attempt.file("sound.kvolog", attempt.source("log.kvolog"))
    text = "".join(json.dumps(call) + "\n" for call in calls).encode()
    odd = attempt.random.choice(
        [None, None, None, b"[" * 100_000, b'{"a":' * 100_000, b"\0" * 1000, b"9" * 100_000, b'"' + b"\\" * 99_999, b"[]\n[[]]\n1\nnull\n\"x\"\n"]
    )
    content = text.replace(b'"id": 3', b'"id": 3, "x": ' + odd) + odd if odd else damaged(attempt.random, text, WAYS_FOR_TEXT)[0]
    attempt.file("input", content)
    before = attempt.tree()
    run = attempt.audit("mcp", input=content)
    attempt.unchanged(before, run)
    for line in run.output.split(b"\n"):
        attempt.expect(not line or is_json_line(line), run, f"answered {line[:300]!r}")
