"""What is damaged: logs, reports, snapshots and other files of the programs that are attacked, and the ways of damaging."""
import gzip
import json
import lzma
import os
import pathlib
import shutil
import subprocess

CRASHES = ["console.txt", "gauges-1.ips", "gauges-2.ips", "zombie.crash"]


def make(root, folder, random):
    """Writes the sound files into `folder`, and returns it."""
    folder.mkdir(parents=True)
    # Readable for other users' programs, too.
    products = root / ".build/debug"
    audit = products / "kvo-audit"
    environment = os.environ | {"HOME": str(folder), "TMPDIR": "/tmp", "XDG_CACHE_HOME": str(folder / "cache")}
    for name in ("KVO_SAFETY_LOG", "GITHUB_ACTIONS"):
        environment.pop(name, None)

    def run(*words, output=None, statuses=(0, 1), **more):
        with open(folder / output if output else os.devnull, "wb") as file:
            done = subprocess.run(
                [str(word) for word in words], cwd=folder, stdout=file, stderr=subprocess.PIPE, env=environment | more
            )
        if done.returncode not in statuses:
            raise SystemExit(f"attack: {words}: status {done.returncode}\n{done.stderr.decode()}")

    for name in ("Demo", "DoubleRemove", "ObserverDies", "Correct"):
        run(products / name, KVO_SAFETY_LOG=str(folder / f"{name}.kvolog"))
    (folder / "Demo.kvolog").rename(folder / "log.kvolog")
    run(products / "SnapshotProbe", "log.kvoheap", KVO_SAFETY_LOG=str(folder / "probe.kvolog"))
    run(audit, "convert", "log.kvolog", "-o", "log.jsonl")
    run(audit, "convert", "Correct.kvolog", "-o", "correct.jsonl")
    run(audit, "--format", "json=log.json", "--format", "text=log.txt", "log.kvolog")
    run(audit, "--format", "json=other.json", "DoubleRemove.kvolog")
    run(audit, "anonymize", "log.kvolog", "-o", "anonymous.kvolog", "--map", "log.map", "--key", "log.key")
    for name in CRASHES:
        shutil.copy(root / "Examples/Crashes" / name, folder / name)
    (folder / "log.suppressions").write_text(
        "KVO001 class=BalanceScreen path=balance until=2099-01-31 because the rewrite removes it once (#412)\n"
    )
    (folder / "log.config").write_text("app-module = Demo\nfail-on = warning\ncolor = never\n")
    binary = (folder / "log.kvolog").read_bytes()
    lines = (folder / "log.jsonl").read_bytes()
    for name, content in (("log.kvolog", binary), ("log.jsonl", lines)):
        (folder / f"{name}.gz").write_bytes(gzip.compress(content, mtime=0))
        (folder / f"{name}.xz").write_bytes(lzma.compress(content))
        (folder / f"{name}.zst").write_bytes(zstandard(content))
    # An ELF file that is small, and one with debug information.
    for name, source in (("small.elf", "/bin/true"), ("program.elf", products / "DoubleRemove")):
        shutil.copy(source, folder / name)
    return folder


def zstandard(content, repeated=None):
    """A frame of stored blocks, or of one byte that is repeated."""
    # RFC 8878: the magic number, a header without a size of the content and with a window of 8 MiB, and blocks.
    frame = bytearray(b"\x28\xb5\x2f\xfd\x00\x68")
    size = 1 << 17
    if repeated is None:
        blocks = [(content[at : at + size], 0) for at in range(0, max(1, len(content)), size)]
        headers = [(len(block), kind, block) for block, kind in blocks]
    else:
        headers = [(size, 1, content)] * (repeated // size)
    for index, (count, kind, block) in enumerate(headers):
        last = index == len(headers) - 1
        frame += (last | kind << 1 | count << 3).to_bytes(3, "little") + block
    return bytes(frame)


# MARK: Ways of damaging


def flip(random, data):
    for _ in range(random.choice((1, 1, 2, 8, 64))):
        at = random.randrange(len(data))
        data[at] ^= 1 << random.randrange(8)


def cut(random, data):
    del data[random.randrange(len(data)) :]


def cut_front(random, data):
    del data[: random.randrange(1, len(data))]


def remove(random, data):
    at = random.randrange(len(data))
    del data[at : at + random.choice((1, 2, 3, 64, 4096))]


def fill(random, data):
    at, count = random.randrange(len(data)), random.choice((1, 8, 64, 512, 4096))
    piece = data[at : at + count]
    data[at : at + count] = bytes([random.choice((0, 0, 0xFF, 0x80, 0x0A))]) * len(piece)


def swap(random, data):
    size = random.choice((1, 8, 512, 4096))
    count = len(data) // size
    if count < 2:
        return flip(random, data)
    first, second = (size * at for at in random.sample(range(count), 2))
    data[first : first + size], data[second : second + size] = data[second : second + size], data[first : first + size]


def repeat(random, data):
    at, size = random.randrange(len(data)), random.choice((1, 16, 512, 4096))
    data[at:at] = data[at : at + size] * random.choice((1, 2, 50))


def forge(random, data):
    """A number that is as long as one of a length, or a small or huge one."""
    width = random.choice((1, 2, 4, 8))
    value = random.choice((0, 1, -1, len(data), len(data) + 1, 1 << 62, 1 << 31, 1 << 63, 0x7FFFFFFF, 0xFFFF))
    at = random.randrange(0, max(1, len(data) - width), random.choice((1, width)))
    data[at : at + width] = (value % (1 << 8 * width)).to_bytes(width, "little")


def insert(random, data):
    at = random.randrange(len(data))
    data[at:at] = random.choice((b"\0", b"\xff\xfe", b"\xc0\xaf", b"\xed\xa0\x80", b"\n", b"{", b'"', random.randbytes(100)))


def digits(random, data):
    """Replaces a number in text by a nonsensical one."""
    places = [at for at in range(len(data)) if 0x30 <= data[at] <= 0x39 and not 0x30 <= data[at - 1] <= 0x39]
    if not places:
        return flip(random, data)
    at = end = random.choice(places)
    while end < len(data) and 0x30 <= data[end] <= 0x39:
        end += 1
    data[at:end] = random.choice(
        (b"-1", b"1e400", b"18446744073709551616", b"9" * 400, b"0.5", b"-0", b"1e-400", b"4294967296", b"9223372036854775808")
    )


WAYS = [flip, cut, cut_front, remove, fill, swap, repeat, forge, insert]
WAYS_FOR_TEXT = WAYS + [digits, digits]


def damaged(random, content, ways=WAYS):
    """A damaged copy, which differs, and what was done."""
    while True:
        data = bytearray(content)
        done = random.choices(ways, k=random.choice((1, 1, 1, 2, 4)))
        for way in done:
            if data:
                way(random, data)
        if data != content:
            return bytes(data), ", ".join(way.__name__ for way in done)


def is_json_line(line):
    def refuse(word):
        raise ValueError(word)

    try:
        json.loads(line.decode(), parse_constant=refuse)
        return True
    except (ValueError, RecursionError):
        return False
