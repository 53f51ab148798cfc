internal import KVORecorder
internal import KVORules
internal import KVOTrace

/// Puts what a walk saw into the log, as one picture, and judges it.
///
/// The objects of a cycle are watched from then on, so that the log says when one of them died after
/// all, which takes the finding back.
struct WalkedReferences {
  /// What makes two closures the same: who holds them, as what.
  private struct ClosurePlace: Hashable, Sendable {
    var holder: ObjectID?
    var label: StringID
    var observation: UInt64
    var code: UInt64
  }

  /// The numbers of closures, which have no record: the same in each walk that meets them.
  ///
  /// State: the dictionary, under its own lock. Forgotten when there are many: a cycle that is seen again
  /// after that counts as another.
  private static let closures = GuardedState<[ClosurePlace: ObjectID]>([:])
  private static let closureLimit = 4096

  private let walk: RetainWalk
  private let roots: [ObjectRef]

  init(_ walk: RetainWalk, from roots: [ObjectRef]) {
    self.walk = walk
    self.roots = roots
  }

  /// Records the walk and tells what is wrong.
  ///
  /// No lock may be held, and what was walked must not have changed since.
  ///
  /// - Parameter isAsserted: whether a test says that there is no cycle.
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

  /// What could not be looked into, as sentences say it.
  var notLookedInto: [String] {
    walk.opaque.map { opaque in
      let place =
        opaque.label.isEmpty ? opaque.className : "\(opaque.className).\(opaque.label)"
      return "\(place): \(opaque.reason)" + (opaque.count > 1 ? " (\(opaque.count) objects)" : "")
    }
  }

  // MARK: References

  private func references(
    along path: [RetainWalk.Edge]
  ) -> [(reference: Reference, stack: StackID)] {
    var references: [(Reference, StackID)] = []
    var from = path.first.map { reference(to: $0.from, by: nil, heldBy: nil) }
    let start = from
    for (place, edge) in path.enumerated() {
      guard let holder = from else { break }
      // A path leads back to where it began, which has its number by now.
      let isLast = place == path.count - 1
      let next = path.indices.contains(place + 1) ? path[place + 1] : nil
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

  /// Where a reference came to be: the registration of an observation, the code of a closure.
  private func stack(of edge: RetainWalk.Edge) -> StackID {
    if let observation = LayerKnowledge.object(at: UInt(edge.observation)) as? Observation {
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
    guard object.address != 0, let instance = LayerKnowledge.object(at: UInt(object.address))
    else {
      let place = ClosurePlace(
        holder: holder?.id,
        label: edge.map { Recorder.shared.id(of: $0.label) } ?? .none,
        observation: edge?.observation ?? 0,
        code: next?.code ?? 0
      )
      return ObjectRef(
        id: number(of: place),
        className: Recorder.shared.id(of: object.className),
        kind: object.kind
      )
    }
    if let token = instance as? ObservationToken, let reference = token.reference {
      return reference
    }
    if let controller = instance as? any AnyController { return controller.registry }
    let record = ObjectTable.shared.record(of: instance)
    ObjectTable.shared.watch(record, of: instance)
    return record.ref
  }

  private func number(of place: ClosurePlace) -> ObjectID {
    let fresh = ObjectID(ObjectTable.shared.nextNumber())
    return Self.closures.withLock { closures in
      if let known = closures[place] { return known }
      if closures.count >= Self.closureLimit { closures.removeAll() }
      closures[place] = fresh
      return fresh
    }
  }
}
