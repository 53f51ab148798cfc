"""Attacks on recorded programs: the output and the status must be those of an unrecorded run."""
import os
import re
import resource
import signal
import socket

from .attempt import attack
from .process import NOBODY, Conditions

PROGRAMS = [
    "Demo", "Correct", "DoubleRemove", "ObservedDies", "ObserverDies", "RemoveUnregistered", "UncompliantPath", "UnhandledNotification",
    # Takes snapshots of its heap, if the environment says so.
    "RetentionProbe requests environment",
]
VARIABLES = ["LOG", "LOG_LIMIT", "KEEP", "BUDGET", "CONTROL", "APP_VERSION", "HEAP", "HEAP_SIGNAL", "CONTAIN", "SYMBOLS", "INDEX", "PRELOAD"]
NONSENSE = [
    "", " ", "0", "-1", "1", "99999999999999999999", "-9223372036854775808", "1e9", "0x10", "NaN", "inf%", "1T", "1KK", "%", "%p", "%p%p%p%n%s%x",
    "%s" * 50, "%n", "%999999999d", "%1$s%2$n", "a" * 300, "a" * 5000, "a/" * 3000, "../" * 100 + "x", "/", "//", ".", "..", "./", "~", "~root/x",
    "\x1b[31m\x07", "a\nKVOSafety: b", "\u202ex\u2066", "\u00fc\u4e2d\U0001f600", "e\u0301", "\r", "\t", "\\", "'", '"', "$(touch x)", "`touch x`", ";touch x",
    "cpu=1%", "cpu=0%", "cpu=101%", "cpu=1e400%", "cpu=1.999999999999999999999%", "memory=1", "memory=1M", "disk=4M", "disk=18446744073709551615",
    "objects=0.0001%", "objects=100%,objects=1%", "cpu=1%,,", ",", "=", "cpu=", "finding", "finding,crash,call", "finding,,call", "FINDING", "USR1", "USR2", "9",
    "64", "65", "11", "SIGUSR1", "1M", "2M", "1G", "16777216T", "off", "all", "x.kvolog", "x-%p.kvolog", "y/", "y/z/w/", "/dev/null", "/dev/full",
    "/dev/stdout", "/dev/stderr", "/dev/fd/1", "/proc/self/mem", "/proc/self/exe", "/proc/1/root/x", "/sys/x", "/dev/zero", "/dev/tty", b"\xff\xfe\x80",
]


def without_recorder(complaint):
    """Live reports without addresses, of which a recorder captures more, and without what it says of itself."""
    left_out = (b"KVOSafety: ", b"  Names: ", b"    #")
    return [line for line in complaint.split(b"\n") if not line.startswith(left_out)]


def command(attempt, program):
    name, *words = program.split()
    return [attempt.products / name, *words]


def compare(attempt, program, variables, more, conditions, **options):
    """Runs a program with variables and without, and compares; returns the recorded run."""
    arguments = command(attempt, program)
    plain = attempt.run(arguments, environment=attempt.environment(**more), conditions=conditions, **options)
    environment = attempt.environment(**more)
    environment |= {name: value for name, value in variables.items()}
    recorded = attempt.run(arguments, environment=environment, conditions=conditions, **options)
    shown = f"with {variables}, {conditions}"
    attempt.expect(not recorded.is_hanging, recorded, f"hung {shown}")
    attempt.expect(
        (plain.status, plain.signal) == (recorded.status, recorded.signal), recorded, f"ended otherwise than {plain.shown} {shown}"
    )
    attempt.expect(plain.output == recorded.output, recorded, f"printed {recorded.output!r} and not {plain.output!r} {shown}")
    return plain, recorded, shown


def expect_same_reports(attempt, plain, recorded, shown):
    """Live reports are the same. A message of the recorder that has line ends in it is one of several lines."""
    if any(b"\n" in os.fsencode(str(value)) for value in recorded.arguments):
        return
    attempt.expect(
        without_recorder(plain.complaint) == without_recorder(recorded.complaint), recorded, f"reported otherwise {shown}"
    )


