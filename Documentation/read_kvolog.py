#!/usr/bin/env python3
"""Prints a binary log (.kvolog) as JSON Lines, in canonical form.

    python3 read_kvolog.py app.kvolog

Written from Documentation/BinaryLogFormat.md alone, as a second opinion on it; it imports nothing but
sys. It reads whole logs: what is damaged is named on standard error and left out.
"""
import sys

MASK = (1 << 64) - 1
PRIMES = (0x9E3779B185EBCA87, 0xC2B2AE3D27D4EB4F, 0x165667B19E3779F9, 0x85EBCA77C2B2AE63,
          0x27D4EB2F165667C5)
EVENTS = ("process module threadName live register registerEnd refused remove removeEnd cancel "
          "willChange didChange notify notifyEnd attach detach deinit deinitEnd write hold drop "
          "walkBegin walkEnd expectDeinit scopeBegin scopeEnd lock unlock class declares crash "
          "dropped exit").split()
KINDS = ("object", "token", "closure", "registry")
RUNTIMES = ("swift", "apple", "gnustep-1.28", "gnustep-modern")
FORMS = ("classic", "token", "controller", "stream")
REASONS = ("nilKeyPath", "emptyKeyPath", "unknownKey", "throughCollection", "readOnly",
           "notObservable")
CAUSES = ("user", "owner", "subject", "token", "observer")
CHANGES = ("setting", "insertion", "removal", "replacement")
PHASES = ("initial", "prior", "after")
STRENGTHS = ("strong", "weak", "unowned")
CERTAINTIES = ("proven", "suspected")
OPTIONS = ("new", "old", "initial", "prior")


def fixed(data, at, size):
    return int.from_bytes(data[at:at + size], "little")


def rotate(value, count):
    return (value << count | value >> (64 - count)) & MASK


def lane(value, word):
    return rotate((value + word * PRIMES[1]) & MASK, 31) * PRIMES[0] & MASK


def xxh64(data):
    p1, p2, p3, p4, p5 = PRIMES
    at = 0
    if len(data) >= 32:
        lanes = [(p1 + p2) & MASK, p2, 0, -p1 & MASK]
        while at + 32 <= len(data):
            lanes = [lane(v, fixed(data, at + 8 * i, 8)) for i, v in enumerate(lanes)]
            at += 32
        value = sum(rotate(v, n) for v, n in zip(lanes, (1, 7, 12, 18))) & MASK
        for v in lanes:
            value = ((value ^ lane(0, v)) * p1 + p4) & MASK
    else:
        value = p5
    value = (value + len(data)) & MASK
    while at + 8 <= len(data):
        value = (rotate(value ^ lane(0, fixed(data, at, 8)), 27) * p1 + p4) & MASK
        at += 8
    if at + 4 <= len(data):
        value = (rotate(value ^ (fixed(data, at, 4) * p1 & MASK), 23) * p2 + p3) & MASK
        at += 4
    for byte in data[at:]:
        value = rotate(value ^ (byte * p5 & MASK), 11) * p1 & MASK
    value = (value ^ value >> 33) * p2 & MASK
    value = (value ^ value >> 29) * p3 & MASK
    return value ^ value >> 32


class Damage(Exception):
    pass


