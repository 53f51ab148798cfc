"""Attacks on the control of running processes: hostile clients of its socket, hostile processes that answer, and a folder that changes."""
import os
import re
import select
import shutil
import signal
import socket
import struct
import subprocess
import sys
import time

from .attempt import ACTING, attack, long_attack
from .process import NOBODY, Conditions

LINES = [
    b"dance\n", b"", b"\n", b"status", b"status\n" * 50, b"status \n", b"x" * 4095, b"x" * 5000, b"\xff\x00\n", b"start \n", b"start /\n", b"start /dev/null\n", b"start " + b"a/" * 2000 + b"\n",
    b"start \x1b[31m\n", b"keep " + b"x" * 4000 + b"\n", b"keep \xff\xfe\n", b"keep %s%n\n", b"keep\n", b"stop\n", b"stop stop\n", b"start a.kvolog\nstop\n", b"status\0stop\n", b"STATUS\n", b"\x1b[31m\n",
]
# Connects to the heap's socket or that of control as the process that is asked, and answers by what standard input says.
SERVER = r"""
import os, socket, sys
kind, folder, answer, user = sys.argv[1:]
if user:
    os.setuid(int(user))
listener = socket.socket(socket.AF_UNIX)
listener.bind(f"\0kvo-safety-heap-{os.getpid()}" if kind == "heap" else f"{folder}/{os.getpid()}.control")
listener.listen()
print("ready", flush=True)
while True:
    peer, _ = listener.accept()
    try:
        peer.recv(100)
        if answer == "endless":
            # More than memory may be, and then the end.
            for _ in range(1 << 13):
                peer.sendall(b"ok\n" + b"x" * (1 << 18))
        elif answer != "none":
            peer.sendall(eval(answer))
    except OSError:
        pass
    peer.close()
"""
ANSWERS = [
    "endless", "none", r"b'ok\n\x1b[31m\x07\xe2\x80\xae\n'", r"b'refused: \x1b[31m\n'", r"b'ok'", r"b'refused: '", r"b'\xff' * 1000", r"b'ok\n' + b'\0' * 1000", r"b'refused: ' + b'x' * 10000000",
    r"b'ok\nrecording: \x9b31m\xc2\x9b31m\rno\n'", r"b'KVOHEAP' * 1000", r"b'ok\n' * 100000",
]


class Probe:
    """A process that is controlled, and that observes for each line that it gets."""

    def __init__(self, attempt, folder, **more):
        self.attempt = attempt
        environment = attempt.environment(KVO_SAFETY_CONTROL=folder, **more)
        self.errors = open(attempt.state / "errors", "wb")
        self.child = subprocess.Popen(
            [attempt.products / "RecorderProbe", "controlled"], cwd=attempt.work, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self.errors
        )
        attempt.run_count += 1
        self.path = f"{folder}/{self.child.pid}.control"

    def observe(self):
        self.child.stdin.write(b"observe\n")
        self.child.stdin.flush()
        ready = select.select([self.child.stdout], [], [], 30)[0]
        self.attempt.expect(ready and self.child.stdout.readline() == b"observe\n", None, "the program does not go on")

    def end(self):
        self.child.stdin.close()
        try:
            status = self.child.wait(30)
            self.attempt.expect(status == 0, None, f"the program ended with {status}")
        except subprocess.TimeoutExpired:
            self.attempt.expect(False, None, "the program does not end")
            self.child.kill()
            self.child.wait()
        self.child.stdout.close()
        self.errors.close()
        text = (self.attempt.state / "errors").read_text(errors="replace")
        self.attempt.expect(not ACTING.search(text), None, f"raw {ACTING.search(text)!r} in its errors")


def connect(path):
    peer = socket.socket(socket.AF_UNIX)
    # With a time limit of Python's the socket does not block, and is refused if as many wait as may.
    peer.setsockopt(socket.SOL_SOCKET, socket.SO_SNDTIMEO, struct.pack("ll", 15, 0))
    peer.connect(str(path))
    peer.settimeout(15)
    return peer


