/// What a walk says about retain cycles.
public struct RetainAnswer: Hashable, Sendable {
  /// What the answer comes down to.
  public enum Verdict: Hashable, Sendable {
    /// There are cycles of strong references, every edge of them proven.
    case cycles
    /// There is none among the objects that were reached: nothing that was not understood in them may close
    /// one.
    case noneFound
    /// None was found, and there may be one through something that could not be looked into: see
    /// ``RetainAnswer/opaque``.
    case inconclusive
  }

  /// The shortest proven cycle of each set of objects that keep each other alive, those nearest to the
  /// roots first; then others through the same objects, which read differently.
  public let cycles: [RetainCycle]
  /// Cycles with a suspected edge, in the same way; none unless they were asked for.
  public let suspectedCycles: [RetainCycle]
  /// How many sets of objects there are that keep each other alive by proven references.
  public let componentCount: Int
  /// How many cycles were found and are not described, because ``RetainSearch/cycleLimit`` are: there may be
  /// more.
  public let omittedCycleCount: Int
  /// What may close a cycle, or refer to more than was found, and could not be looked into.
  public let opaque: [OpaqueObject]
  /// How many objects were reached: instances, contexts of closures, boxes, storage of collections.
  public let objectCount: Int
  /// How many references lie between them.
  public let referenceCount: Int

  /// The answer in a word.
  public var verdict: Verdict {
    if componentCount > 0 { return .cycles }
    return opaque.isEmpty && suspectedCycles.isEmpty ? .noneFound : .inconclusive
  }
}

extension RetainAnswer {
  /// The same without the cycles that `isLeftOut` names; they do not count as omitted.
  func without(_ isLeftOut: (RetainCycle) -> Bool) -> RetainAnswer {
    let cycles = cycles.filter { !isLeftOut($0) }
    return RetainAnswer(
      cycles: cycles,
      suspectedCycles: suspectedCycles,
      componentCount: cycles.isEmpty ? 0 : componentCount,
      omittedCycleCount: cycles.isEmpty ? 0 : omittedCycleCount,
      opaque: opaque,
      objectCount: objectCount,
      referenceCount: referenceCount
    )
  }
}

extension RetainAnswer: CustomStringConvertible {
  /// The answer as a report prints it, a line for each cycle or opaque object.
  public var description: String {
    var lines: [String] = []
    switch verdict {
    case .cycles: lines.append(countText)
    case .noneFound: lines.append("no retain cycle")
    case .inconclusive: lines.append("no retain cycle found; not everything could be looked into")
    }
    lines += cycles.map { "  \($0)" }
    lines += suspectedCycles.map { "  suspected: \($0)" }
    lines += opaque.map { "  not looked into: \($0)" }
    return lines.joined(separator: "\n")
  }

  private var countText: String {
    guard omittedCycleCount > 0 else { return Self.counted(cycles.count, "retain cycle") }
    let all = Self.counted(cycles.count + omittedCycleCount, "retain cycle")
    return "\(cycles.count) of at least \(all)"
  }

  private static func counted(_ count: Int, _ noun: String) -> String {
    "\(count) \(noun)\(count == 1 ? "" : "s")"
  }
}

/// Where objects are kept alive from.
public struct RetainPathAnswer: Hashable, Sendable {
  /// The shortest chain of proven references to the object, or nil where none was found.
  public let path: RetainPath?
  /// What may hold references to it and could not be looked into.
  public let opaque: [OpaqueObject]
}

/// A class of objects that could not be looked into, or one of their properties.
public struct OpaqueObject: Hashable, Sendable {
  /// The class, without module.
  public let className: String
  /// The property, or an empty text where it is the whole object, or what lies behind its properties.
  public let label: String
  /// Why it could not be looked into.
  public let reason: OpaqueReason
  /// How many objects that is true of.
  public let count: Int
}

extension OpaqueObject: CustomStringConvertible {
  /// `Screen.lock: the compiler does not describe noncopyable types (3 objects)`.
  public var description: String {
    let location = label.isEmpty ? className : "\(className).\(label)"
    return "\(location): \(reason.explanation)" + (count > 1 ? " (\(count) objects)" : "")
  }
}
