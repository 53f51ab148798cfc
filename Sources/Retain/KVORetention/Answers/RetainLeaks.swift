/// The Swift objects of a process by class, and those of them that leaked.
///
/// An object leaked if only leaked objects own it: its reference count equals the number of references to it from such
/// objects. Any other owner, such as a variable, a register or a queue of the kernel, would make the count greater.
///
/// Not every leak is known: see Documentation/HeapSnapshots.md.
public struct RetainLeaks: Hashable, Sendable {
  /// The live objects of a class.
  public struct Class: Hashable, Sendable {
    /// Preceded by the module; `closure` for what closures captured, and `box`, `block` and `Task` for what the
    /// compiler and the runtime make.
    public let name: String
    /// How many there are.
    public let count: Int
    /// The bytes of their allocations, without what they lead to.
    public let byteCount: Int
    /// How many of them leaked.
    public let leakedCount: Int
    /// The bytes of those.
    public let leakedByteCount: Int
  }

  /// Cycles that lead through the same classes and properties.
  public struct Cycle: Hashable, Sendable {
    /// `Screen.rows → Row.screen → Screen`.
    public let description: String
    /// How many such groups of objects keep themselves alive.
    public let count: Int
    /// How many objects are in all those groups.
    public let objectCount: Int
    /// The bytes of their allocations.
    public let byteCount: Int
  }

  /// Those of which most bytes leaked first, then those with most bytes.
  public let classes: [Class]
  /// What keeps the leaked objects alive, those with most bytes first; ``RetainSearch/cycleLimit`` of them.
  public let cycles: [Cycle]
  /// How many kinds of cycles were found and are not described.
  public let omittedCycleCount: Int
  /// How many objects leaked: those on the cycles, and those that they alone own.
  public let leakedCount: Int
  /// The bytes of those.
  public let leakedByteCount: Int
  /// The bytes of memory from the allocator, and of objects behind pointers, that leaked objects alone lead to.
  public let heldByteCount: Int
  /// How many other objects no root leads to: no word in a global or static, on a thread's stack, in the caller's registers
  /// or in other memory.
  ///
  /// They may have leaked, or somebody has them out of sight: in a register of another thread, in the kernel.
  public let unreachedCount: Int
  /// What was not read, each as a sentence; empty if all was.
  public let gaps: [String]

  /// The complements of the addresses of leaked objects: a later search must not take them for references.
  let hiddenAddresses: Set<UInt>

  /// Whether the object that has, or had, an address leaked.
  package func isLeaked(at address: UInt) -> Bool { hiddenAddresses.contains(~address) }
}

extension RetainLeaks: CustomStringConvertible {
  /// The leaks as a report prints them, a line for each kind of cycle and each class with leaked objects.
  public var description: String {
    var lines: [String] = []
    if leakedCount == 0 {
      lines.append("no leak found")
    } else {
      let objects = "\(leakedCount) leaked object\(leakedCount == 1 ? "" : "s")"
      lines.append(
        "\(objects), \(leakedByteCount) bytes, and \(heldByteCount) bytes that they hold"
      )
    }
    for cycle in cycles { lines.append("  \(cycle.count) × \(cycle)") }
    if omittedCycleCount > 0 { lines.append("  and \(omittedCycleCount) other kinds of cycles") }
    for type in classes where type.leakedCount > 0 {
      lines.append("  \(type.name): \(type.leakedCount) of \(type.count) leaked")
    }
    if unreachedCount > 0 {
      lines.append(
        "  \(unreachedCount) other object\(unreachedCount == 1 ? "" : "s") that no root leads to"
      )
    }
    lines += gaps.map { "  not read: \($0)" }
    return lines.joined(separator: "\n")
  }
}

extension RetainLeaks.Cycle: CustomStringConvertible {}