class Log:
    def __init__(self, data):
        self.data, self.strings, self.stacks = data, {0: ""}, {0: []}
        if data[:8] != b"\x89KVOL\r\n\x1a" or fixed(data, 64, 8) != xxh64(data[:64]):
            sys.exit("not a binary log, or its header is damaged")
        if fixed(data, 8, 4) > 1:
            sys.exit("the log is of version %d; this reads version 1" % fixed(data, 8, 4))
        self.serial = fixed(data, 12, 4) & 1
        self.tick0, self.ns0 = fixed(data, 32, 8), fixed(data, 40, 8)
        self.segments = list(self.find())
        pairs = [(fixed(data, 48, 8), fixed(data, 56, 8))]
        pairs += [(s["tick"], s["ns"]) for s in self.segments]
        self.tick1, self.ns1 = max(pairs, key=lambda pair: pair[0])
        self.lost, self.dropped = fixed(data, 128, 8), 0

    def find(self):
        at, data = 4096, self.data
        while at + 64 <= len(data):
            size = fixed(data, at + 4, 4)
            if data[at:at + 4] != b"KVSG" or fixed(data, at + 40, 8) != xxh64(data[at:at + 40]):
                if any(data[at + 64:at + 4096]):
                    sys.stderr.write("no segment at %d\n" % at)
                at += 4096
                continue
            yield {"at": at, "size": size, "type": fixed(data, at + 8, 2),
                   "index": fixed(data, at + 12, 4), "thread": fixed(data, at + 16, 8),
                   "tick": fixed(data, at + 24, 8), "ns": fixed(data, at + 32, 8),
                   "used": fixed(data, at + 48, 8), "sum": fixed(data, at + 56, 8)}
            at += size

    def time(self, tick):
        passed = tick - self.tick0
        if self.tick1 > self.tick0 and self.ns1 > self.ns0:
            passed = passed * (self.ns1 - self.ns0) // (self.tick1 - self.tick0)
        return min(max(self.ns0 + passed, 0), MASK)

    def events(self):
        """Lines, in order: those among the tables, then the threads merged by time."""
        for segment in sorted((s for s in self.segments if s["type"] == 1), key=lambda s: s["index"]):
            for _, _, line in Records(self, segment):
                yield line
        found = []
        threads = {}
        for segment in sorted((s for s in self.segments if s["type"] == 2), key=lambda s: s["index"]):
            thread = 0 if self.serial else segment["thread"]
            last = threads.get(thread, 0)
            for place, (timed, tick, line) in enumerate(Records(self, segment)):
                last = max(last, tick)
                found.append((last, thread, segment["index"], place, line))
            threads[thread] = last
        for entry in found if self.serial else sorted(found, key=lambda e: e[:4]):
            yield entry[4]
        if self.lost > self.dropped:
            yield '{"event":"dropped","count":%d}' % (self.lost - self.dropped)


