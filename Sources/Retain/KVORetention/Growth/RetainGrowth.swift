/// Of which classes some work leaves more instances behind with each repetition, and what keeps them.
public struct RetainGrowth: Hashable, Sendable {
  /// What the answer comes down to.
  public enum Verdict: Hashable, Sendable {
    /// A class grew with every repetition.
    case grows
    /// No class did.
    case noneFound
    /// The memory of the process could not be read: nothing is known.
    case inconclusive
  }

  /// One class that grows.
  public struct GrownClass: Hashable, Sendable {
    /// The class, without module.
    public let className: String
    /// How many instances more than before the first repetition were alive after each.
    public let counts: [Int]
    /// What keeps those that are alive at the end, the most frequent first; as many as were looked at.
    public let keepers: [Keeper]
  }

  /// A way in which instances are kept.
  public struct Keeper: Hashable, Sendable {
    /// What the way is of.
    public enum Kind: Hashable, Sendable {
      /// A chain of strong references from one of the roots.
      case root
      /// A circle of strong references that leads to the instance, or that it is on.
      case cycle
      /// Neither was found: a static, a task, a thread, C, or what could not be looked into.
      case unknown
    }

    /// What the way is of.
    public let kind: Kind
    /// The references, positions in collections left out: `Router.pages[…] → Page`; empty where it is not
    /// known.
    public let way: String
    /// How many of the instances are kept so.
    public let count: Int
  }

  /// How often the work was done, the first time, which is not counted, left out.
  public let repetitionCount: Int
  /// The classes that grew with every repetition, the fastest first.
  public let classes: [GrownClass]
  /// Whether instances could be counted at all.
  let isConclusive: Bool

  /// The answer in a word.
  public var verdict: Verdict {
    if !isConclusive { return .inconclusive }
    return classes.isEmpty ? .noneFound : .grows
  }
}

extension RetainGrowth: CustomStringConvertible {
  /// The growth as a report prints it: each class with its counts and what keeps it.
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
    return lines.joined(separator: "\n")
  }
}

extension RetainGrowth.Keeper {
  fileprivate var text: String {
    switch kind {
    case .root: "kept by \(way)"
    case .cycle: "kept by the cycle \(way)"
    case .unknown: "kept from elsewhere: by a static, a task, or what is not looked into"
    }
  }
}
