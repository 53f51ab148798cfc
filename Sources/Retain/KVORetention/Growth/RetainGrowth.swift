/// The classes of which some work leaves more instances behind with each repetition, and what keeps
/// them alive.
public struct RetainGrowth: Hashable, Sendable {
  /// The result in one word.
  public enum Verdict: Hashable, Sendable {
    /// A class grew with every repetition.
    case grows
    /// No class did.
    case noneFound
    /// The memory of the process could not be read, so nothing is known.
    case inconclusive
  }

  /// One class that grows.
  public struct GrownClass: Hashable, Sendable {
    /// The class, without module.
    public let className: String
    /// The number of additional instances that were alive after each repetition, compared with
    /// those before the first.
    public let counts: [Int]
    /// What keeps those alive that exist at the end, the most frequent first; a limited number of
    /// instances is examined.
    public let keepers: [Keeper]
  }

  /// A path that keeps instances alive.
  public struct Keeper: Hashable, Sendable {
    /// The kind of path.
    public enum Kind: Hashable, Sendable {
      /// A chain of strong references from one of the roots.
      case root
      /// A cycle of strong references that contains the instance, or that leads to it.
      case cycle
      /// Neither was found: a static, a task, a thread, C code, or something that could not be
      /// inspected.
      case unknown
    }

    /// The kind of path.
    public let kind: Kind
    /// The references, without indexes of collections: `Router.pages[…] → Page`; empty if the path
    /// is not known.
    public let path: String
    /// The number of instances that are kept alive in this way.
    public let count: Int
  }

  /// The number of repetitions, without the first run of the work, which is not counted.
  public let repetitionCount: Int
  /// The classes that grew with every repetition, the fastest first.
  public let classes: [GrownClass]
  /// What could not be inspected and may keep the instances of which the keeper is unknown; empty if all
  /// keepers are known.
  public let opaque: [OpaqueObject]
  /// Whether instances could be counted at all.
  let isConclusive: Bool

  /// The result in one word.
  public var verdict: Verdict {
    if !isConclusive { return .inconclusive }
    return classes.isEmpty ? .noneFound : .grows
  }
}

extension RetainGrowth: CustomStringConvertible {
  /// The growth as a report prints it: each class with its counts and what keeps its instances
  /// alive.
  public var description: String {
    guard isConclusive else {
      return "not known which classes grow: this process may not read its own memory, by "
        + "process_vm_readv or /proc/self/mem"
    }
    let heading =
      switch classes.count {
      case 0: "no class grows"
      case 1: "1 class grows with each of \(repetitionCount) repetitions"
      default: "\(classes.count) classes grow with each of \(repetitionCount) repetitions"
      }
    var lines = [heading]
    for grown in classes {
      let counts = grown.counts.map(String.init).joined(separator: ", ")
      lines.append("  \(grown.className): \(counts) more alive")
      let total = grown.keepers.reduce(0) { $0 + $1.count }
      lines += grown.keepers.map { "    \($0.text) (\($0.count) of \(total))" }
    }
    lines += opaque.map { "  not inspected: \($0)" }
    return lines.joined(separator: "\n")
  }
}

extension RetainGrowth.Keeper {
  fileprivate var text: String {
    switch kind {
    case .root: "kept by \(path)"
    case .cycle: "kept by the cycle \(path)"
    case .unknown: "kept from elsewhere: by a static, a task, or memory that is not inspected"
    }
  }
}
