#!/usr/bin/env python3
"""Prints a binary log (.kvolog) as JSON Lines, in canonical form.

    python3 read_kvolog.py app.kvolog

Written from BinaryLogFormat.md, whose words it uses. What cannot be read is named on standard error
and left out.
"""
import heapq
import json
import re
import struct
import sys
from collections import namedtuple

MASK = (1 << 64) - 1
ABSENT = object()  # the value of a key that is left out

# The events from kind 1 on, with their fields as they lie in the file. `key?bit:type` follows where
# that bit of the shape is set; `key@bit:type` stands in the shape itself. Words with | between them
# are a choice (an empty one leaves the key out), with + they are a set; * makes a list. An empty
# `sid` leaves its key out, an empty `text` does not.
REGISTRATION = """shape subject:obj keyPath:text registration?0:id observer?1:obj context@3:context
 options@7:new+old+initial+prior form@5:classic|token|controller|stream token?2:obj site?11:sid
 executor?12:sid expectedToLive?13:sid"""
EVENTS = f"""
process = schema:u63 shape pid?0:u63 executable?1:text
 runtime?2:swift|apple|gnustep-1.28|gnustep-modern os?3:text started?4:text complete@5:false|true
 saysScopes@6:|true omitsNotifications@7:|true
module = path:text buildID:sid loadBias:address textStart:address textEnd:address
threadName = name:text
live register = {REGISTRATION}
registerEnd = registration:id
refused = {REGISTRATION.replace("keyPath:text", "keyPath:sid")}
 reason:nilKeyPath|emptyKeyPath|unknownKey|throughCollection|readOnly|notObservable part:sid
remove removeEnd = shape subject:obj keyPath:text observer?0:obj registration?5:null registration?1:id
 context@2:context site?4:sid
cancel = registration:id by:user|owner|subject|token|observer|runtime
willChange didChange = shape subject:obj key:text change?2:id kind@0:|insertion|removal|replacement
notify notifyEnd = shape registration:id change?2:id phase@0:initial|prior|after executor?3:sid
 handled@4:|false|true exception?6:sid
attach detach = registration:id depth:u32 key:text object:obj strength:strong|weak|unowned
deinit deinitEnd = object:obj
write = subject:obj key:text fingerprint:text
hold drop = from:obj to:obj label:sid shape strength@0:strong|weak|unowned
 certainty@2:proven|suspected site:sid
walkBegin = roots:obj*
walkEnd = shape complete@0:false|true opaque:text* asserted@1:|true
expectDeinit = object:obj shape deadline?0:u
scopeBegin = shape id:id name:sid parent?0:id repetition?1:u63
scopeEnd = id:id
lock unlock = lock:id
class = object:obj class:text kvoSubclass:false|true
declares = class:text superclass:sid key:text shape manual@0:false|true
 problem@2:|noAccessor|ignoredDependencies affectedBy:text*
crash = signal:sid exception:sid reason:sid shape live?0:u63
dropped = count:u why:sid
exit = status:zigzag
expects = rules:rule*"""
FIELD = re.compile(r"(\w+)([?@]?)(\d*):?(\S*)")
KINDS = [(name, FIELD.findall(fields))
         for names, fields in re.findall(r"^(\w.*?) = (.*)$", EVENTS.replace("\n ", " "), re.M)
         for name in names.split()]
# A line has these keys first, and the last two last; the others as the file has them.
KEY_ORDER = {key: place for place, key in enumerate(
    "subject observer keyPath context options registration id parent others manual problem".split())}
CHOICES = {"": ABSENT, "false": False, "true": True}
LIMITS = {"u63": MASK >> 1, "u32": MASK >> 32, "rule": 999}


def rotate(value, count):
    return (value << count | value >> (64 - count)) & MASK


