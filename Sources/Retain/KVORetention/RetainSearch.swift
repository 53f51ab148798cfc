package import KVORetainRegistry

/// Finds objects of this process that keep each other alive, by reading its memory.
///
/// ```swift
/// final class Node { var next: Node? }
/// let node = Node()
/// node.next = node
/// print(RetainSearch().findCycles(from: node))
/// // 1 retain cycle
/// //   Node.next → Node
/// ```
///
/// A search follows strong references from the given objects: stored properties, elements of
/// collections, payloads of enums, values in existentials, and captures of closures. It does not
/// follow weak and unowned references. It runs no code of the program: no getters, no descriptions,
/// no comparisons.
///
/// There are three verdicts. The absence of cycles is conclusive if no word in opaque memory could
/// close one; otherwise the answer lists what could not be inspected. Words behind raw pointers,
/// and in heap memory of C libraries, are followed as possible references within the limits that
/// Documentation/RetainSearch.md describes: they cause doubts, and cycles only if reference counts
/// prove them. An object that only a global keeps alive is not on a cycle. No search can tell
/// whether a cycle is a leak: the program may break it later.
///
/// An observation of KVOSafety ends with its token or controller. A cycle through an observation counts only if that
/// token or controller is in the cycle or is owned by an object in it: otherwise the cycle ends when the owner
/// releases it.
///
/// A cycle that lasts only until a task ends, because the task holds an object while it waits, does
/// not cause the verdict ``RetainAnswer/Verdict/cycles`` either: it is in ``RetainAnswer/taskCycles``.
///
/// No other thread may change the objects during the search: run it while the program is at rest,
/// for example at the end of a test. What else a search meets, others may change: if it reaches a
/// task that has not ended, or opaque memory in a process with other threads, it is repeated in a
/// copy of the process, which `fork` creates. One search runs at a time; concurrent callers block.
public struct RetainSearch: Hashable, Sendable {
  /// Whether cycles with suspected references are described.
  ///
  /// Words in opaque memory are examined in any case: an answer is inconclusive only if they may
  /// close a cycle. A word that reference counts prove to be a reference counts like any other, and
  /// may cause the verdict ``RetainAnswer/Verdict/cycles``; a suspected one does not.
  public var scansOpaqueMemory: Bool

  /// The maximum number of cycles to describe; an answer has the number of omitted ones.
  public var cycleLimit: Int

  /// The time limit of a walk; if it is exceeded, the answer is inconclusive.
  public var timeLimit: Duration

  /// Whether the roots should have been deallocated.
  ///
  /// A cycle of such an object counts even if it would end with a token that something else owns.
  package var expectsDeallocation = false

  /// Creates a search.
  ///
  /// - Parameters:
  ///   - scansOpaqueMemory: see ``scansOpaqueMemory``.
  ///   - cycleLimit: the maximum number of cycles to describe: first the shortest of each set of
  ///     objects that keep each other alive, then others with a different description.
  ///   - timeLimit: see ``timeLimit``.
  public init(
    scansOpaqueMemory: Bool = false,
    cycleLimit: Int = 100,
    timeLimit: Duration = .seconds(60)
  ) {
    self.scansOpaqueMemory = scansOpaqueMemory
    self.cycleLimit = cycleLimit
    self.timeLimit = timeLimit
  }

  /// Finds the objects that are reachable from `roots` and keep themselves alive.
  ///
  /// - Parameter roots: the objects from which the search begins; they are kept alive until the
  ///   call returns.
  /// - Returns: the cycles, or the reasons why the absence of cycles is not certain.
  /// - Complexity: O(n) in objects and references; for each set of objects that keep each other
  ///   alive, up to the square of its size, within a limit.
  public func findCycles(from roots: AnyObject...) -> RetainAnswer {
    findCycles(from: roots, names: nil)
  }

  /// Finds what keeps `object` alive: the shortest chain of strong references to it.
  ///
  /// - Parameters:
  ///   - object: the object that should have been deallocated.
  ///   - roots: the objects from which the search begins.
  /// - Returns: the chain, and what could not be inspected.
  /// - Complexity: O(n) in the objects and references that are reachable from `roots`.
  public func findPath(to object: AnyObject, from roots: AnyObject...) -> RetainPathAnswer {
    findPath(to: object, from: roots, names: nil)
  }