@long_attack
def control_clients(attempt):
    """Hostile clients of the control socket: partial and long lines, garbage, many connections, such that send a byte a second or read nothing: the program goes on, and kvo-audit control is answered."""
    folder = attempt.work / "control"
    probe = Probe(attempt, folder, KVO_SAFETY_KEEP=attempt.random.choice(("", "call")))
    probe.observe()
    held = []
    dripping = attempt.random.random() < 0.15
    for _ in range(attempt.random.choice((1, 5, 20))):
        try:
            peer = connect(probe.path)
            peer.settimeout(attempt.random.choice((0.01, 1)))
            peer.sendall(attempt.random.choice(LINES))
            way = attempt.random.randrange(3)
            if way == 0:
                peer.shutdown(socket.SHUT_WR)
                peer.recv(4096)
            elif way == 1 and len(held) < 2:
                held.append(peer)
                continue
            peer.close()
        except OSError:
            peer.close()
    probe.observe()
    # One that never ends its line, and never waits as long as a call may.
    slow = connect(probe.path) if dripping else None

    def drip(child):
        end = time.monotonic() + 40
        while slow and time.monotonic() < end and not ended(child):
            try:
                slow.send(b"x")
            except OSError:
                return
            time.sleep(1)

    run = attempt.audit("control", probe.child.pid, "status", "--folder", folder, meanwhile=drip)
    attempt.expect(run.status == 0, run, f"the process is not reached{' beside one that sends a byte a second' if dripping else ''}")
    probe.observe()
    for peer in held + ([slow] if slow else []):
        peer.close()
    probe.end()


def ended(child):
    with open(f"/proc/{child.pid}/stat") as file:
        return file.read().rsplit(")", 1)[1].split()[0] == "Z"


@attack
def control_of_others(attempt):
    """Another user's process at the control socket and at that of heap, in a folder that is opened later: refused; and a process of another user that is asked without rights."""
    attempt.need_root()
    folder = attempt.work / "control"
    probe = Probe(attempt, folder)
    probe.observe()
    log = attempt.work / "stolen.kvolog"
    run = attempt.audit("control", probe.child.pid, "start", log, "--folder", folder, conditions=Conditions(user=NOBODY))
    attempt.expect(run.status == 65, run, "another user reaches the process")
    run = attempt.audit("heap", "--pid", probe.child.pid, conditions=Conditions(user=NOBODY))
    attempt.expect(run.status == 65, run, "another user reaches the process")
    # Even if the folder is open.
    folder.chmod(0o777)
    os.chmod(probe.path, 0o777)
    script = f"import os, socket; os.setuid({NOBODY}); s = socket.socket(socket.AF_UNIX); s.connect({probe.path!r}); s.sendall(b'start {log}\\n'); print(s.recv(1000))"
    run = attempt.run([sys.executable, "-c", script])
    attempt.expect(b"refused: " in run.output or b"ConnectionReset" in run.complaint or b"BrokenPipe" in run.complaint, run, f"answered another user: {run.output!r}")
    run = attempt.audit("control", probe.child.pid, "status", "--folder", folder)
    attempt.expect(run.status == 65, run, "an open folder is trusted")
    attempt.expect(not log.exists(), run, "another user started a log")
    folder.chmod(0o700)
    probe.observe()
    probe.end()


@attack
def control_files(attempt):
    """The control folder or socket as a link, a folder, a file, a loop, another user's or too long, replaced while the process runs: the program goes on, nothing foreign is removed, and the client says what is wrong."""
    way = attempt.random.randrange(9)
    folder = attempt.work / "control"
    if way == 0:
        (attempt.work / "elsewhere").mkdir(mode=0o700)
        folder.symlink_to("elsewhere")
    elif way == 1:
        folder.write_text("precious")
    elif way == 2:
        folder.symlink_to("control")
    elif way == 3 and os.geteuid() == 0:
        folder.mkdir(mode=0o700)
        os.chown(folder, NOBODY, NOBODY)
    elif way == 4:
        folder = attempt.work / ("n" * 120)
    probe = Probe(attempt, folder)
    probe.observe()
    if way > 4:
        attempt.file("precious", "precious")
        os.unlink(probe.path)
        if way == 5:
            os.symlink("../precious", probe.path)
        elif way == 6:
            os.mkdir(probe.path)
        elif way == 7:
            shutil.copy(attempt.work / "precious", probe.path)
        else:
            os.rmdir(folder)
            os.symlink(".", folder)
    run = attempt.audit("control", probe.child.pid, "status", "--folder", folder)
    attempt.expect(run.status == 65, run, "something else is taken for the process")
    attempt.names(run, probe.child.pid)
    probe.observe()
    probe.end()
    for path in (attempt.work / "precious", folder):
        if path.is_file():
            attempt.expect(path.read_text() == "precious", run, f"changed {path.name}")


