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

UNOBSERVED = """
struct Token { func invalidate() {} }
func observe<Subject>(_ object: Subject) -> [Token] { [] }
"""

C_TARGETS = ["CKVOUnwind", "CKVORecorder", "CKVOLifetime", "CKVODelivery", "CKVOExecutor", "CKVOPrefetch"]
SWIFT_TARGETS = ["KVOSafety", "KVOTrace", "KVORules", "KVORecorder"]

PRELUDE = """
nonisolated(unsafe) var depth = 0
func enter() -> Bool { depth += 1; return depth <= 5 }
func leave() { depth -= 1 }
func log(_ text: String) { print(text) }
func twist(_ value: inout Int) { value = value &* 3 % 50 &+ 1 }
func keep<Value>(_ value: inout Value) { let kept = value; value = kept }
func run(_ body: () -> Void) { body() }
func later(_ body: @autoclosure () -> Int) -> Int { body() }
protocol Described: AnyObject { var state: String { get } }
@propertyWrapper public struct Clamped {
  private var value: Int
  public init(wrappedValue: Int) { value = wrappedValue }
  public var wrappedValue: Int { get { value } set { value = min(max(newValue, 0), 20) } }
}
"""


class Property:
    def __init__(self, name, kind, observers="", default=True, access="", override=False):
        self.name, self.kind, self.observers = name, kind, observers
        self.default, self.access, self.override = default, access, override

    @property
    def is_int(self):
        return self.kind in ("int", "inferred", "lazy", "wrapped", "accessors")


class Class:
    def __init__(self, name, base, final, access, generic):
        self.name, self.base, self.final, self.access, self.generic = name, base, final, access, generic
        self.properties, self.methods, self.inits = [], [], []

    def chain(self):
        return (self.base.chain() if self.base else []) + [self]

    def all(self):
        return [p for c in self.chain() for p in c.properties if not p.override and p.kind != "static"]


