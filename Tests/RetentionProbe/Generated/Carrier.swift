/// A way in which a value is held by another value, whatever its type.
struct Carrier: Sendable {
  let name: String
  /// Makes the value that holds one.
  let carry: @Sendable (Any) async -> Any
  /// Whether it lets go of the value by itself: what the value leaks then is no cycle.
  let letsGo: Bool
  /// Whether it leaks by itself, whoever holds it: so does a timer of Foundation that is never invalidated.
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

  /// All of them.
  static let all =
    values + collections + closures + generics + manual + blocks + tasks
}

/// The first link of a chain: what refers to the root itself, strongly, and in the same way but weakly.
struct Terminal: Sendable {
  let name: String
  let strong: @Sendable (GeneratedRoot) -> Any
  let weak: @Sendable (GeneratedRoot) -> Any
  /// Whether the strong form leaks memory of its own, whoever holds it.
  var isManual: Bool { name == "a captured Unmanaged" || name == "a captured pointer" }
}
