"""Runs a program under limits, and says what became of it."""
import dataclasses
import os
import resource
import select
import signal
import subprocess
import time

SECONDS = 60
KILOBYTES = 1 << 20
# Of what is printed, so much is read.
TEXT_LIMIT = 64 << 20
NOBODY = 65534


@dataclasses.dataclass
class Run:
    arguments: list
    status: int | None
    signal: int | None
    output: bytes
    complaint: bytes
    seconds: float
    kilobytes: int
    is_hanging: bool
    # Whether `output` and `complaint` are all that it printed.
    is_read: bool

    @property
    def shown(self):
        words = " ".join(str(word) for word in self.arguments)
        end = "hung" if self.is_hanging else f"signal {self.signal}" if self.signal else f"status {self.status}"
        return f"{words[-300:]!r}: {end}"


@dataclasses.dataclass
class Conditions:
    """The state in which a program is started."""

    limits: dict = dataclasses.field(default_factory=dict)
    closed: tuple = ()
    ignored: tuple = ()
    blocked: tuple = ()
    user: int | None = None
    umask: int | None = None
    folder_is_deleted: bool = False

    def apply(self):
        if self.folder_is_deleted:
            os.mkdir("deleted")
            os.chdir("deleted")
            os.rmdir("../deleted")
        # Python ignores the first two, and a shell the others of programs in the background.
        for number in (signal.SIGPIPE, signal.SIGXFSZ, signal.SIGINT, signal.SIGQUIT):
            signal.signal(number, signal.SIG_DFL)
        for number in self.ignored:
            signal.signal(number, signal.SIG_IGN)
        signal.pthread_sigmask(signal.SIG_BLOCK, self.blocked)
        if self.umask is not None:
            os.umask(self.umask)
        for limit, value in self.limits.items():
            resource.setrlimit(limit, (value, value))
        if self.user is not None:
            os.setgroups([])
            os.setgid(self.user)
            os.setuid(self.user)
        for descriptor in self.closed:
            os.close(descriptor)


def wait(child, seconds):
    """Returns the status and the use of resources, or None if the process still runs."""
    descriptor = os.pidfd_open(child.pid)
    try:
        if not select.select([descriptor], [], [], max(0, seconds))[0]:
            return None
    finally:
        os.close(descriptor)
    _, status, usage = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    return child.returncode, usage


def run(arguments, folder, environment, streams, conditions, meanwhile=None, seconds=SECONDS):
    """Runs a program; `meanwhile` is called with the process while it runs.

    `streams` are standard input, output and error: files, or descriptors. The last two are read if they are files of a
    name.
    """
    begin = time.monotonic()
    child = subprocess.Popen(
        [str(word) for word in arguments],
        cwd=folder,
        env=environment,
        stdin=streams[0],
        stdout=streams[1],
        stderr=streams[2],
        preexec_fn=conditions.apply,
        start_new_session=True,
    )
    try:
        if meanwhile:
            meanwhile(child)
        ended = wait(child, begin + seconds - time.monotonic())
    finally:
        # Whatever it left.
        try:
            os.killpg(child.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
    is_hanging = ended is None
    code, usage = ended or wait(child, SECONDS)

    def text(stream):
        if not hasattr(stream, "name"):
            return b""
        with open(stream.name, "rb") as file:
            return file.read(TEXT_LIMIT)

    return Run(
        arguments=arguments,
        status=code if code >= 0 and not is_hanging else None,
        signal=-code if code < 0 and not is_hanging else None,
        output=text(streams[1]),
        complaint=text(streams[2]),
        seconds=time.monotonic() - begin,
        kilobytes=usage.ru_maxrss,
        is_hanging=is_hanging,
        is_read=all(hasattr(stream, "name") and os.path.isfile(stream.name) for stream in streams[1:]),
    )
