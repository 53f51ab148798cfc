"""Drafts, the lock and what an interrupted job leaves, on the local file system by Hadoop's classes."""

from __future__ import annotations

import json
import os
import socket

import pytest

from kvo_audit.spark._output import Output, OutputBusy


class Path:
    """Hadoop's path, as far as an output needs it."""

    def __init__(self, text):
        self.text = text

    def getFileSystem(self, configuration):
        return Files()

    def toUri(self):
        return self

    def getPath(self):
        return self.text

    def toString(self):
        return self.text

    def getParent(self):
        return Path(os.path.dirname(self.text))


class Stream:
    def __init__(self, file):
        self.file = file
        self.write, self.close, self.read = file.write, file.close, file.read


class Status:
    def __init__(self, size):
        self.size = size

    def getLen(self):
        return self.size


class Files:
    """Hadoop's file system, by Python's functions."""

    fails_at = None

    def getScheme(self):
        return "file"

    def makeQualified(self, path):
        return path

    def mkdirs(self, path):
        os.makedirs(path.text, exist_ok=True)

    def exists(self, path):
        return os.path.exists(path.text)

    def getFileStatus(self, path):
        return Status(os.path.getsize(path.text))

    def open(self, path):
        return Stream(open(path.text, "rb"))

    def create(self, path, overwrite):
        os.makedirs(os.path.dirname(path.text), exist_ok=True)
        return Stream(open(path.text, "wb"))

    def delete(self, path, recursive):
        import shutil

        if os.path.isdir(path.text):
            shutil.rmtree(path.text)
        elif os.path.exists(path.text):
            os.unlink(path.text)

    def rename(self, source, target):
        if Files.fails_at and target.text.endswith(Files.fails_at):
            raise OSError("lost")
        os.rename(source.text, target.text)
        return True


class Session:
    """A session with the classes above in its virtual machine."""

    class _jvm:
        class org:
            class apache:
                class hadoop:
                    class fs:
                        pass

                class commons:
                    class io:
                        class IOUtils:
                            @staticmethod
                            def toByteArray(stream, size):
                                return stream.read(size)

    class _jsc:
        @staticmethod
        def hadoopConfiguration():
            return None

    @property
    def sparkContext(self):
        return self


Session._jvm.org.apache.hadoop.fs.Path = Path


@pytest.fixture
def make(tmp_path):
    Files.fails_at = None
    return lambda: Output(Session(), str(tmp_path))


def drafted(output, text):
    for name in ("findings/a", "inputs/a", "reports/a", "_audit/state/a"):
        output.write(output.draft_name(name), text.encode())


def found(output):
    return {output.read(name) for name in ("findings/a", "inputs/a", "reports/a", "_audit/state/a")}


def test_a_file_passes_in_pieces(make):
    output = make()
    for content in (b"", b"x", bytes(range(256)) * (48 << 10)):
        output.write("a", content)
        assert output.read("a") == content
    assert output.read("b") is None


def test_drafts_are_put_in_place_together(make, tmp_path):
    for text in ("one", "two"):
        output = make()
        output.acquire()
        drafted(output, text)
        output.commit()
        output.release()
        assert found(output) == {text.encode()}
        assert os.listdir(tmp_path / "_audit") == ["state"]


def test_a_job_that_is_not_done_leaves_nothing(make, tmp_path):
    output = make()
    output.acquire()
    drafted(output, "one")
    output.release()
    assert found(output) == {None}
    assert os.listdir(tmp_path / "_audit") == []


def test_a_second_job_is_refused_until_the_first_ends(make):
    first, second = make(), make()
    first.acquire()
    with pytest.raises(OutputBusy, match=first.run):
        second.acquire()
    # The refused job gives back nothing that it does not have.
    second.release()
    with pytest.raises(OutputBusy):
        make().acquire()
    first.release()
    second.acquire()


def test_a_job_whose_lock_was_broken_puts_nothing_in_place(make):
    first, second = make(), make()
    first.acquire()
    drafted(first, "one")
    second.acquire(breaks_lock=True)
    with pytest.raises(OutputBusy, match=second.run):
        first.commit()
    first.release()
    drafted(second, "two")
    second.commit()
    second.release()
    assert found(second) == {b"two"}


def test_the_lock_of_a_process_that_is_no_more_does_not_count(make, tmp_path):
    child = os.fork()
    if child == 0:
        os._exit(0)
    os.waitpid(child, 0)
    os.makedirs(tmp_path / "_audit")
    lock = {"run": "x", "host": socket.gethostname(), "pid": child}
    (tmp_path / "_audit" / "lock").write_text(json.dumps(lock))
    make().acquire()
    (tmp_path / "_audit" / "lock").write_text(json.dumps({**lock, "host": "another"}))
    with pytest.raises(OutputBusy, match="on another"):
        make().acquire()


@pytest.mark.parametrize("written", [b"", b"0123", b"../..", b"\xff" * 32])
def test_a_job_that_is_lost_while_it_decides_has_decided_nothing(make, tmp_path, written):
    first = make()
    first.acquire()
    drafted(first, "one")
    first.commit()
    first.release()
    (tmp_path / "_audit" / "commit").write_bytes(written)
    second = make()
    second.acquire()
    assert found(second) == {b"one"}
    assert sorted(os.listdir(tmp_path / "_audit")) == ["lock", "state"]
    second.release()


@pytest.mark.parametrize("place", ["findings", "inputs", "reports", "state"])
def test_a_job_that_is_lost_while_it_puts_in_place_is_completed_by_the_next(make, place):
    first = make()
    first.acquire()
    drafted(first, "one")
    first.commit()
    first.release()
    second = make()
    second.acquire()
    drafted(second, "two")
    Files.fails_at = place
    with pytest.raises(OSError, match="lost"):
        second.commit()
    second.release()
    Files.fails_at = None
    third = make()
    third.acquire()
    assert found(third) == {b"two"}
    third.release()
