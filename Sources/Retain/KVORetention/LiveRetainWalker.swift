package import KVORetainRegistry
internal import KVOTrace

/// The retain search as KVOSafety and the tests call it.
package struct LiveRetainWalker: RetainWalker {
  private let search: RetainSearch

  package init(search: RetainSearch = RetainSearch()) { self.search = search }

  package func walk(from roots: [AnyObject], names: CodeNames?) -> RetainWalk {
    let answer = search.findCycles(from: roots, names: names)
    return RetainWalk(
      paths: (answer.cycles + answer.suspectedCycles).map { $0.edges.map(RetainWalk.Edge.init) },
      opaque: answer.opaque.map(RetainWalk.Opaque.init)
    )
  }

  package func walk(
    from roots: [AnyObject],
    throughObservations marks: [AnyObject]?,
    expectsDeallocation: Bool,
    names: CodeNames?
  ) -> RetainWalk {
    var search = search
    search.expectsDeallocation = expectsDeallocation
    return RetainWalk(search.findCycles(from: roots, throughObservations: marks, names: names))
  }

  package func walk(
    to object: AnyObject,
    from roots: [AnyObject],
    names: CodeNames?
  ) -> RetainWalk {
    let answer = search.findPath(to: object, from: roots, names: names)
    return RetainWalk(
      paths: answer.path.map { [$0.edges.map(RetainWalk.Edge.init)] } ?? [],
      opaque: answer.opaque.map(RetainWalk.Opaque.init)
    )
  }

  package func tasks(holding object: AnyObject, names: CodeNames?) -> RetainingTasks {
    let tasks = search.findTasks(holding: object, names: names)
    return RetainingTasks(lines: tasks.lines, notLookedInto: tasks.notLookedInto)
  }
}

extension RetainWalk {
  /// The proven cycles of an answer.
  package init(_ answer: RetainAnswer) {
    self.init(
      paths: answer.cycles.map { $0.edges.map(RetainWalk.Edge.init) },
      opaque: answer.opaque.map(RetainWalk.Opaque.init)
    )
  }
}

extension RetainSearch {
  /// Enables KVOSafety to find the cycles that contain observations.
  ///
  /// ```swift
  /// RetainSearch.install()
  /// print(KVO.findRetainCycles(from: screen))
  /// ```
  ///
  /// KVOSafety itself reads no memory; only programs that import this module link the search.
  /// KVOSafetyTesting calls this function automatically. One call per process is enough, and later
  /// calls have no effect. Can be called on any thread.
  ///
  /// If the environment has `KVO_SAFETY_HEAP`, a folder, this process also takes requests for
  /// snapshots, as after ``allowSnapshots(on:to:)``; `KVO_SAFETY_HEAP_SIGNAL` may have a signal:
  /// `USR1`, `USR2` or a number.
  public static func install() {
    RetainRegistry.install(LiveRetainWalker())
    allowSnapshotsOfEnvironment()
  }
}

extension RetainWalk.Edge {
  fileprivate init(_ edge: RetainEdge) {
    self.init(
      from: RetainWalk.Object(edge.from),
      label: edge.label,
      to: RetainWalk.Object(edge.to),
      certainty: edge.certainty == .proven ? .proven : .suspected,
      site: edge.site,
      code: UInt64(edge.code),
      observation: UInt64(edge.observation)
    )
  }
}

extension RetainWalk.Object {
  fileprivate init(_ object: RetainedObject) {
    self.init(
      className: object.className,
      address: object.kind == .instance ? UInt64(object.address) : 0,
      kind: object.kind == .closure ? .closure : .object
    )
  }
}

extension RetainWalk.Opaque {
  fileprivate init(_ object: OpaqueObject) {
    self.init(
      className: object.className,
      label: object.label,
      reason: object.reason.explanation,
      count: object.count
    )
  }
}