  // MARK: For other targets

  package func findCycles(from roots: [AnyObject], names: CodeNames?) -> RetainAnswer {
    let (answer, isWhole) = inPlace(from: roots, names, { $0.cycles(from: $1) }) { $0 }
    guard !isWhole else { return answer }
    return inCopy(from: roots, names, decode: AnswerBytes.answer) {
      AnswerBytes($0.cyclesWithTasks(from: $1))
    } ?? answer
  }

  /// Finds the cycles through the observations in `marks` only; nil stands for all observations
  /// that are reachable from `roots`.
  ///
  /// Cycles through waiting tasks do not count: they are not the fault of the observation, and end with
  /// the task.
  package func findCycles(
    from roots: [AnyObject],
    throughObservations marks: [AnyObject]?,
    names: CodeNames?
  ) -> RetainAnswer {
    withExtendedLifetime(marks) {
      let marks = marks.map { Set($0.map(Self.address)) }
      let (answer, isWhole) = inPlace(
        from: roots,
        names,
        { $0.observationCycles(from: $1, through: marks) },
        { $0 }
      )
      guard !isWhole else { return answer }
      return inCopy(from: roots, names, decode: AnswerBytes.answer) {
        AnswerBytes($0.observationCycles(from: $1, through: marks))
      } ?? answer
    }
  }

  /// Finds the shortest cycle through each observation, and separately all other cycles.
  ///
  /// A cycle through an observation is only in the first answer, unless it lasts only until a task
  /// ends; what could not be inspected is in both.
  package func findCyclesApart(
    from roots: [AnyObject],
    names: CodeNames?
  ) -> (observations: RetainAnswer, others: RetainAnswer) {
    let (found, isWhole) = inPlace(from: roots, names, { $0.cyclesApart(from: $1) }, \.others)
    guard !isWhole else { return found }
    let copy = inCopy(from: roots, names, decode: AnswerBytes.answers) {
      let (observations, others) = $0.cyclesApart(from: $1)
      return AnswerBytes([observations, others.with(taskCycles: $0.taskCycles(from: $1))])
    }
    guard let copy, copy.count == 2 else { return found }
    return (copy[0], copy[1])
  }

  /// Searches this process itself, without what other threads may free: what the frames of tasks
  /// that have not ended lead to, and memory of which it is not known who owns it.
  ///
  /// - Parameters:
  ///   - roots: the objects from which the search begins.
  ///   - names: finds source locations.
  ///   - body: searches.
  ///   - opaque: the answer that says what was left out.
  /// - Returns: the answer, and whether a copy of the process would not know more.
  private func inPlace<Answer>(
    from roots: [AnyObject],
    _ names: CodeNames?,
    _ body: (SearchRun, [UInt]) -> Answer,
    _ opaque: (Answer) -> RetainAnswer
  ) -> (answer: Answer, isWhole: Bool) {
    let prior = SearchRun.Prior()
    let isOnlyThread = ThreadStacks.isOnlyThread()
    let answer = withExtendedLifetime(roots) {
      PlanStore.withShared { store in
        let run = SearchRun(
          self,
          prior,
          store: store,
          names: names,
          tasks: .none,
          followsUnowned: isOnlyThread
        )
        return body(run, roots.map(Self.address))
      }
    }
    return (answer, !opaque(answer).needsCopy(isOnlyThread: isOnlyThread))
  }

  /// The time limit of the search of a copy: most answer at once or never.
  private static var copyTimeLimit: Duration { .seconds(10) }

  private func inCopy<Answer>(
    from roots: [AnyObject],
    _ names: CodeNames?,
    decode: ([UInt8]) -> Answer?,
    _ body: (SearchRun, [UInt]) -> AnswerBytes
  ) -> Answer? {
    let limit = min(timeLimit, Self.copyTimeLimit)
    return try? inCopy(from: roots, within: limit, names: names, decode: decode, body)
  }

  package func findPath(
    to object: AnyObject,
    from roots: [AnyObject],
    names: CodeNames?
  ) -> RetainPathAnswer {
    let prior = SearchRun.Prior()
    return withExtendedLifetime((object, roots)) {
      PlanStore.withShared { store in
        let run = SearchRun(self, prior, store: store, names: names)
        return run.path(to: Self.address(object), from: roots.map(Self.address))
      }
    }
  }
}
