"""Attacks by names in logs and of files: nothing acts on a terminal, in a browser, in XML, JSON, Markdown or a CI server."""
import collections
import gzip
import html.parser
import json
import os
import pty
import re
import sqlite3
import threading
import xml.etree.ElementTree

from .attempt import ACTING, attack

TEXTS = [
    "\x1b[41;97mX", "\x1b]0;owned\x07", "\x1b]8;;http://x.test\x1b\\", "\x9b31m", "\x07", "\x08\x08\x08", "\r", "\n", "\n\n::error::x", "\u2028::error::x", "::error file=a::b",
    "::set-output name=a::b", "##[error]x", "##vso[task.complete result=Failed]", "##teamcity[x]", "\u202etxt.exe", "\u2066x\u2069", "\u200f", "\ufeff", "\u061c", "\x00", "\x7f", "\x85",
    "<script>alert(1)</script>", "</script><script>alert(1)</script>", "<img src=x onerror=alert(1)>", "'><svg onload=alert(1)>", '" onmouseover="alert(1)', "' autofocus onfocus='alert(1)",
    "javascript:alert(1)", "&lt;script&gt;", "&#x3c;script&#x3e;", "]]>", "<!--", "-->", "<!DOCTYPE x [<!ENTITY a SYSTEM 'file:///etc/passwd'>]>", "&a;", "${alert(1)}", "{{7*7}}", "`x`",
    "```\n# x", "| a | b |", "[x](javascript:alert(1))", "![x](http://x.test/a.png)", "@everyone", "#1", "<details>", "*x*", "__x__", "~~x~~", "\\", "%0A::error::x", "%s%n", "=cmd|' /C calc'!A0",
    "+1+1", "@SUM(1)", "a,b", 'a"b', "a;b", "a\tb", "\ud7ff", "\ufffe", "\uffff", "\U0001f600", "e\u0301" * 50, "Z\u0351" * 40, "a" * 5000, "\u4e2d" * 300, "../../../etc/passwd", "/etc/passwd", "a\\u0000b",
]
# Of an own one for each, so that it is known where it came from.
KEYS = ["class", "observer", "keyPath", "thread", "threadName", "symbol", "file", "module", "site", "id", "reason", "context", "version", "executable", "scope"]
FORMS = ["text", "json", "html", "sarif", "junit", "markdown", "gitlab", "github"]
EXPORTS = ["perfetto", "collapsed", "speedscope", "pprof", "otlp", "sqlite"]


def log(names):
    """A log with findings of several rules, in which each name occurs."""
    subject, observer = {"class": names["class"], "id": names["id"]}, {"class": names["observer"], "id": "2"}
    stack = [{"symbol": names["symbol"], "file": names["file"], "line": 3, "module": names["module"]}, {"symbol": "main", "file": "main.swift", "line": 1}]
    both = {"thread": names["thread"], "subject": subject, "observer": observer, "keyPath": names["keyPath"], "stack": stack}
    events = [
        {"event": "process", "schema": 1, "pid": 7, "executable": names["executable"], "appVersion": names["version"], "runtime": "swift"},
        {"event": "threadName", "thread": names["thread"], "name": names["threadName"]},
        {"event": "scopeBegin", "scope": 1, "name": names["scope"], "thread": names["thread"]},
        {"event": "register", **both, "registration": "r1", "site": names["site"] + ":1", "context": names["context"]},
        {"event": "remove", **both, "context": names["context"]},
        {"event": "remove", **both, "context": names["context"]},
        {"event": "remove", **both, "keyPath": "other"},
        {"event": "refused", "reason": names["reason"], "subject": subject, "keyPath": names["keyPath"], "stack": stack},
        {"event": "register", **both, "registration": "r2"},
        {"event": "deinit", "object": observer, "thread": names["thread"], "stack": stack},
        {"event": "deinitEnd", "object": observer, "thread": names["thread"]},
        {"event": "new" + names["reason"], "key" + names["reason"]: 1},
        {"event": "exit", "status": 0},
    ]
    return "".join(json.dumps(event) + "\n" for event in events)