@attack
def variables(attempt):
    """Every KVO_SAFETY_ variable with nonsense, huge and negative numbers, patterns of printf, escapes, invalid UTF-8 and paths of devices: programs run as without."""
    values = {"KVO_SAFETY_LOG": "x.kvolog"}
    for name in attempt.random.sample(VARIABLES, attempt.random.choice((1, 2, 4, len(VARIABLES)))):
        values[f"KVO_SAFETY_{name}"] = attempt.random.choice(NONSENSE)
    before = attempt.tree()
    plain, recorded, shown = compare(attempt, attempt.random.choice(PROGRAMS), values, {}, Conditions())
    if not any("\n" in str(value) for value in values.values()):
        expect_same_reports(attempt, plain, recorded, shown)
    text = recorded.complaint.decode(errors="replace")
    attempt.expect(not re.search("[\x00-\x08\x0b-\x1f\x7f\u202e\u2066]", text), recorded, f"printed a control {shown}")
    # The log may be anywhere that LOG says; nothing else is written, and commands in names are not run.
    attempt.expect("touch x" in str(values) or not (attempt.work / "x").exists() or "x" in str(values["KVO_SAFETY_LOG"]), recorded, f"wrote x {shown}")
    if values["KVO_SAFETY_LOG"] == "x.kvolog":
        attempt.unchanged(before, recorded, r"x\.kvolog.*", ".*control.*", r"\S*/?", "a+", ".*")
        log = attempt.work / "x.kvolog"
        if log.exists():
            check_log(attempt, log, shown)


def check_log(attempt, log, shown):
    run = attempt.audit("validate", log)
    attempt.expect(run.status == 0, run, f"the log is not sound {shown}: {run.output[-300:]!r}")


def make_place(attempt):
    """A path where no log can be, or only with difficulty; which files must stay as they are."""
    work, kind = attempt.work, attempt.random.randrange(15)
    path = work / "place"
    if kind == 0:
        os.mkfifo(path)
    elif kind == 1:
        with socket.socket(socket.AF_UNIX) as listener:
            listener.bind(str(path))
    elif kind == 2:
        path.symlink_to("place")
    elif kind == 3:
        path.symlink_to("other")
        (work / "other").symlink_to("place")
    elif kind == 4:
        attempt.file("target", "precious")
        path.symlink_to("target")
    elif kind == 5:
        path.write_text("precious")
    elif kind == 6:
        path.mkdir(mode=0o555)
    elif kind == 7:
        path = work / "missing/folder/x.kvolog"
    elif kind == 8:
        (work / "x").mkdir(mode=0o000)
        path = work / "x/y.kvolog"
    elif kind == 9:
        path = work / "file/x.kvolog"
        attempt.file("file", "precious")
    elif kind == 10:
        (work / "place.previous").mkdir()
        path.write_bytes(attempt.source("log.kvolog"))
    elif kind == 11:
        (work / "place.previous").write_text("precious")
        path.write_bytes(attempt.source("log.kvolog"))
    elif kind == 12:
        path.write_bytes(attempt.source("log.kvolog")[: attempt.random.randrange(5000)])
        os.chmod(path, attempt.random.choice((0o000, 0o444, 0o222)))
    elif kind == 13:
        (work / "loop").symlink_to("loop")
        path = work / "loop/x.kvolog"
    else:
        path.mkdir()
        (path / "deep").symlink_to("..")
        path = path / ("deep/place/" * 30) / "x.kvolog"
    if attempt.random.random() < 0.2:
        path = f"{path}/"
    return path


@attack
def places(attempt):
    """Logs at FIFOs, sockets, links, loops of links, files of others, folders that are missing, read-only or another user's, as root and as nobody: programs run as without, and foreign files stay."""
    path = make_place(attempt)
    user = NOBODY if os.geteuid() == 0 and attempt.random.random() < 0.6 else None
    values = {"KVO_SAFETY_LOG": str(path), "KVO_SAFETY_KEEP": attempt.random.choice(("", "finding", "call"))}
    plain, recorded, shown = compare(attempt, attempt.random.choice(PROGRAMS), values, {}, Conditions(user=user))
    expect_same_reports(attempt, plain, recorded, shown)
    for found in attempt.work.rglob("*"):
        if found.name in ("target", "file") or (found.name == "place.previous" and found.is_file() and found.stat().st_size == 8):
            attempt.expect(found.read_text() == "precious", recorded, f"wrote into {found.name} {shown}")


@attack
def descriptors(attempt):
    """Standard input, output or error closed, with and without a control socket: programs run as without, and what they print is not in the log."""
    closed = tuple(number for number in range(3) if attempt.random.random() < 0.6) or (1,)
    values = {"KVO_SAFETY_LOG": "x.kvolog"}
    if attempt.random.random() < 0.5:
        values["KVO_SAFETY_CONTROL"] = str(attempt.work / "control")
    _, recorded, shown = compare(attempt, attempt.random.choice(PROGRAMS), values, {}, Conditions(closed=closed))
    log = attempt.work / "x.kvolog"
    attempt.expect(log.exists() or recorded.arguments[1:], recorded, f"no log {shown}")
    if log.exists():
        check_log(attempt, log, shown)


