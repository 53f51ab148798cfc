internal import KVORecorder
internal import KVORetainRegistry
internal import KVORules
internal import KVOTrace

/// Writes the result of a walk into the log, as one snapshot, and judges it.
///
/// The objects of a cycle are watched from then on, so that the log records if one of them is deallocated after all,
/// which withdraws the finding.
struct WalkedReferences {
  /// The identity of a closure: its holder and the label of the reference.
  private struct ClosureLocation: Hashable, Sendable {
    var holder: ObjectID?
    var label: StringID
    var observation: UInt64
    var code: UInt64
  }

  /// The numbers of closures, which have no record: the same in each walk that finds them.
  ///
  /// State: the dictionary, under its own lock. Cleared when there are many: a cycle that is seen again after that
  /// counts as another.
  private static let closures = GuardedState<[ClosureLocation: ObjectID]>([:])
  private static let closureLimit = 4096

  private let walk: RetainWalk
  private let roots: [ObjectRef]

  init(_ walk: RetainWalk, from roots: [ObjectRef]) {
    self.walk = walk
    self.roots = roots
  }

  /// Records the walk and returns the faults.
  ///
  /// No lock may be held, and the walked objects must not have changed since.
  ///
  /// - Parameter isAsserted: whether a test asserts that there is no cycle.
  /// - Returns: a verdict for each cycle.
  func judge(isAsserted: Bool) -> [Verdict] {
    var judge = WalkedCycles()
    let recorder = Recorder.shared
    recorder.record(.walkBegin(roots: roots))
    for path in walk.paths {
      for (reference, stack) in references(along: path) {
        recorder.record(.hold(reference), stack: stack)
        judge.hold(reference, stack: stack, thread: Recorder.currentThread)
      }
    }
    let opaque = Set(walk.opaque.map(\.className)).sorted().map { recorder.id(of: $0) }
    recorder.record(
      .walkEnd(isComplete: walk.opaque.isEmpty, opaque: opaque, isAsserted: isAsserted)
    )
    guard !walk.paths.isEmpty else { return [] }
    return judge.verdicts(among: ObjectTable.shared.subjects.flatMap(\.registered))
  }

  /// The uninspected items, in words for sentences.
  var notLookedInto: [String] {
    walk.opaque.map { opaque in
      let location =
        opaque.label.isEmpty ? opaque.className : "\(opaque.className).\(opaque.label)"
      return "\(location): \(opaque.reason)"
        + (opaque.count > 1 ? " (\(opaque.count) objects)" : "")
    }
  }

  // MARK: References

  private func references(
    along path: [RetainWalk.Edge]
  ) -> [(reference: Reference, stack: StackID)] {
    var references: [(Reference, StackID)] = []
    var from = path.first.map { reference(to: $0.from, by: nil, heldBy: nil) }
    let start = from
    for (index, edge) in path.enumerated() {
      guard let holder = from else { break }
      // A path leads back to its first object, which has a number by now.
      let isLast = index == path.count - 1
      let next = path.indices.contains(index + 1) ? path[index + 1] : nil
      let to = isLast ? start : reference(to: edge.to, by: next, edge, heldBy: holder)
      guard let to else { break }
      let made = Reference(
        from: holder,
        to: to,
        label: Recorder.shared.id(of: edge.label),
        strength: edge.strength,
        certainty: edge.certainty,
        site: edge.site.map { Recorder.shared.id(of: $0) } ?? .none
      )
      references.append((made, stack(of: edge)))
      from = to
    }
    return references
  }

  /// The stack at which a reference was made: the registration of an observation, the code of a
  /// closure.
  private func stack(of edge: RetainWalk.Edge) -> StackID {
    if let observation = LibraryKnowledge.object(at: UInt(edge.observation)) as? Observation {
      return observation.root.evidence(of: observation.id)?.stack ?? .none
    }
    return edge.code == 0 ? .none : Recorder.shared.id(ofCode: edge.code)
  }

  // MARK: Objects

  private func reference(
    to object: RetainWalk.Object,
    by next: RetainWalk.Edge?,
    _ edge: RetainWalk.Edge? = nil,
    heldBy holder: ObjectRef?
  ) -> ObjectRef {
    guard object.address != 0, let instance = LibraryKnowledge.object(at: UInt(object.address))
    else {
      let closure = ClosureLocation(
        holder: holder?.id,
        label: edge.map { Recorder.shared.id(of: $0.label) } ?? .none,
        observation: edge?.observation ?? 0,
        code: next?.code ?? 0
      )
      return ObjectRef(
        id: number(of: closure),
        className: Recorder.shared.id(of: object.className),
        kind: object.kind
      )
    }
    if let token = instance as? ObservationToken, let reference = token.reference {
      return reference
    }
    if let controller = instance as? any AnyController { return controller.registry }
    let record = ObjectTable.shared.watchedRecord(of: instance)
    return record.ref
  }

  private func number(of closure: ClosureLocation) -> ObjectID {
    let fresh = ObjectID(ObjectTable.shared.nextNumber())
    return Self.closures.withLock { closures in
      if let known = closures[closure] { return known }
      if closures.count >= Self.closureLimit { closures.removeAll() }
      closures[closure] = fresh
      return fresh
    }
  }
}