def pair(attempt):
    """Names that are hostile, and such that are not."""
    text = attempt.random.choice(TEXTS)
    hostile = {}
    for key in KEYS:
        one = text if attempt.random.random() < 0.5 else attempt.random.choice(TEXTS)
        hostile[key] = attempt.random.choice(("", key)) + one + attempt.random.choice(("", "z"))
    return hostile, {key: f"Plain{key}" for key in KEYS}


class Elements(html.parser.HTMLParser):
    """Which elements with which attributes there are, and what scripts say."""

    def __init__(self, text):
        super().__init__()
        self.kinds, self.scripts, self.isScript = collections.Counter(), [], False
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        names = {name for name, _ in attributes}
        self.kinds[tag, *sorted(name for name in names if name.startswith("on") or name in ("src", "srcdoc", "action", "formaction", "style"))] += 1
        for name, value in attributes:
            if name in ("href", "xlink:href") and not (value or "").startswith("#"):
                self.kinds["link", (value or "")[:20]] += 1
        self.isScript = tag == "script" and dict(attributes).get("type", "") in ("", "module", "text/javascript")

    def handle_data(self, data):
        if self.isScript:
            self.scripts.append(data)

    def handle_endtag(self, tag):
        self.isScript = False


def report(attempt, path, form):
    if form in EXPORTS:
        return attempt.audit("export", "--to", form, path, "-o", path.with_suffix(".out")), path.with_suffix(".out").read_bytes()
    run = attempt.audit("audit", "--format", form, path)
    return run, run.output


def expect_inert(attempt, run, form, content, plain):
    expect, text = attempt.expect, content.decode(errors="surrogateescape")
    if form in ("text", "markdown", "github", "collapsed"):
        expect(not ACTING.search(text), run, f"raw {ACTING.search(text)!r} in {form}")
        first = [line.lstrip(" \t\u00a0\u3000\ufeff") for line in text.splitlines()]
        commands = [line for line in first if line.startswith("::")]
        if form != "github":
            expect(not commands, run, f"{commands[:2]} in {form}")
        else:
            expect(len(text.splitlines()) == len(plain.decode().splitlines()), run, "other annotations")
        expect(not re.search(r"##(\w*)\[", text), run, f"a command of a CI server in {form}")
    if form == "markdown":
        bare = re.sub(r"(`+).*?\1|\\.", "", text, flags=re.DOTALL)
        tags = set(re.findall(r"<(?!!--)/?([a-zA-Z]+)", bare)) - set(re.findall(r"<(?!!--)/?([a-zA-Z]+)", plain.decode()))
        expect(not tags, run, f"elements {tags} in Markdown")
        expect("![" not in bare and "](javascript" not in bare and "@everyone" not in bare, run, "a picture, link or mention in Markdown")
    if form in ("json", "sarif", "gitlab", "perfetto", "speedscope", "otlp"):
        try:
            json.loads(text)
        except ValueError as error:
            expect(False, run, f"no JSON in {form}: {error}")
        expect(not re.search("[\x00-\x09\x0b-\x1f\x7f-\x9f]", text), run, f"a raw control in {form}")
    if form == "junit":
        try:
            known = collections.Counter(element.tag for element in xml.etree.ElementTree.fromstring(plain).iter())
            found = collections.Counter(element.tag for element in xml.etree.ElementTree.fromstring(content).iter())
            expect(set(found) == set(known), run, f"other elements: {found} and not {known}")
        except xml.etree.ElementTree.ParseError as error:
            expect(False, run, f"no XML: {error}")
    if form == "html":
        known, found = Elements(plain.decode()), Elements(text)
        # The number of elements differs with the number of words; that of their kinds does not.
        more = set(found.kinds) - set(known.kinds)
        expect(not more, run, f"elements that a page with plain names has not: {more}")
        expect(found.scripts == known.scripts, run, "scripts differ")
    if form == "pprof":
        expect(len(gzip.decompress(content) if content[:2] == b"\x1f\x8b" else content) > 0, run, "an empty profile")
    if form == "collapsed":
        expect(all(re.fullmatch(r".* \d+", line) for line in text.split("\n")[:-1]), run, "a stack without a number")


