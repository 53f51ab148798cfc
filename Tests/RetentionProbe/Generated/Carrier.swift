/// What a value is held in, as far as its owner can be known.
enum Medium: String, CaseIterable, Sendable {
  /// What the compiler describes, if not in every build.
  case described = "described"
  /// Memory that no type describes: behind pointers, elements after an object, noncopyable values, C's.
  case memory = "raw memory"
  /// The same, with the root itself in it: the caller of the search may own it in the same words.
  case rootInMemory = "root in raw memory"
  /// A waiting task, or a queue that has not run yet.
  case waiting = "waiting task or queue"
}

/// A way in which a value is held by another value, whatever its type.
struct Carrier: Sendable {
  let name: String
  /// Makes the value that holds one.
  let carry: @Sendable (Any) async -> Any
  /// Whether it releases the value by itself: then a leak of the value is not a cycle.
  let letsGo: Bool
  /// Whether it leaks by itself, regardless of other references: so does a timer of Foundation that is never invalidated.
  let keepsItself: Bool

  init(
    _ name: String,
    letsGo: Bool = false,
    keepsItself: Bool = false,
    _ carry: @escaping @Sendable (Any) async -> Any
  ) {
    self.name = name
    self.letsGo = letsGo
    self.keepsItself = keepsItself
    self.carry = carry
  }

  /// What it has the value in.
  var medium: Medium {
    switch name {
    case "a task that waits", "a task that iterates", "a queue with work": .waiting
    case "a stream's continuation", "a stream's element", "a timer's block": .memory
    default: Self.manual.contains { $0.name == name } ? .memory : .described
    }
  }

  /// Whether it has the value among its own bytes, or in memory of its own: not in an object beside.
  var isInline: Bool {
    [
      "an Optional", "an Optional of an Optional", "a struct", "an enum", "an enum with a number",
      "a tuple", "a Result", "an InlineArray", "a value generic", "a pack", "a typed pointer",
      "an immutable pointer", "a raw pointer", "a typed buffer", "a slice of a buffer",
      "a raw buffer", "a slice of a raw buffer", "a pointer into a buffer",
      "memory of C that leads to more", "a ManagedBuffer", "a Mutex", "a stream's element",
    ].contains(name)
  }

  /// All of them.
  static let all =
    values + collections + closures + generics + manual + blocks + tasks
}

/// The first link of a chain: what refers to the root itself, strongly, and in the same way but weakly.
struct Terminal: Sendable {
  let name: String
  let strong: @Sendable (GeneratedRoot) -> Any
  let weak: @Sendable (GeneratedRoot) -> Any
  /// Whether the strong form is the root itself, and no object in between.
  var isRoot: Bool {
    ["an object", "a struct", "an Optional", "AnyObject in a tuple"].contains(name)
  }
  /// Whether the strong form leaks its own memory, regardless of other references.
  var isManual: Bool { name == "a captured Unmanaged" || name == "a captured pointer" }
}
