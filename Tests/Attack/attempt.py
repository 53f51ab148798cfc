"""One try of an attack: its folder, its random numbers, the processes that it runs, and what did not hold."""
import os
import pathlib
import random
import re
import shutil
import stat
import tempfile

from . import process

# By name, in the order of their definition.
attacks = {}
STATUSES = {0, 1, 2, 64, 65, 69, 74}
# Signs of an error that nobody handled.
UNHANDLED = re.compile(rb"Fatal error|Error Domain=|NSCocoaErrorDomain|Stack dump|\*\*\* Signal|CodingKeys|Sanitizer")
# What moves a cursor, rings or reverses: controls except tab and line feed, also of one byte beyond ASCII, and marks of direction.
ACTING = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069\u061c]")


def attack(function):
    """An attack whose tries take less than a second."""
    attacks[function.__name__] = function
    function.every = 1
    return function


def long_attack(function):
    """One that takes longer, and is tried in every fourth round alone."""
    attack(function).every = 4
    return function


class Skipped(Exception):
    """Why an attack cannot be tried on this machine."""


class Attempt:
    def __init__(self, root, found, name, seed, number, sources):
        self.root, self.found, self.name, self.number, self.sources = root, found, name, number, sources
        self.random = random.Random(f"{seed} {name} {number}")
        self.problems = []
        self.run_count = 0
        self.products = root / ".build/debug"

    def __enter__(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="attack-"))
        self.work = self.folder / "work"
        self.state = self.folder / "state"
        for folder in (self.work, self.state, self.state / "home", self.state / "tmp"):
            folder.mkdir()
        # For programs of other users.
        for folder in (self.folder, self.work, self.state, self.state / "home", self.state / "tmp"):
            folder.chmod(0o777)
        self.kept = self.copies()
        return self

    def __exit__(self, *_):
        for folder, _, _ in os.walk(self.folder):
            os.chmod(folder, 0o700)
        shutil.rmtree(self.folder)

    # MARK: Files

    def source(self, name):
        return pathlib.Path(self.sources, name).read_bytes()

    def file(self, name, content=b""):
        path = self.work / name
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return path

    def need_root(self):
        if os.geteuid() != 0:
            raise Skipped("it needs root")

    # MARK: Processes

    def environment(self, **more):
        """A small one, whose folders belong to this try."""
        known = {"PATH": "/usr/bin:/bin", "HOME": self.state / "home", "TMPDIR": self.state / "tmp", "LANG": "C.UTF-8"}
        known |= {"SWIFT_BACKTRACE": "enable=no"} | more
        return {name: str(value) for name, value in known.items() if value is not None}

    def run(self, arguments, *, input=b"", environment=None, conditions=None, streams=(None, None, None), **options):
        """Runs a program in the folder of work."""
        self.run_count += 1
        with tempfile.TemporaryDirectory() as folder:
            def opened(number):
                if streams[number] is not None:
                    return streams[number]
                path = pathlib.Path(folder, str(number))
                if number == 0:
                    path.write_bytes(input)
                return open(path, "rb" if number == 0 else "wb")

            files = [opened(number) for number in range(3)]
            conditions = conditions or process.Conditions()
            try:
                run = process.run(
                    arguments, self.work, self.environment() if environment is None else environment, files, conditions, **options
                )
            except PermissionError:
                if conditions.user is None:
                    raise
                raise Skipped("other users may not run the build")
            for file, given in zip(files, streams):
                if given is None:
                    file.close()
        return run

    def audit(self, *arguments, statuses=STATUSES, memory=process.KILOBYTES, **options):
        """Runs kvo-audit, which must hold whatever is asked of it."""
        run = self.run([self.products / "kvo-audit", *arguments], **options)
        self.judge(run, statuses, memory)
        return run

    def judge(self, run, statuses=STATUSES, memory=process.KILOBYTES):
        self.expect(not run.is_hanging, run, f"it hung for {run.seconds:.0f} s")
        self.expect(run.signal is None, run, "it was ended by a signal")
        if run.status is not None:
            self.expect(run.status in statuses, run, f"not one of the statuses {sorted(statuses)}")
        self.expect(run.kilobytes < memory, run, f"it took {run.kilobytes:,} kB")
        self.expect(not UNHANDLED.search(run.complaint), run, "an error was not handled")
        if run.status in (64, 65, 69, 74) and run.is_read:
            self.expect(run.complaint.strip() or run.output.strip(), run, "nothing says why")
        # Without its own colors.
        text = run.complaint.decode(errors="surrogateescape")
        self.expect(not ACTING.search(text), run, f"raw {ACTING.search(text)!r} in the errors")

    # MARK: What must hold

    def expect(self, holds, run, text):
        if holds:
            return True
        said = run.complaint[-600:].decode(errors="backslashreplace") if run else ""
        self.problems.append(f"{run.shown if run else ''} {text}" + (f"\n{said!r}" if said else ""))
        return False

    def names(self, run, name):
        """An error of an input says which."""
        shown = str(name).encode()
        if run.status in (65, 74):
            self.expect(shown in run.complaint + run.output, run, f"the error does not name {name}")

    def tree(self):
        """The files of the try, and what tells them apart; without the cache of indices, which may grow."""
        found = {}
        for folder, names, files in os.walk(self.folder):
            if pathlib.Path(folder).name == ".cache":
                names.clear()
                continue
            for name in files + names:
                path = pathlib.Path(folder, name)
                status = path.lstat()
                isFile = stat.S_ISREG(status.st_mode)
                found[str(path.relative_to(self.folder))] = path.read_bytes() if isFile else stat.S_IFMT(status.st_mode)
        found.pop("state/home/.cache", None)
        return found

    def unchanged(self, before, run, *allowed):
        """Nothing was written except the files of these names."""
        after = self.tree()
        changed = [name for name in before.keys() | after.keys() if before.get(name) != after.get(name)]
        others = [name for name in changed if not any(re.fullmatch(f"(state|work)/{one}", name) for one in allowed)]
        self.expect(not others, run, f"changed {sorted(others)}")

    # MARK: The end

    def copies(self):
        return self.found / f"{self.name}-{self.number}"

    def keep(self):
        """Keeps the files if something did not hold."""
        if self.problems:
            kept = self.copies()
            kept.mkdir(parents=True, exist_ok=True)
            (kept / "problems.txt").write_text("\n".join(self.problems) + "\n", errors="backslashreplace")
            for path in self.work.iterdir():
                if path.is_file() and not path.is_symlink() and path.stat().st_size < 64 << 20:
                    shutil.copy(path, kept / path.name)
        return self.problems
