"""Random statements and observers, in which it matters how a property is reached."""


class BodyMaker:
    """Writes what stands in observers, initializers and methods."""

    def __init__(self, random):
        self.random = random

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
