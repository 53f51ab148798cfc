/// The result of a search for retain cycles.
public struct RetainAnswer: Hashable, Sendable {
  /// The result in one word.
  public enum Verdict: Hashable, Sendable {
    /// There are cycles of strong references, with every edge proven, that no task's end breaks.
    case cycles
    /// There are no cycles among the reached objects, and no opaque part of them may close one.
    case noneFound
    /// No such cycle was found, but there may be one through something that could not be inspected
    /// (see ``RetainAnswer/opaque``), or there is one until a task ends
    /// (see ``RetainAnswer/taskCycles``).
    case inconclusive
  }

  /// The shortest proven cycle of each set of objects that keep each other alive, those nearest to
  /// the roots first; then other cycles through the same objects with a different description.
  public let cycles: [RetainCycle]
  /// Cycles with a suspected edge, in the same order; empty unless requested by
  /// ``RetainSearch/scansOpaqueMemory``.
  public let suspectedCycles: [RetainCycle]
  /// The shortest cycle through each waiting task, those with every edge proven first: they last
  /// until the task ends.
  ///
  /// It is a leak if nothing ends the task otherwise, such as a `for await` loop over values that
  /// would only end with an object of the cycle. A task that waits for a reply or a timer ends by
  /// itself, so these cycles do not cause the verdict ``Verdict/cycles``.
  public let taskCycles: [RetainCycle]
  /// The number of sets of objects that keep each other alive by proven references.
  public let componentCount: Int
  /// The number of cycles that were found but are not described, because
  /// ``RetainSearch/cycleLimit`` was reached: there may be more.
  public let omittedCycleCount: Int
  /// What could not be inspected, and may close a cycle or refer to more objects.
  public let opaque: [OpaqueObject]
  /// The number of reached objects: instances, contexts of closures, boxes, storage of collections.
  public let objectCount: Int
  /// The number of references between them.
  public let referenceCount: Int

  /// The result in one word.
  public var verdict: Verdict {
    if componentCount > 0 { return .cycles }
    let isCertain = opaque.isEmpty && suspectedCycles.isEmpty && taskCycles.isEmpty
    return isCertain ? .noneFound : .inconclusive
  }
}

extension RetainAnswer {
  /// The same answer without the cycles that match `isLeftOut`; they do not count as omitted.
  func without(_ isLeftOut: (RetainCycle) -> Bool) -> RetainAnswer {
    let cycles = cycles.filter { !isLeftOut($0) }
    return RetainAnswer(
      cycles: cycles,
      suspectedCycles: suspectedCycles,
      taskCycles: taskCycles,
      componentCount: cycles.isEmpty ? 0 : componentCount,
      omittedCycleCount: cycles.isEmpty ? 0 : omittedCycleCount,
      opaque: opaque,
      objectCount: objectCount,
      referenceCount: referenceCount
    )
  }

  /// The same answer with cycles through tasks.
  func with(taskCycles: [RetainCycle]) -> RetainAnswer {
    RetainAnswer(
      cycles: cycles,
      suspectedCycles: suspectedCycles,
      taskCycles: taskCycles,
      componentCount: componentCount,
      omittedCycleCount: omittedCycleCount,
      opaque: opaque,
      objectCount: objectCount,
      referenceCount: referenceCount
    )
  }

  /// Whether a search of this process left out what only a copy of it can read: a task that has not
  /// ended, or, if other threads may free it, memory of which it is not known who owns it.
  ///
  /// - Parameter isOnlyThread: whether the process has no other thread.
  /// - Returns: whether something was left out.
  func needsCopy(isOnlyThread: Bool) -> Bool {
    opaque.contains { isOnlyThread ? $0.reason == .task : $0.reason.isOfMemory }
  }
}

extension RetainAnswer: CustomStringConvertible {
  /// The answer as a report prints it, a line for each cycle or opaque object.
  public var description: String {
    var lines: [String] = []
    switch verdict {
    case .cycles: lines.append(countText)
    case .noneFound: lines.append("no retain cycle")
    case .inconclusive: lines.append("\(inconclusiveText); not everything could be inspected")
    }
    lines += cycles.map { "  \($0)" }
    lines += taskCycles.map { "  \($0.isProven ? "" : "suspected ")until the task ends: \($0)" }
    lines += suspectedCycles.map { "  suspected: \($0)" }
    lines += opaque.map { "  not inspected: \($0)" }
    return lines.joined(separator: "\n")
  }

  private var countText: String {
    guard omittedCycleCount > 0 else { return Self.counted(cycles.count, "retain cycle") }
    let all = Self.counted(cycles.count + omittedCycleCount, "retain cycle")
    return "\(cycles.count) of at least \(all)"
  }

  private var inconclusiveText: String {
    let count = taskCycles.count(where: \.isProven)
    if count == 0 { return "no retain cycle found" }
    let isOne = count == 1
    return Self.counted(count, "retain cycle")
      + (isOne ? " that lasts until its task ends" : " that last until their tasks end")
  }

  private static func counted(_ count: Int, _ noun: String) -> String {
    "\(count) \(noun)\(count == 1 ? "" : "s")"
  }
}

/// What keeps an object alive.
public struct RetainPathAnswer: Hashable, Sendable {
  /// The shortest chain of proven references to the object, or nil if none was found.
  public let path: RetainPath?
  /// What may hold references to the object and could not be inspected.
  public let opaque: [OpaqueObject]
}

/// A class of objects that could not be inspected, or one of their properties.
public struct OpaqueObject: Hashable, Sendable {
  /// The class, without module.
  public let className: String
  /// The property, or an empty text for the whole object or the memory after its properties.
  public let label: String
  /// Why it could not be inspected.
  public let reason: OpaqueReason
  /// The number of such objects.
  public let count: Int
}

extension OpaqueObject: CustomStringConvertible {
  /// `Screen.lock: the compiler does not describe noncopyable types (3 objects)`.
  public var description: String {
    let location = label.isEmpty ? className : "\(className).\(label)"
    return "\(location): \(reason.explanation)" + (count > 1 ? " (\(count) objects)" : "")
  }
}