def xxh64(data):
    p1, p2, p3, p4, p5 = (0x9E3779B185EBCA87, 0xC2B2AE3D27D4EB4F, 0x165667B19E3779F9,
                          0x85EBCA77C2B2AE63, 0x27D4EB2F165667C5)

    def lane(value, word):
        return rotate((value + word * p2) & MASK, 31) * p1 & MASK

    value, at = p5, len(data) // 32 * 32
    if at:
        lanes = [(p1 + p2) & MASK, p2, 0, -p1 & MASK]
        for words in struct.iter_unpack("<4Q", data[:at]):
            lanes = list(map(lane, lanes, words))
        value = sum(map(rotate, lanes, (1, 7, 12, 18)))
        for part in lanes:
            value = ((value ^ lane(0, part)) * p1 + p4) & MASK
    value = (value + len(data)) & MASK
    while at + 8 <= len(data):
        value = rotate(value ^ lane(0, int.from_bytes(data[at:at + 8], "little")), 27)
        value, at = (value * p1 + p4) & MASK, at + 8
    if at + 4 <= len(data):
        value = rotate(value ^ int.from_bytes(data[at:at + 4], "little") * p1 & MASK, 23)
        value, at = (value * p2 + p3) & MASK, at + 4
    for byte in data[at:]:
        value = rotate(value ^ byte * p5 & MASK, 11) * p1 & MASK
    value = (value ^ value >> 33) * p2 & MASK
    value = (value ^ value >> 29) * p3 & MASK
    return value ^ value >> 32


def complain(at, what):
    print(f"byte {at}: {what}", file=sys.stderr)


def present(keys):
    return {key: value for key, value in keys.items() if value is not ABSENT}


Segment = namedtuple("Segment", "at size type index thread tick nanoseconds used checksum")


class Log:
    def __init__(self, data):
        self.data, self.strings, self.stacks = data, {0: ""}, {0: []}
        self.dropped = self.stringless = self.stackless = 0
        if len(data) < 152 or data[:8] != b"\x89KVOL\r\n\x1a":
            sys.exit("this is no binary log")
        version, flags, t0, n0, t1, n1, checksum = struct.unpack_from("<II16x5Q", data, 8)
        if checksum != xxh64(data[:64]):
            sys.exit("the header of the log is damaged")
        if version > 1:
            sys.exit(f"the log is of version {version}; this reads version 1")
        self.is_serial, (self.lost, length) = flags & 1, struct.unpack_from("<QQ", data, 128)
        self.length = length if flags & 2 else 0
        if len(data) < self.length:
            complain(len(data), f"the file was cut: the log has {self.length} bytes")
        self.segments = list(self.find_segments())
        moments = [(segment.tick, segment.nanoseconds) for segment in self.segments]
        self.first, self.later = (t0, n0), max([(t1, n1)] + moments, key=lambda moment: moment[0])

    def find_segments(self):
        at = 4096
        while at < len(self.data):
            page = self.data[at:at + 4096]
            magic, size, type, zero, index, thread, tick, nanoseconds, checksum, *seal = (
                struct.unpack("<4sIHHI6Q", page[:64].ljust(64, b"\0")))
            if (magic == b"KVSG" and checksum == xxh64(page[:40])
                    and size and size % 4096 == 0 and type in (1, 2) and zero == 0):
                yield Segment(at, size, type, index, thread, tick, nanoseconds, *seal)
                at += size
                continue
            if at < self.length or any(page[:4] + page[64:]):
                complain(at, "this page is neither a segment nor empty")
            at += 4096

    def time(self, tick):
        (t0, n0), (t1, n1) = self.first, self.later
        passed = tick - t0 if t1 <= t0 or n1 <= n0 else (tick - t0) * (n1 - n0) // (t1 - t0)
        return min(max(n0 + passed, 0), MASK)

    def lines(self):
        """All lines: the events of the tables, and then those of the threads, merged."""
        tables, threads = [], {}
        for segment in self.segments:
            run = threads.setdefault(0 if self.is_serial else segment.thread, [])
            (tables if segment.type == 1 else run).append(segment)
        for _, keys in self.events(tables):
            yield keys
        runs = [self.events(run) for _, run in sorted(threads.items())]
        for _, keys in heapq.merge(*runs, key=lambda event: event[0]):
            yield keys
        if self.lost > self.dropped:
            yield {"event": "dropped", "count": self.lost - self.dropped}

    def events(self, run):
        """The events of a run of segments: the tick by which each is taken, and its keys."""
        latest = expected = 0
        for segment in sorted(run, key=lambda segment: segment.index):
            if segment.index < expected:
                complain(segment.at, f"a second segment {segment.index}; the first counts")
                continue
            if segment.index > expected:
                complain(segment.at, f"{segment.index - expected} segments before this are missing")
            expected = segment.index + 1
            for tick, keys in Records(self, segment).events():
                latest = max(latest, tick)
                yield latest, keys