@attack
def limits(attempt):
    """Tiny limits of descriptors, file sizes, processes, stacks and locked memory: programs run as without."""
    value, kind = attempt.random, attempt.random.randrange(5)
    user = None
    if kind == 0:
        limit = {resource.RLIMIT_NOFILE: value.choice((3, 4, 5, 6, 8, 16, 63, 64))}
    elif kind == 1:
        limit = {resource.RLIMIT_FSIZE: value.choice((0, 1, 100, 4095, 4096, 4097, 65536, 1 << 20, 1 << 24))}
    elif kind == 2:
        limit = {resource.RLIMIT_NPROC: value.choice((0, 1, 2))}
        # The processes of a user are counted together: other tries that run at the same time have another one.
        user = 100_000 + attempt.number if os.geteuid() == 0 else None
    elif kind == 3:
        limit = {resource.RLIMIT_STACK: value.choice((65536, 131072, 262144, 1 << 20))}
    else:
        limit = {resource.RLIMIT_MEMLOCK: 0, resource.RLIMIT_CORE: 0, resource.RLIMIT_SIGPENDING: 0}
    values = {"KVO_SAFETY_LOG": "x.kvolog"}
    if value.random() < 0.5:
        values |= {"KVO_SAFETY_CONTROL": str(attempt.work / "control")}
    if value.random() < 0.3:
        values |= {"KVO_SAFETY_KEEP": "finding", "KVO_SAFETY_LOG_LIMIT": "1M"}
    compare(attempt, value.choice(PROGRAMS), values, {}, Conditions(limits=limit, user=user))


@attack
def memory(attempt):
    """Limits of address space, from the least with which a program runs unrecorded, and twice as much: it ends in an orderly way, or as Swift ends without memory; never hangs."""
    program = attempt.random.choice(PROGRAMS)
    size = attempt.random.choice((40, 60, 80, 100, 140, 200, 300, 500)) << 20
    conditions = Conditions(limits={resource.RLIMIT_AS: size})
    plain = attempt.run(command(attempt, program), conditions=conditions)
    values = attempt.environment(KVO_SAFETY_LOG="x.kvolog")
    run = attempt.run(command(attempt, program), environment=values, conditions=conditions)
    attempt.expect(not run.is_hanging, run, f"hung with {size >> 20} MB")
    if plain.status == 0 and size >= 140 << 20:
        attempt.expect(run.status == 0 and run.output == plain.output, run, f"did not run with {size >> 20} MB")


@attack
def surroundings(attempt):
    """A deleted working folder, SIGPIPE ignored or not with a closed reader, blocked signals, masks of permissions, nonsense in TZ, LANG and others: programs run as without."""
    value = attempt.random
    odd = ["", "x", "%", "../../../etc/passwd", ":" + "A" * 5000, "\U0001f600", "C.UTF-8", "tr_TR.UTF-8", ":/dev/zero", "<" * 1000, "UTC+99999999", "/"]
    names = ["TZ", "LANG", "LC_ALL", "TMPDIR", "HOME", "PATH", "LANGUAGE", "TERM", "USER", "SHELL", "MALLOC_PERTURB_", "XDG_CACHE_HOME"]
    more = {name: value.choice(odd) for name in value.sample(names, 4)}
    conditions = Conditions(
        ignored=tuple(value.sample([signal.SIGPIPE, signal.SIGINT, signal.SIGCHLD, signal.SIGALRM, signal.SIGSEGV, signal.SIGXFSZ], 2)),
        blocked=tuple(value.sample([signal.SIGPIPE, signal.SIGTERM, signal.SIGCHLD, signal.SIGSEGV, signal.SIGUSR1], 2)),
        umask=value.choice((None, 0, 0o777, 0o077)),
        folder_is_deleted=value.random() < 0.4,
    )
    streams = (None, None, None)
    closed = value.choice((None, 1, 2))
    ends = os.pipe() if closed else ()
    if closed:
        os.close(ends[0])
        streams = tuple(ends[1] if number == closed else None for number in range(3))
    values = {"KVO_SAFETY_LOG": value.choice(("x.kvolog", str(attempt.work / "y.kvolog"))), "KVO_SAFETY_CONTROL": value.choice(("", "1"))}
    compare(attempt, value.choice(PROGRAMS), values, more, conditions, streams=streams)
    if closed:
        os.close(ends[1])
