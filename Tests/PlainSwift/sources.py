"""Random classes and a program over them, as text with the macro and without it."""

from bodies import BodyMaker
from shapes import ClassMaker

UNOBSERVED = """
struct Token { func invalidate() {} }
func observe<Subject>(_ object: Subject) -> [Token] { [] }
"""

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


class SourceWriter:
    """Writes one program twice: what is random is the same both times."""

    def __init__(self, random, count):
        self.random = random
        self.classes = ClassMaker(random, count).classes
        self.bodies = BodyMaker(random)

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
        observers = [self.bodies.observer(cls, prop, kind)
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
                lines.append(self.bodies.statement(cls, prop, "init", 2))
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
            body = [self.bodies.statement(cls, p, "init", 2) for p in ints if r.random() < 0.6]
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
        shown = [f"{p.name} \\({self.bodies.show(p, p.name)})" for p in cls.properties
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
