#!/usr/bin/env python3
"""Holds @KeyValueObservable against plain Swift.

Writes random classes twice, with and without the macro, and one random program over them that prints
every state and every call of an observer. Both must compile in Swift 6 mode without warnings, and
print the same.

  generate.py --modules .build/debug --classes 300 --seed 1 [--optimized] [--keep FOLDER]

The folder of --modules is where `swift build` has put KVOSafety. Each class is used twice, and its
keys are observed the second time, which must change nothing either. Exit status: 0 equal, 1 not.
"""

import argparse
import random
import subprocess
import sys
import tempfile
from pathlib import Path

sys.dont_write_bytecode = True  # The folder of the sources stays as it is.

from sources import SourceWriter

C_TARGETS = ["CKVOChecksum", "CKVOUnwind", "CKVORecorder", "CKVOLifetime", "CKVOIntrinsics"]
SWIFT_TARGETS = ["KVOSafety", "KVOTrace", "KVORules", "KVORetainRegistry", "KVORecorder"]
SOURCES = Path(__file__).resolve().parents[2] / "Sources"


def objects(target, folder):
    """What is built of a target's present sources; the build leaves what it built of others."""
    [sources] = SOURCES.rglob(target)
    names = {f"{source.name}.o" for source in sources.rglob("*") if source.is_file()}
    return [str(file) for file in sorted(folder.rglob("*.o")) if file.name in names]


def compile_and_run(source, folder, name, modules, optimized):
    path = folder / f"{name}" / "main.swift"
    path.parent.mkdir(exist_ok=True)
    path.write_text(source)
    program = folder / name / "program"
    command = ["swiftc", "-swift-version", "6", "-warnings-as-errors", "-module-name", "Program",
               "-package-name", "program", "-enable-upcoming-feature", "ExistentialAny",
               "-enable-upcoming-feature", "MemberImportVisibility", str(path), "-o", str(program)]
    if optimized:
        command += ["-O"]
    if name != "plain":
        # What only tests need is built for the machine that builds alone.
        tool = "" if (modules / "Modules/KVOSafety.swiftmodule").exists() else "-tool"
        command += ["-I", str(modules / f"Modules{tool}"), "-load-plugin-executable",
                    f"{modules}/KVOSafetyMacros-tool#KVOSafetyMacros"]
        for target in C_TARGETS:
            command += ["-Xcc", f"-fmodule-map-file={modules}/{target}{tool}.build/module.modulemap"]
        for target in SWIFT_TARGETS + C_TARGETS:
            command += objects(target, modules / f"{target}{tool}.build")
    built = subprocess.run(command, capture_output=True, text=True)
    if built.returncode != 0:
        print(f"{name} does not compile:\n{built.stdout[-6000:]}{built.stderr[-6000:]}")
        sys.exit(1)
    ran = subprocess.run([str(program)], capture_output=True, text=True, errors="replace",
                         env={"SWIFT_BACKTRACE": "enable=no"})
    return ran.stdout.splitlines() + [f"exit status {ran.returncode}"]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--modules", type=Path, default=Path(".build/debug"))
    parser.add_argument("--classes", type=int, default=40)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--optimized", action="store_true")
    parser.add_argument("--keep", type=Path)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        folder = arguments.keep or Path(temporary)
        folder.mkdir(parents=True, exist_ok=True)
        writer = SourceWriter(random.Random(arguments.seed), arguments.classes)
        modules = arguments.modules.resolve()
        plain, lines = (
            compile_and_run(writer.source(name != "plain"), folder, name, modules,
                            arguments.optimized)
            for name in ("plain", "macro"))
        if lines != plain:
            index = next((i for i, (a, b) in enumerate(zip(plain, lines)) if a != b),
                         min(len(plain), len(lines)))
            print(f"seed {arguments.seed}: the macro's classes differ from plain Swift at line {index + 1}")
            for line in plain[max(0, index - 12):index]:
                print(f"    {line}")
            print(f"  - {plain[index] if index < len(plain) else '(end)'}")
            print(f"  + {lines[index] if index < len(lines) else '(end)'}")
            sys.exit(1)
        print(f"{arguments.classes} classes, {len(plain)} lines of output: equal")


main()