class Damage(Exception):
    pass


class Records:
    """The records of a segment, from the first to the last that is whole."""

    def __init__(self, log, segment):
        self.log, self.segment, self.at = log, segment, 0
        self.tick, self.thread, self.scope = segment.tick, segment.thread, 0
        start, room, used = segment.at + 64, segment.size - 64, segment.used
        size = used if segment.checksum else room
        self.data = log.data[start:start + size]
        if used > room or segment.checksum not in (0, used and (xxh64(self.data) or 1)):
            self.complain("the segment is damaged, and left out")
            self.data = b""
        elif len(self.data) < size:
            self.complain("the log ends inside the segment")

    def complain(self, what):
        began = self.log.time(self.segment.tick)
        complain(self.segment.at + 64 + self.at, f"{what} (in a segment begun at {began} ns)")

    def events(self):
        while self.at < len(self.data):
            start, self.shape, self.lacks_string = self.at, 0, False
            try:
                kind = self.byte()
                if kind == 0 and not self.segment.checksum and start >= self.segment.used:
                    if any(self.data[start:]):
                        self.complain("what stands behind the last record is left out")
                    return
                event = self.record(kind)
            except (Damage, IndexError):  # an index behind the bytes, or behind a list of choices
                self.at = start
                self.complain("no record stands here; the rest of the segment is left out")
                return
            if event:
                yield self.tick, event

    def record(self, kind):
        is_table = self.segment.type == 1
        if 1 <= kind & 63 <= (2 if is_table else len(KINDS)):
            return self.event(kind)
        if kind == 51:
            self.scope = self.u()
        elif kind == 52:
            self.thread = self.u()
        elif is_table and kind in (48, 49, 50):
            self.define(kind)
        else:
            raise Damage

    def define(self, kind):
        table = self.log.strings if kind == 48 else self.log.stacks
        number, count, address = self.u(), self.count(), 0
        if kind == 48:
            meaning = self.data[self.at:self.at + count].decode("utf-8", "replace")
            self.at += count
        else:
            meaning = []
            for _ in range(count):
                address = self.u() if kind == 50 else (address + self.take("zigzag")) & MASK
                meaning.append(self.frame(address, is_bare=kind == 49))
        if not self.lacks_string:
            table.setdefault(number, meaning)

    def frame(self, address, is_bare):
        keys = {"address": hex(address) if address else ABSENT}
        if not is_bare:
            keys.update({key: self.take("sid") for key in ("symbol", "module", "file")})
            keys["line"] = self.take("u32") or ABSENT
        keys = present(keys)
        return keys["address"] if list(keys) == ["address"] else keys

    def event(self, kind):
        (name, fields), own = KINDS[(kind & 63) - 1], {}
        flags, keys = self.byte() if kind & 128 else 0, {"event": name}
        if not flags & 2:
            self.tick = self.u() + (0 if flags & 4 else self.tick)
            keys["t"] = self.log.time(self.tick)
        keys["thread"] = self.id(self.thread - 1) if self.thread else ABSENT
        keys["order"] = self.u() if kind & 64 else ABSENT
        stack = self.log.stacks.get(self.u()) if flags & 1 else []
        for key, where, bit, type in fields:
            if key == "shape":
                self.shape = self.u()
            elif where == "@":
                mask = 15 if "+" in type else 1 if type.count("|") == 1 else 3
                own[key] = self.take(type, self.bits(int(bit), mask))
            elif not where or self.bits(int(bit), 1):
                own[key] = self.take(type)
        if name in ("hold", "drop"):
            for bit, key in enumerate(("from", "to"), 3):
                if not self.bits(bit, 1):  # the kind of this end is said
                    own[key].setdefault("kind", "object")
        scope = self.id(self.scope - 1) if self.scope else ABSENT
        if flags > 7 or self.tick > MASK or self.shape:
            raise Damage
        if self.lacks_string:
            self.log.stringless += 1
            return None
        if own.get("schema", 1) > 1:
            sys.exit(f"the log follows schema {own['schema']}; this reads schema 1")
        self.log.stackless += stack is None
        self.log.dropped += own["count"] if name == "dropped" else 0
        others = KEY_ORDER["others"]
        keys.update(sorted(own.items(), key=lambda item: KEY_ORDER.get(item[0], others)))
        return present({**keys, "stack": stack or ABSENT, "scope": scope})

    # Fields

    def byte(self):
        self.at += 1
        return self.data[self.at - 1]

    def u(self, limit=MASK):
        value = 0
        for shift in range(0, 70, 7):
            byte = self.byte()
            value |= (byte & 127) << shift
            if byte < 128:
                break
        if byte > 127 or value > limit:
            raise Damage
        return value

    def count(self):
        return self.u(limit=len(self.data) - self.at)

    def bits(self, at, mask):
        """Takes bits out of the shape, so that in the end those are left that mean nothing."""
        value = self.shape >> at & mask
        self.shape -= value << at
        return value

    def take(self, type, value=None):
        """The next field, or what the bits `value` of the shape say of it."""
        if type[-1] == "*":
            return [self.take(type[:-1]) for _ in range(self.count())] or ABSENT
        if type == "context":
            return (ABSENT, None, value == 2 and self.take("text"))[value]
        if "+" in type:
            return [word for n, word in enumerate(type.split("+")) if value >> n & 1] or ABSENT
        if type == "null":
            return None
        value = self.u(LIMITS.get(type, MASK)) if value is None else value
        if "|" in type:
            word = type.split("|")[value]
            return CHOICES.get(word, word)
        if type == "obj":
            kind = self.take("u")
            return present({"class": self.string(kind >> 2), "id": str(self.id(value)),
                            "kind": (ABSENT, "token", "closure", "registry")[kind & 3]})
        if type in ("sid", "text"):
            return self.string(value) or (ABSENT if type == "sid" else "")
        if type == "zigzag":
            return value >> 1 ^ -(value & 1)
        if type == "rule":
            return f"KVO{value:03}"
        return self.id(value) if type == "id" else hex(value) if type == "address" else value

    def string(self, number):
        self.lacks_string |= number not in self.log.strings
        return self.log.strings.get(number, "")

    def id(self, value):
        number, form = value >> 2, value & 3
        if form == 3 or form == 1 and number == 0:
            raise Damage
        name = self.string(number) if form == 1 else f"@{number}"
        if re.fullmatch("0|[1-9][0-9]{0,18}", name) and int(name) < 1 << 62:
            return int(name)
        return name if form else number


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    try:
        with open(sys.argv[1], "rb") as file:
            log = Log(file.read())
        with open(sys.stdout.fileno(), "wb", closefd=False) as output:
            for keys in log.lines():
                line = json.dumps(keys, ensure_ascii=False, separators=(",", ":"))
                output.write(line.encode() + b"\n")
    except BrokenPipeError:
        return  # whoever read the lines has enough of them
    except OSError as error:
        sys.exit(str(error))
    if log.stringless or log.stackless:
        print(f"left out: {log.stringless} events that name strings that are not there, and the "
              f"stacks of {log.stackless} that name such stacks", file=sys.stderr)


if __name__ == "__main__":
    main()
