"""What random classes are made of: properties of every kind, inheritance and access levels."""


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


class ClassMaker:
    """Makes classes, each of which may inherit from those before it."""

    def __init__(self, random, count):
        self.random = random
        self.classes = []
        for number in range(count):
            self.classes.append(self.make_class(number))

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
