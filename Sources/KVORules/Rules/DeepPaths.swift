import KVOTrace

/// The objects that deep key paths hang on (KVO014, KVO015 and KVO016).
///
/// Memory is bounded by the live registrations and those that ended last.
///
/// Complexity: O(1) for hanging on and off; O(paths that hang on the object) for a change and a death.
struct DeepPaths: Sendable {
  /// A path hanging on an object.
  struct Hold: Sendable {
    var object: ObjectRef
    var key: StringID
    var strength: Reference.Strength
    var attached: Evidence
    /// Whether the link to the object was changed since.
    var wasChanged = false
  }

  /// A path whose object died.
  struct Loss: Sendable {
    var registration: RegistrationID
    var hold: Hold
    var depth: Int
    /// The object that the link belongs to, and the key of the link where the log says it.
    var parent: ObjectID
    var parentKey: StringID?
  }

  /// A loss that may turn out to be part of the end of its observation.
  struct Pending: Sendable {
    /// The registration, in the ledger.
    var slot: Int
    var loss: Loss
    var died: Evidence
    /// The thread that the object died on.
    var thread: Int
  }

  private struct Path: Sendable {
    var subject: ObjectID
    /// By depth, from 1.
    var holds: [Int: Hold] = [:]
    /// The first key of the path, where the log says it.
    var firstKey: StringID?
    /// The depth of the first object that was deallocated and not replaced since: what the path has after it is
    /// lost with it.
    var lostDepth: Int?

    func parent(of depth: Int) -> (object: ObjectID, key: StringID?)? {
      if depth == 1 { return (subject, firstKey) }
      return holds[depth &- 1].map { ($0.object.id, $0.key) }
    }
  }

  private struct Place: Hashable {
    var registration: RegistrationID
    var depth: Int
  }

  private static let pendingLimit = 256

  private var paths: [RegistrationID: Path] = [:]
  /// Where paths hang on an object, the observed ones included, at depth 0.
  private var places: [ObjectID: Set<Place>] = [:]
  private var pending: [Pending] = []

  var isEmpty: Bool { paths.isEmpty }
  /// How many paths, and objects that they hang on, are remembered.
  var count: Int { paths.count + places.count + pending.count }
  var hasPending: Bool { !pending.isEmpty }

  mutating func attach(_ attachment: Attachment, subject: ObjectID, at evidence: Evidence) {
    let id = attachment.registration
    if paths[id] == nil {
      paths[id] = Path(subject: subject)
      places[subject, default: []].insert(Place(registration: id, depth: 0))
    }
    guard attachment.depth > 0 else {
      paths[id]?.firstKey = attachment.key
      return
    }
    take(id, attachment.depth)
    if let lost = paths[id]?.lostDepth, attachment.depth <= lost { paths[id]?.lostDepth = nil }
    paths[id]?.holds[attachment.depth] = Hold(
      object: attachment.object,
      key: attachment.key,
      strength: attachment.strength,
      attached: evidence.as(.attached)
    )
    places[attachment.object.id, default: []]
      .insert(Place(registration: id, depth: attachment.depth))
  }

  /// The path hangs itself off.
  ///
  /// - Returns: what it had hung on, where that is another object and nobody changed the link.
  mutating func detach(_ attachment: Attachment) -> Hold? {
    guard attachment.depth > 0, let hold = take(attachment.registration, attachment.depth),
      hold.object.id != attachment.object.id, !hold.wasChanged
    else { return nil }
    return hold
  }

  /// A half of a change of `key` on `object`: the links that lead on from there may be new.
  mutating func change(_ key: StringID, on object: ObjectID) {
    for place in places[object] ?? [] {
      let own =
        place.depth == 0
        ? paths[place.registration]?.firstKey
        : paths[place.registration]?.holds[place.depth]?.key
      if let own, own != key { continue }
      paths[place.registration]?.holds[place.depth &+ 1]?.wasChanged = true
    }
  }

  /// An object died.
  ///
  /// - Returns: the paths that hung on it, in the order in which they were hung up, but for those that had
  ///   lost an object before it.
  mutating func die(_ object: ObjectID) -> [Loss] {
    guard let all = places.removeValue(forKey: object) else { return [] }
    var losses: [Loss] = []
    for place in all where place.depth > 0 {
      guard let path = paths[place.registration],
        let hold = paths[place.registration]?.holds.removeValue(forKey: place.depth)
      else { continue }
      if let lost = path.lostDepth, lost < place.depth { continue }
      paths[place.registration]?.lostDepth = place.depth
      let parent = path.parent(of: place.depth)
      losses.append(
        Loss(
          registration: place.registration,
          hold: hold,
          depth: place.depth,
          parent: parent?.object ?? path.subject,
          parentKey: parent?.key
        )
      )
    }
    return losses.sorted { ($0.hold.attached.event) < ($1.hold.attached.event) }
  }

  /// Nothing more can come of the registration.
  mutating func forget(_ id: RegistrationID) {
    guard let path = paths.removeValue(forKey: id) else { return }
    leave(path.subject, Place(registration: id, depth: 0))
    for (depth, hold) in path.holds {
      leave(hold.object.id, Place(registration: id, depth: depth))
    }
  }

  @discardableResult
  private mutating func take(_ id: RegistrationID, _ depth: Int) -> Hold? {
    guard let hold = paths[id]?.holds.removeValue(forKey: depth) else { return nil }
    leave(hold.object.id, Place(registration: id, depth: depth))
    return hold
  }

  private mutating func leave(_ object: ObjectID, _ place: Place) {
    places[object]?.remove(place)
    if places[object]?.isEmpty == true { places[object] = nil }
  }

  // MARK: - Deaths that may explain themselves

  /// Judges a deallocation once its thread has gone on.
  ///
  /// Beyond the limit the oldest is no longer judged. What was deallocated after the same link, perhaps as a
  /// consequence, is no longer judged either.
  mutating func wait(_ new: Pending) {
    pending.removeAll { $0.slot == new.slot && $0.loss.depth > new.loss.depth }
    if pending.count == Self.pendingLimit { pending.removeFirst() }
    pending.append(new)
  }

  /// The registration at `slot` ended, perhaps with all that its observed object held.
  mutating func excuse(_ slot: Int) { pending.removeAll { $0.slot == slot } }

  /// The registration at `slot` was told after the death of an object that it refers to weakly.
  mutating func excuseWeak(_ slot: Int) {
    pending.removeAll { $0.slot == slot && $0.loss.hold.strength != .strong }
  }

  /// `thread` went on after the deaths; nil: all did.
  mutating func conclude(on thread: Int?) -> [Pending] {
    let over = pending.filter { thread == nil || $0.thread == thread }
    if !over.isEmpty { pending.removeAll { thread == nil || $0.thread == thread } }
    return over
  }

  /// Whether an object that dies takes others along before its thread does this, or somebody is told of
  /// the death.
  static func isPartOfDeath(_ event: UnsafePointer<Event>) -> Bool {
    switch event.pointee.body {
    case .deinit, .deinitEnd, .detach, .attach, .lock, .unlock, .drop, .threadName, .module, .live,
      .cancel(_, by: .owner), .cancel(_, by: .subject), .cancel(_, by: .token),
      .cancel(_, by: .observer), .notify, .notifyEnd:
      true
    default: false
    }
  }
}