@long_attack
def answers(attempt):
    """A process that answers kvo-audit control or heap with escapes, garbage, nothing, or without end, also one of nobody that root asks: nothing acts on the terminal, and within 1 GB."""
    kind = attempt.random.choice(("control", "control", "heap"))
    folder = attempt.work / "control"
    folder.mkdir(mode=0o700)
    user = NOBODY if os.geteuid() == 0 and attempt.random.random() < 0.5 else None
    if user:
        os.chown(folder, user, user)
    answer = attempt.random.choice(ANSWERS)
    with subprocess.Popen(
        [sys.executable, "-c", SERVER, kind, folder, answer, str(user or "")], stdout=subprocess.PIPE, cwd=attempt.work
    ) as server:
        server.stdout.readline()
        words = ["heap", "--pid", server.pid] if kind == "heap" else ["control", server.pid, attempt.random.choice(("status", "stop", "keep")), "--folder", folder]
        run = attempt.audit(*words)
        server.send_signal(signal.SIGKILL)
    text = run.output.decode(errors="surrogateescape")
    attempt.expect(not ACTING.search(text), run, f"raw {ACTING.search(text)!r} in its output, of {answer}")
    if kind == "heap" or not re.match(r"b'ok\\n", answer):
        attempt.expect(run.status == 65, run, f"{answer} is an answer")
    attempt.names(run, server.pid)


def ask(port, data, seconds=15):
    """What the server answers; empty: nothing, or not in time."""
    answer = b""
    try:
        with socket.create_connection(("127.0.0.1", port), timeout=seconds) as peer:
            peer.sendall(data)
            while more := peer.recv(65536):
                answer += more
    except OSError:
        pass
    return answer


@long_attack
def page_clients(attempt):
    """Hostile clients of `watch --serve`: garbage, endless heads, wrong hosts, paths of files, 300 connections that say nothing, while the log is cut and written: the page is served to its end, and nothing else is."""
    value = attempt.random
    log = attempt.file("log.jsonl", attempt.source("log.jsonl"))
    attempt.file("secret.txt", "precious")

    def attack_page(child):
        # The port is in the first line that it prints.
        port, end = None, time.monotonic() + 30
        while port is None and time.monotonic() < end:
            found = re.search(rb"127\.0\.0\.1:(\d+)/", open(errors.name, "rb").read())
            port = int(found[1]) if found else None
            time.sleep(0.05)
        if not attempt.expect(port, None, "no port is printed"):
            return
        own = f"127.0.0.1:{port}".encode()
        silent = [socket.create_connection(("127.0.0.1", port)) for _ in range(value.choice((1, 20, 300)))]
        for _ in range(10):
            path = value.choice((b"/", b"/secret.txt", b"/../secret.txt", b"/%2e%2e/secret.txt", b"//etc/passwd", b"/state", b"/" + b"a" * 9000, b"*", b"http://x/"))
            host = value.choice((own, own, b"x.test", b"", b"localhost:1", b"a" * 9000, own + b"\r\nHost: x"))
            method = value.choice((b"GET", b"GET", b"HEAD", b"POST", b"\x16\x03\x01", b"G" * 100))
            answer = ask(port, method + b" " + path + b" HTTP/1.1\r\nHost: " + host + value.choice((b"\r\n\r\n", b"\n\n", b"\r\nContent-Length: 99999999999999999999\r\n\r\n")), 7)
            attempt.expect(b"precious" not in answer and b"root:" not in answer, None, f"served a file for {path!r}")
            if host == b"x.test":
                attempt.expect(b"</html>" not in answer, None, f"served the page for the host {host!r}")
            if value.random() < 0.3:
                log.write_bytes(value.choice((b"", b"garbage\n", attempt.source("log.jsonl"), attempt.source("log.jsonl")[:3000])))
        # The first page takes as long as an audit.
        end = time.monotonic() + 30
        answer = b"HTTP/1.1 503"
        while answer.startswith(b"HTTP/1.1 503") and time.monotonic() < end:
            answer = ask(port, b"GET / HTTP/1.1\r\nHost: " + own + b"\r\n\r\n")
            time.sleep(0.2)
        attempt.expect(answer.startswith(b"HTTP/1.1 200") and answer.rstrip().endswith(b"</html>"), None, f"the page is not served: {answer[:200]!r}")
        for peer in silent:
            peer.close()
        os.kill(child.pid, signal.SIGINT)

    with open(attempt.state / "served", "wb") as errors:
        run = attempt.run(
            [attempt.products / "kvo-audit", "watch", log, "--serve", "0", "--every", "0.2"], streams=(None, errors, errors), meanwhile=attack_page, seconds=150
        )
    attempt.expect(not run.is_hanging and run.signal in (None, signal.SIGINT), run, "does not end by SIGINT")