class Generator:
    def __init__(self, seed, count):
        self.random = random.Random(seed)
        self.classes = []
        for number in range(count):
            self.classes.append(self.make_class(number))

    # MARK: Bodies

    # Ends the recursion that plain Swift has, too, where an observer assigns through a method.
    guarded = ["      guard enter() else { return leave() }", "      defer { leave() }"]

    def statement(self, cls, prop, where, indent):
        """One statement that reads or assigns, of those in which the rule of direct access matters."""
        r = self.random
        name = prop.name
        target = r.choice([name, f"self.{name}", f"(self).{name}"])
        step = r.randint(1, 9)
        pad = "  " * indent
        if prop.kind == "array":
            return pad + r.choice([
                f"if {name}.count < 4 {{ {target}.append({step}) }}",
                f"if !{name}.isEmpty {{ {target}[0] = {step} }}",
                f"log(\"{cls.name}.{name} \\({target})\")",
                f"run {{ if self.{name}.count < 4 {{ self.{name} += [{step}] }} }}",
            ])
        if prop.kind == "optional":
            return pad + r.choice([
                f"if let {name} {{ log(\"{name} is \\({name})\") }} else {{ {target} = {step} }}",
                f"if let value = {name}, value < 20 {{ {target} = value + {step} }}",
                f"do {{\n{pad}  guard let {name}, {name} < 30 else {{ return }}\n"
                f"{pad}  log(\"\\({name}) under 30\")\n{pad}}}",
                f"{target}? += {step}",
                f"if {name} == {step} {{ {target} = nil }}",
            ])
        choices = [
            f"if {name} > 10 {{ {target} = 10 }}",
            f"{target} = min({target}, {step + 10})",
            f"if {name} < {step} {{ {target} += {step} }}",
            f"if {name} < {step} {{ run {{ self.{name} += 1 }} }}",
            f"func local_{name}() {{ {name} += 1 }}\n{pad}if {name} < {step} {{ local_{name}() }}",
            f"if {name} % 2 == 0 {{ twist(&{target}) }}",
            f"do {{\n{pad}  defer {{ {target} += 1 }}\n{pad}  log(\"deferring \\({name})\")\n{pad}}}",
            f"do {{\n{pad}  let {name} = {name} + {step}\n{pad}  log(\"shadowed \\({name})\")\n{pad}}}",
            f"for {name} in {name}..<({name} + 2) {{ log(\"looped \\({name})\") }}",
            f"switch {name} {{\n{pad}case {step}: {target} = {step + 1}\n"
            f"{pad}case let {name} where {name} > 40: log(\"large \\({name})\")\n{pad}default: break\n{pad}}}",
            f"log(\"later \\(later({name} + {step}))\")",
            f"(({target}), _) = ({step}, 0)",
            f"log(\"by key path \\(self[keyPath: \\{cls.type}.{name}])\")",
            f"if {name} == {step} {{ let other = self; other.{name} = {step + 2} }}",
            f"{target} = if {name} > 5 {{ {step} }} else {{ {name} + 1 }}",
        ]
        ints = [p for p in cls.properties if p.kind in ("int", "inferred") and p is not prop]
        if ints and where != "before":
            other = r.choice(ints).name
            choices += [f"self.{other} += {step}", f"{other} = {name} % {step}"]
        if where == "observer":
            # Not in initializers, where the macro says what to write instead.
            choices += [
                f"if {name} < {step} {{ run {{ [self] in {name} += 1 }} }}",
                f"if {name} < {step} {{ run {{ [weak self] in self?.{name} += 1 }} }}",
                f"run {{ [{name}] in log(\"captured \\({name})\") }}",
            ]
            choices += [f"if {name} < {step} {{ bump{name.capitalize()}() }}"]
        return pad + r.choice(choices)

    def reading(self, cls, prop, indent):
        pad = "  " * indent
        return pad + self.random.choice([
            f"log(\"reading \\({prop.name}) \\(self.{prop.name})\")",
            f"run {{ log(\"closure reads \\(self.{prop.name})\") }}",
        ])

    def observer(self, cls, prop, kind):
        """`willSet` or `didSet`, with its own name for the parameter or none."""
        r = self.random
        implied = "newValue" if kind == "willSet" else "oldValue"
        name = r.choice([None, None, "value", implied])
        shown = name or implied
        if kind == "didSet" and r.random() < 0.3:
            shown = None  # a simple didSet, which reads no old value
            name = None
        parameter = f"({name})" if name else ""
        text = f"\"{cls.name}.{prop.name} {kind}"
        if shown and prop.kind not in ("generic",):
            text += f" \\({self.show(prop, shown)})"
        elif shown:
            text += f" \\({shown})"
        text += f" has \\({self.show(prop, prop.name)})\""
        lines = [f"    {kind}{parameter} {{", f"      log({text})"]
        # Before the change Swift warns of an assignment, which would be lost.
        if kind == "didSet" and prop.kind in ("int", "inferred", "array", "optional") and not prop.override:
            body = [self.statement(cls, prop, "observer", 3) for _ in range(r.randint(0, 2))]
            if body:
                lines += self.guarded + body
        elif prop.override and kind == "didSet" and r.random() < 0.4:
            lines += self.guarded
            lines.append(f"      if {prop.name} > 12 {{ {r.choice(['', 'self.', 'super.'])}{prop.name} = 12 }}")
        elif kind == "willSet" and prop.is_int:
            lines.append(self.reading(cls, prop, 3))
        lines.append("    }")
        return "\n".join(lines)

    @staticmethod
    def show(prop, name):
        if prop.kind == "optional":
            return f"{name}.map {{ \"\\($0)\" }} ?? \"nil\""
        if prop.kind == "weak":
            return f"{name} == nil"
        return name

    # MARK: Classes

    def make_class(self, number):
        r = self.random
        bases = [c for c in self.classes if not c.final and not c.generic and len(c.chain()) < 4]
        base = r.choice(bases) if bases and r.random() < 0.45 else None
        generic = base is None and r.random() < 0.15
        access = r.choice(["", "", "public ", "package "])
        if base and base.access != "public " and access == "public ":
            access = base.access
        if base and base.access == "" and access == "package ":
            access = ""
        final = r.random() < 0.35
        if access == "public " and not final and not base and r.random() < 0.5:
            access = "open "
        if final and access == "open ":
            access = "public "
        cls = Class(f"C{number}", base, final, access, generic)
        cls.type = f"{cls.name}<T>" if generic else cls.name
        prefix = "abcdefgh"[len(cls.chain())]
        for index in range(r.randint(2, 6)):
            kind = r.choice(["int", "int", "inferred", "inferred", "optional", "array", "string", "lazy",
                             "wrapped", "weak", "computed", "accessors", "static", "let"])
            if generic and kind == "static":
                kind = "computed"
            observers = ""
            if kind in ("int", "inferred", "optional", "array", "string", "weak"):
                observers = r.choice(["", "", "d", "d", "w", "wd"])
            default = kind != "int" or r.random() < 0.5
            limited = r.choice(["", "", "", "private ", "fileprivate ", "private(set) ", "final "])
            if cls.final and limited == "final ":
                limited = ""
            cls.properties.append(Property(f"{prefix}{index}", kind, observers, default, limited))
        if generic:
            cls.properties.append(Property(f"{prefix}9", "generic", r.choice(["", "d", "w"]), False))
        if base:
            taken = set()
            for ancestor in reversed(base.chain()):
                for prop in ancestor.properties:
                    if prop.kind in ("int", "inferred") and prop.access == "" and prop.name not in taken \
                            and r.random() < 0.35:
                        override = Property(prop.name, prop.kind, r.choice(["d", "w", "wd", "a"]), True,
                                            "", True)
                        cls.properties.append(override)
                    taken.add(prop.name)
        return cls

    def declaration(self, cls, prop):
        name = prop.name
        access = "" if prop.override else prop.access
        visible = cls.access.replace("open ", "public ")
        if visible and not access and not prop.override:
            access = cls.access if cls.access == "open " and not prop.kind in ("static", "let") else visible
        elif visible and access in ("final ", "private(set) "):
            access = visible + access
        elif prop.override:
            access = visible
        if prop.kind == "static":
            return f"  {visible}nonisolated(unsafe) static var {name} = 1"
        if prop.kind == "let":
            return f"  {access.replace('private(set) ', '').replace('final ', '')}let {name} = 7"
        if prop.kind == "computed":
            return f"  {access.replace('private(set) ', '')}var {name}: Int {{ {len(name)} + 4 }}"
        if prop.kind == "accessors":
            return (f"  {access.replace('private(set) ', '')}var {name}: Int {{ get {{ kept }} "
                    f"set {{ kept = newValue }} }}")
        types = {"int": ": Int", "inferred": "", "optional": ": Int?", "array": ": [Int]",
                 "string": ": String", "lazy": "", "wrapped": ": Int", "weak": ": (any Described)?",
                 "generic": ": T"}
        values = {"int": " = 3", "inferred": " = 4", "optional": "", "array": " = [1]",
                  "string": " = \"s\"", "lazy": " = 5", "wrapped": " = 6", "weak": "", "generic": ""}
        modifier = {"lazy": "lazy ", "weak": "weak "}.get(prop.kind, "")
        wrapper = "@Clamped " if prop.kind == "wrapped" else ""
        if prop.kind == "weak":
            access = access.replace("open ", "").replace("public ", "").replace("package ", "")
        value = values[prop.kind] if prop.default and not prop.override else ""
        if prop.override:
            head = f"  {access}override var {name}: Int"
            if prop.observers == "a":
                return (head + " {\n    get { super." + name + " + 100 }\n    set {\n      log(\""
                        + f"{cls.name}.{name} set\")\n      super.{name} = newValue\n    }}\n  }}")
        else:
            head = f"  {wrapper}{access}{modifier}var {name}{types[prop.kind]}{value}"
        observers = [self.observer(cls, prop, kind)
                     for letter, kind in (("w", "willSet"), ("d", "didSet")) if letter in prop.observers]
        return head + (" {\n" + "\n".join(observers) + "\n  }" if observers else "")

    def initializer(self, cls):
        r = self.random
        own = [p for p in cls.properties if not p.override]
        missing = [p for p in own if p.kind == "int" and not p.default]
        generic = [p for p in own if p.kind == "generic"]
        parameters = ["seed: Int"] + (["value: T"] if generic else [])
        lines = []
        for prop in missing:
            lines.append(f"    {r.choice(['', 'self.'])}{prop.name} = seed + {r.randint(0, 5)}")
            if r.random() < 0.2:
                lines.append(f"    self.{prop.name} = seed")
        for prop in generic:
            lines.append(f"    self.{prop.name} = value")
        r.shuffle(lines) if not any("self." in line for line in lines) else None
        ints = [p for p in own if p.kind in ("int", "inferred")]
        if cls.base:
            lines.append("    super.init(seed: seed)")
        for prop in ints:
            for _ in range(r.choice([0, 0, 1, 2])):
                lines.append(self.statement(cls, prop, "init", 2))
        inherited = [p for c in cls.chain()[:-1] for p in c.properties
                     if p.kind in ("int", "inferred") and p.access == "" and not p.override]
        for prop in inherited:
            if r.random() < 0.2:
                lines.append(f"    {r.choice(['', 'self.', 'super.'])}{prop.name} = seed + 2")
        for prop in own:
            if prop.kind == "array" and r.random() < 0.3:
                lines.append(f"    {prop.name}.append(seed)")
            if prop.kind == "optional" and r.random() < 0.4:
                lines.append(f"    {prop.name} = seed")
        visible = cls.access.replace("open ", "public ")
        override = "override " if cls.base else ""
        text = [f"  {visible}{override}init({', '.join(parameters)}) {{"] + lines + ["  }"]
        if r.random() < 0.4 and not generic:
            body = [self.statement(cls, p, "init", 2) for p in ints if r.random() < 0.6]
            body += [f"    self.{p.name} = 2" for p in ints if r.random() < 0.3]
            text += [f"  {visible}convenience init(twice: Int) {{", "    self.init(seed: twice * 2)"]
            text += body + ["  }"]
            cls.inits.append("twice")
        if r.random() < 0.5:
            body = [f"    {r.choice(['', 'self.'])}{p.name} = 1" for p in ints]
            text += ["  deinit {", f"    log(\"{cls.name} deinit\")"] + body + ["  }"]
        return "\n".join(text)

    def write_class(self, cls, observed):
        state = self.random.getstate()
        lines = ["@KeyValueObservable"] if observed else []
        head = f"{cls.access}{'final ' if cls.final else ''}class {cls.name}{'<T>' if cls.generic else ''}"
        lines.append(head + (f": {cls.base.name}" if cls.base else ": Described") + " {")
        if not cls.base:
            lines.append("  private var kept = 0" if not any(
                p.kind == "accessors" for c in self.classes for p in c.properties if cls in c.chain())
                else "  fileprivate var kept = 0")
        for prop in cls.properties:
            lines.append(self.declaration(cls, prop))
        cls.inits = ["seed"]
        lines.append(self.initializer(cls))
        for prop in cls.properties:
            if prop.kind in ("int", "inferred") and not prop.override:
                lines.append(f"  func bump{prop.name.capitalize()}() {{ {prop.name} += 1 }}")
        shown = [f"{p.name} \\({self.show(p, p.name)})" for p in cls.properties
                 if not p.override and p.kind != "static"]
        text = " ".join(shown)
        visible = cls.access.replace("open ", "public ")
        if cls.base:
            lines.append(f"  {visible}override var state: String {{ super.state + \" {text}\" }}")
        else:
            lines.append(f"  {visible}var state: String {{ \"{text} \\(kept)\" }}")
        operations = []
        r = self.random
        stored = [p for p in cls.properties if p.kind not in ("static", "let", "computed")]
        for prop in r.sample(stored * 2, k=len(stored) * 2):
            operations.append("    " + self.operation(cls, prop))
        lines.append(f"  func exercise{cls.name}() {{")
        lines += operations + ["  }", "}"]
        self.random.setstate(state)
        return "\n".join(lines)

    def operation(self, cls, prop):
        r = self.random
        name = prop.name
        step = r.randint(0, 30)
        if prop.kind == "array":
            return r.choice([f"{name}.append({step})", f"{name} = [{step}]", f"{name}.sort()"])
        if prop.kind == "optional":
            return r.choice([f"{name} = {step}", f"{name} = nil", f"{name}? += 1"])
        if prop.kind == "string":
            return r.choice([f"{name} = \"{step}\"", f"{name} += \"{step}\""])
        if prop.kind == "weak":
            return r.choice([f"{name} = self", f"{name} = nil"])
        if prop.kind == "generic":
            return f"keep(&{name})"
        return r.choice([f"{name} = {step}", f"self.{name} += {step}", f"twist(&{name})",
                         f"self[keyPath: \\{cls.type}.{name}] = {step}"])

    def program(self):
        lines = []
        for cls in self.classes:
            specialized = f"{cls.name}<Int>" if cls.generic else cls.name
            for form in cls.inits:
                argument = self.random.randint(0, 15)
                values = f"{form}: {argument}" + (", value: 9" if cls.generic else "")
                lines += [f"func use{cls.name}{form}(observed: Bool) {{",
                          f"  log(\"{cls.name} {form}\")",
                          f"  let object = {specialized}({values})",
                          "  let tokens = observed ? observe(object) : []",
                          "  log(object.state)"]
                for part in cls.chain():
                    lines += [f"  object.exercise{part.name}()", "  log(object.state)"]
                lines += ["  tokens.forEach { $0.invalidate() }", "}"]
                lines += [f"use{cls.name}{form}(observed: {observed})" for observed in ("false", "true")]
        return "\n".join(lines)

    def source(self, with_macro):
        state = self.random.getstate()
        parts = ["import KVOSafety", PRELUDE, self.observing()] if with_macro else [PRELUDE, UNOBSERVED]
        parts += [self.write_class(cls, with_macro) for cls in self.classes]
        parts.append(self.program())
        self.random.setstate(state)
        return "\n".join(parts) + "\n"

    def observing(self):
        """Observes all keys but the lazy ones: an observer reads the old value, and makes it."""
        lazy = sorted({f"{c.name}.{p.name}" for c in self.classes for a in c.chain()
                       for p in a.properties if p.kind == "lazy"})
        names = ", ".join(f'"{name}"' for name in lazy)
        return f"let lazyKeys: Set<String> = [{names}]" + """
func observe<Subject: KeyValueObservable>(_ object: Subject) -> [ObservationToken] {
  let name = String(describing: Subject.self).prefix { $0 != "<" }
  return Subject.observableKeys.names.filter { !lazyKeys.contains("\\(name).\\($0)") }.map { key in
    object.observe(keyPath: key, options: [.old, .new, .prior]) { _, _ in }
  }
}"""


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
            command += [str(file) for file in sorted((modules / f"{target}{tool}.build").rglob("*.o"))
                        if not file.name.endswith(".swiftmodule.o")]
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
        generator = Generator(arguments.seed, arguments.classes)
        modules = arguments.modules.resolve()
        plain, lines = (
            compile_and_run(generator.source(name != "plain"), folder, name, modules,
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