class Records:
    """The events of one segment, as (has a time, tick, line); definitions go into the log."""

    def __init__(self, log, segment):
        self.log, self.segment = log, segment
        start = segment["at"] + 64
        self.data = log.data[start:segment["at"] + segment["size"]]
        self.at, self.tick = 0, segment["tick"]
        self.thread, self.scope = segment["thread"], 0
        self.ends_at_zero = not segment["used"]
        if segment["used"]:
            self.data = self.data[:segment["used"]]
        if segment["sum"] and (xxh64(self.data) or 1) != segment["sum"]:
            sys.stderr.write("the segment at %d is damaged\n" % segment["at"])
            self.data = b""

    def __iter__(self):
        while self.at < len(self.data):
            try:
                kind = self.byte()
                if kind == 0 and self.ends_at_zero:
                    return
                event = self.record(kind)
            except (Damage, IndexError, KeyError):
                sys.stderr.write("no record at %d\n" % (self.segment["at"] + 64 + self.at))
                return
            if event:
                yield event

    def record(self, kind):
        if kind == 48:
            number, size = self.u(), self.u()
            self.log.strings[number] = self.data[self.at:self.at + size].decode("utf-8", "replace")
            self.at += size
        elif kind == 49:
            number, frames, address = self.u(), [], 0
            for _ in range(self.u()):
                address = (address + self.zigzag()) & MASK
                frames.append((address, 0, 0, 0, 0))
            self.log.stacks[number] = frames
        elif kind == 50:
            number = self.u()
            self.log.stacks[number] = [tuple(self.u() for _ in range(5)) for _ in range(self.u())]
        elif kind == 51:
            self.scope = self.u()
        elif kind == 52:
            self.thread = self.u()
        else:
            return self.event(kind)

    def event(self, kind):
        flags = self.byte() if kind & 128 else 0
        timed = not flags & 2
        if timed:
            self.tick = self.u() + (0 if flags & 4 else self.tick)
        keys = [("event", text(EVENTS[(kind & 63) - 1]))]
        if timed:
            keys.append(("t", self.log.time(self.tick)))
        if self.thread:
            keys.append(("thread", self.spelled(self.thread - 1)))
        if kind & 64:
            keys.append(("order", self.u()))
        stack = self.u() if flags & 1 else 0
        keys += getattr(self, EVENTS[(kind & 63) - 1])()
        if self.log.stacks.get(stack):
            keys.append(("stack", self.frames(self.log.stacks[stack])))
        if self.scope:
            keys.append(("scope", self.spelled(self.scope - 1)))
        return timed, self.tick, joined(keys)

    # Fields

    def byte(self):
        self.at += 1
        return self.data[self.at - 1]

    def u(self):
        value = 0
        for shift in range(0, 70, 7):
            byte = self.byte()
            value |= (byte & 127) << shift
            if byte < 128:
                if value > MASK:
                    raise Damage
                return value
        raise Damage

    def zigzag(self):
        value = self.u()
        return value >> 1 ^ -(value & 1)

    def sid(self):
        return text(self.log.strings[self.u()])

    def optional(self, key):
        """A text, left out where it is empty."""
        number = self.u()
        return [(key, text(self.log.strings[number]))] if number else []

    def spelled(self, value, quoted=False):
        tag, number = value & 3, value >> 2
        if tag == 1:
            name = self.log.strings[number]
            if name.isascii() and name.isdigit() and str(int(name)) == name and int(name) >> 62 == 0:
                return text(name) if quoted else name
            return text(name)
        if tag == 2:
            return text("@%d" % number)
        return text(str(number)) if quoted else number

    def id(self):
        return self.spelled(self.u())

    def obj(self):
        name, value = self.spelled(self.u(), quoted=True), self.u()
        keys = [("class", text(self.log.strings[value >> 2])), ("id", name)]
        return joined(keys + ([("kind", text(KINDS[value & 3]))] if value & 3 else []))

    def frames(self, frames):
        texts = []
        for address, symbol, module, file, line in frames:
            if address and not (symbol or module or file or line):
                texts.append(text(hex(address)))
                continue
            keys = [("address", text(hex(address)))] if address else []
            for key, number in (("symbol", symbol), ("module", module), ("file", file)):
                if number:
                    keys.append((key, text(self.log.strings[number])))
            texts.append(joined(keys + ([("line", line)] if line else [])))
        return listed(texts)

    # Events: the values stand in one order in the file and in another in the line

    def process(self):
        schema, shape = self.u(), self.u()
        keys = [("schema", schema)]
        if shape & 1:
            keys.append(("pid", self.u()))
        if shape & 2:
            keys.append(("executable", self.sid()))
        if shape & 4:
            keys.append(("runtime", text(RUNTIMES[self.u()])))
        if shape & 8:
            keys.append(("os", self.sid()))
        if shape & 16:
            keys.append(("started", self.sid()))
        return keys + [("complete", flag(shape & 32))]

    def module(self):
        keys = [("path", self.sid())] + self.optional("buildID")
        return keys + [(key, text(hex(self.u()))) for key in ("loadBias", "textStart", "textEnd")]

    def threadName(self):
        return [("name", self.sid())]

    def live(self):
        shape = self.u()
        subject, path = self.obj(), self.optional("keyPath")
        number = [("registration", self.id())] if shape & 1 else []
        observer = [("observer", self.obj())] if shape & 2 else []
        context = self.context(shape >> 3)
        token = [("token", self.obj())] if shape & 4 else []
        options = [text(name) for bit, name in enumerate(OPTIONS) if shape >> 7 + bit & 1]
        keys = [("subject", subject)] + observer + path + context
        keys += [("options", listed(options))] if options else []
        keys += number + [("form", text(FORMS[shape >> 5 & 3]))] + token
        for bit, key in ((11, "site"), (12, "executor"), (13, "expectedToLive")):
            keys += [(key, self.sid())] if shape >> bit & 1 else []
        return keys

    register = live

    def refused(self):
        return self.live() + [("reason", text(REASONS[self.u()]))] + self.optional("part")

    def remove(self):
        shape = self.u()
        subject, path = self.obj(), self.optional("keyPath")
        observer = [("observer", self.obj())] if shape & 1 else []
        number = [("registration", self.id())] if shape & 2 else []
        keys = [("subject", subject)] + observer + path + self.context(shape >> 2) + number
        return keys + ([("site", self.sid())] if shape & 16 else [])

    removeEnd = remove

    def context(self, bits):
        if bits & 3 == 2:
            return [("context", self.sid())]
        return [("context", "null")] if bits & 3 else []

    def cancel(self):
        return [("registration", self.id()), ("by", text(CAUSES[self.u()]))]

    def willChange(self):
        shape = self.u()
        keys = [("subject", self.obj()), ("key", self.sid())]
        keys += [("change", self.id())] if shape & 4 else []
        return keys + ([("kind", text(CHANGES[shape & 3]))] if shape & 3 else [])

    didChange = willChange

    def notify(self):
        shape = self.u()
        keys = [("registration", self.id())] + ([("change", self.id())] if shape & 4 else [])
        keys.append(("phase", text(PHASES[shape & 3])))
        keys += [("executor", self.sid())] if shape & 8 else []
        return keys + ([("handled", flag(shape >> 4 == 2))] if shape >> 4 else [])

    notifyEnd = notify

    def attach(self):
        keys = [("registration", self.id()), ("depth", self.u()), ("key", self.sid())]
        return keys + [("object", self.obj()), ("strength", text(STRENGTHS[self.u()]))]

    detach = attach

    def deinit(self):
        return [("object", self.obj())]

    deinitEnd = deinit

    def write(self):
        return [("subject", self.obj()), ("key", self.sid()), ("fingerprint", self.sid())]

    def hold(self):
        keys = [("from", self.obj()), ("to", self.obj())] + self.optional("label")
        shape = self.u()
        keys += [("strength", text(STRENGTHS[shape & 3])), ("certainty", text(CERTAINTIES[shape >> 2]))]
        return keys + self.optional("site")

    drop = hold

    def walkBegin(self):
        roots = [self.obj() for _ in range(self.u())]
        return [("roots", listed(roots))] if roots else []

    def walkEnd(self):
        keys = [("complete", flag(self.u()))]
        opaque = [self.sid() for _ in range(self.u())]
        return keys + ([("opaque", listed(opaque))] if opaque else [])

    def expectDeinit(self):
        return self.deinit() + ([("deadline", self.u())] if self.u() else [])

    def scopeBegin(self):
        shape, keys = self.u(), [("id", self.id())]
        name = self.optional("name")
        keys += [("parent", self.id())] if shape & 1 else []
        return keys + name + ([("repetition", self.u())] if shape & 2 else [])

    def scopeEnd(self):
        return [("id", self.id())]

    def registerEnd(self):
        return [("registration", self.id())]

    def lock(self):
        return [("lock", self.id())]

    unlock = lock

    def declares(self):
        keys = [("class", self.sid())] + self.optional("superclass") + [("key", self.sid())]
        manual = self.u()
        keys_of = [self.sid() for _ in range(self.u())]
        keys += [("affectedBy", listed(keys_of))] if keys_of else []
        return keys + [("manual", flag(manual))]

    def crash(self):
        keys = self.optional("signal") + self.optional("exception") + self.optional("reason")
        return keys + ([("live", self.u())] if self.u() else [])

    def dropped(self):
        count = self.u()
        self.log.dropped += count
        return [("count", count)] + self.optional("why")

    def exit(self):
        return [("status", self.zigzag())]


# A method cannot be called "class".
setattr(Records, "class", lambda self: self.deinit() + [
    ("class", self.sid()), ("kvoSubclass", flag(self.u()))])


# JSON, in canonical form

ESCAPES = {'"': '\\"', "\\": "\\\\", "\b": "\\b", "\t": "\\t", "\n": "\\n", "\f": "\\f", "\r": "\\r"}


def text(value):
    return '"' + "".join(
        ESCAPES.get(c) or ("\\u%04x" % ord(c) if c < " " else c) for c in value) + '"'


def flag(value):
    return "true" if value else "false"


def listed(texts):
    return "[" + ",".join(texts) + "]"


def joined(keys):
    return "{" + ",".join('"%s":%s' % pair for pair in keys) + "}"


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    with open(sys.argv[1], "rb") as file:
        log = Log(file.read())
    for line in log.events():
        sys.stdout.buffer.write(line.encode("utf-8") + b"\n")


if __name__ == "__main__":
    main()
