package import KVORetainRegistry

/// Looks for objects of this process that keep each other alive, by reading its memory.
///
/// ```swift
/// final class Node { var next: Node? }
/// let node = Node()
/// node.next = node
/// print(RetainSearch().findCycles(from: node))  // Node.next → Node
/// ```
///
/// A search follows strong references from the objects that it is given: stored properties, elements of
/// collections, payloads of enums, values in existentials, what closures captured. Weak and unowned
/// references it does not follow. It runs no code of the program's: no getters, no descriptions, no
/// comparisons.
///
/// The answer has three values. That no cycle was found is conclusive if no word in what was not understood
/// may close one; else the answer lists what it could not look into. Behind raw pointers, and in what C
/// libraries keep on the heap, words are followed that may be references, as far as Documentation/RetainSearch.md
/// says: they make a doubt, and no cycle.
/// What globals hold is no cycle. That a cycle is a leak no search can say: the program may break it later.
///
/// No other thread may change the objects while they are read: search where the program is at rest, as
/// at the end of a test. One search runs at a time, others wait.
public struct RetainSearch: Hashable, Sendable {
  /// Whether cycles with suspected references are described.
  ///
  /// Words in bytes that are not understood are looked at in any case: only where they may close a cycle is
  /// an answer inconclusive. They look like unowned references, and so make no verdict of
  /// ``RetainAnswer/Verdict/cycles``.
  public var scansOpaqueMemory: Bool

  /// How many cycles are described at the most; an answer says how many it leaves out.
  public var cycleLimit: Int

  /// How long a walk may take: one that takes longer is inconclusive.
  public var timeLimit: Duration

  /// Makes a search.
  ///
  /// - Parameters:
  ///   - scansOpaqueMemory: see ``scansOpaqueMemory``.
  ///   - cycleLimit: how many cycles are described at the most; those nearest to the roots are.
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

  /// Finds the objects reached from `roots` that keep themselves alive.
  ///
  /// - Parameter roots: where to begin; they are kept alive until the call returns.
  /// - Returns: the cycles, or why it is not known that there are none.
  /// - Complexity: O(n) in objects and references; for each cycle at most the square of what keeps each
  ///   other alive in it, up to a bound.
  public func findCycles(from roots: AnyObject...) -> RetainAnswer {
    findCycles(from: roots, names: nil)
  }

  /// Finds what keeps `object` alive: the shortest chain of strong references that leads to it.
  ///
  /// - Parameters:
  ///   - object: the object that should be gone.
  ///   - roots: where to begin.
  /// - Returns: the chain, and what could not be looked into.
  /// - Complexity: O(n) in the objects and references that are reached from `roots`.
  public func findPath(to object: AnyObject, from roots: AnyObject...) -> RetainPathAnswer {
    findPath(to: object, from: roots, names: nil)
  }

  // MARK: For the other rooms

  package func findCycles(from roots: [AnyObject], names: CodeNames?) -> RetainAnswer {
    let prior = SearchRun.Prior()
    return withExtendedLifetime(roots) {
      PlanStore.withShared { store in
        let run = SearchRun(self, prior, store: store, names: names)
        return run.cycles(from: roots.map(Self.address))
      }
    }
  }

  /// The cycles through observations, and no others; nil marks all that are reached from `roots`.
  package func findCycles(
    from roots: [AnyObject],
    throughObservations marks: [AnyObject]?,
    names: CodeNames?
  ) -> RetainAnswer {
    let prior = SearchRun.Prior()
    return withExtendedLifetime((roots, marks)) {
      PlanStore.withShared { store in
        let run = SearchRun(self, prior, store: store, names: names)
        return run.observationCycles(
          from: roots.map(Self.address),
          through: marks.map { Set($0.map(Self.address)) }
        )
      }
    }
  }

  /// The cycles through observations, the shortest through each, and apart from them all others.
  ///
  /// A cycle through an observation is in the first answer alone; what could not be looked into is in both.
  package func findCyclesApart(
    from roots: [AnyObject],
    names: CodeNames?
  ) -> (observations: RetainAnswer, others: RetainAnswer) {
    let prior = SearchRun.Prior()
    return withExtendedLifetime(roots) {
      PlanStore.withShared { store in
        let run = SearchRun(self, prior, store: store, names: names)
        return run.cyclesApart(from: roots.map(Self.address))
      }
    }
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

  private static func address(_ object: AnyObject) -> UInt {
    UInt(bitPattern: Unmanaged.passUnretained(object).toOpaque())
  }
}