@attack
def reports_of_names(attempt):
    """Classes, key paths, functions, files, threads and ids with escapes, HTML, scripts, XML, Markdown, formulas, marks of direction and commands of CI servers, in each form of report and export: nothing acts, and XML, JSON and SQLite are sound."""
    hostile, harmless = pair(attempt)
    path, plain = attempt.file("hostile.jsonl", log(hostile)), attempt.file("plain.jsonl", log(harmless))
    if attempt.random.random() < 0.5:
        attempt.audit("convert", path, "-o", attempt.work / "hostile.kvolog")
        path = attempt.work / "hostile.kvolog"
    form = attempt.random.choice(FORMS + EXPORTS)
    run, content = report(attempt, path, form)
    attempt.expect(run.status in (0, 1, 65), run, f"could not be reported: {hostile}")
    _, known = report(attempt, plain, form)
    expect_inert(attempt, run, form, content, known)
    if form == "sqlite":
        with sqlite3.connect(path.with_suffix(".out")) as database:
            attempt.expect(database.execute("pragma integrity_check").fetchone() == ("ok",), run, "the database is damaged")


@attack
def terminals(attempt):
    """The same names, and hostile names of files, for each command on a terminal, with colors and without: no escape of theirs gets there."""
    hostile, _ = pair(attempt)
    path = attempt.file("hostile.jsonl", log(hostile))
    name = attempt.random.choice([text for text in TEXTS if "/" not in text and "\0" not in text and len(text.encode()) < 200])
    other = attempt.work / name
    other.write_bytes(attempt.random.choice((b"", log(hostile).encode(), b"garbage")))
    command = attempt.random.choice(
        [["audit"], ["audit", "--color", "always"], ["audit", "--profile", "all"], ["audit", "--by-image"], ["census"], ["census", "--by-image"], ["census", "--parked"],
         ["growth"], ["stats"], ["validate"], ["verify-fix", "2:6898ccf5d8"], ["diff", other], ["heap"], ["merge"], ["index"], ["audit", "--suppressions", other], ["audit", "--config", other],
         ["audit", "--format", "markdown"], ["explain", name], ["anonymize", "--restore", other], ["symbols", "add", "--symbols", other], ["watch"], [name]]
    )
    target = attempt.random.choice((path, other))
    words = command if command[0] in ("explain", name) else command + ([target] if command[0] != "watch" else [path])
    if any(str(word).startswith("-") for word in words[1:] if word not in ("--color", "--profile", "--by-image", "--parked", "--suppressions", "--config", "--format", "--restore", "--symbols")):
        return
    primary, secondary = pty.openpty()
    chunks = []

    def read():
        try:
            while chunk := os.read(primary, 65536):
                chunks.append(chunk)
        except OSError:
            pass

    reader = threading.Thread(target=read)
    reader.start()
    environment = attempt.environment(TERM=attempt.random.choice(("xterm-256color", "dumb")), PAGER="cat")
    run = attempt.audit(*words, streams=(None, secondary, secondary), environment=environment)
    os.close(secondary)
    reader.join(10)
    os.close(primary)
    text = b"".join(chunks).decode(errors="replace").replace("\r\n", "\n")
    # The command's own: colors, clearing a line and what a table that is drawn anew needs; none of these is among the names.
    own = re.sub(r"\x1b\[(?:0|1|2|3\d|9\d|1;3\d)?m|\x1b\[\d*[AGJKH]|\x1b\[\?(?:25|1049|2026)[hl]|\r", "", text)
    found = ACTING.search(own)
    attempt.expect(not found, run, f"raw {found!r} on the terminal: {own[max(0, found.start() - 60) : found.end() + 60] if found else ''!r}")
