import KVORules
import KVOTrace

/// The objects that deep key paths are attached to (KVO014, KVO015 and KVO016).
///
/// Memory is bounded by the live registrations and the most recently ended ones.
///
/// Complexity: O(1) for attaching and detaching; O(paths attached to the object) for a change and a deallocation.
struct DeepPaths: Sendable {
  /// A path that is attached to an object.
  struct Hold: Sendable {
    var object: ObjectRef
    var key: StringID
    var strength: Reference.Strength
    var attached: Evidence
    /// When it was attached, by ``KeyChanges``.
    var moment: Int
    /// Whether the link to the object was changed since.
    var wasChanged = false
    /// Whether the observer was notified while the object was being deallocated.
    var isEndNotified = false
  }

  /// A path that is no longer attached to an object.
  struct Loss: Sendable {
    var registration: RegistrationID
    var hold: Hold
    var depth: Int
    /// The object that the link belongs to, and the key of the link if the log states it.
    var parent: ObjectRef
    var parentKey: StringID?
  }

  /// A deallocation that may turn out to be part of the end of its observation.
  struct Pending: Sendable {
    /// The registration, in the ledger.
    var slot: Int
    var loss: Loss
    var deallocated: Evidence
    /// The thread that the object was deallocated on.
    var thread: Int
  }

  private struct Path: Sendable {
    var subject: ObjectRef
    /// By depth, from 1.
    var holds: [Int: Hold] = [:]
    /// The first key of the path, if the log states it.
    var firstKey: StringID?
    /// The depth of the first object that was deallocated and not replaced since: the rest of the path is lost with it.
    var lostDepth: Int?

    func parent(of depth: Int) -> (object: ObjectRef, key: StringID?)? {
      if depth == 1 { return (subject, firstKey) }
      return holds[depth &- 1].map { ($0.object, $0.key) }
    }
  }

  private struct Holder: Hashable {
    var registration: RegistrationID
    var depth: Int
  }

  private static let pendingLimit = 256

  private var paths: [RegistrationID: Path] = [:]
  /// The paths attached to an object, the observed ones included, at depth 0.
  private var holders: [ObjectID: Set<Holder>] = [:]
  private var pending: [Pending] = []

  var isEmpty: Bool { paths.isEmpty }
  /// How many paths, and objects that they are attached to, are remembered.
  var count: Int { paths.count + holders.count + pending.count }
  var hasPending: Bool { !pending.isEmpty }

  mutating func attach(
    _ attachment: Attachment,
    subject: ObjectRef,
    at moment: Int,
    _ evidence: Evidence
  ) {
    let id = attachment.registration
    if paths[id] == nil {
      paths[id] = Path(subject: subject)
      holders[subject.id, default: []].insert(Holder(registration: id, depth: 0))
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
      attached: evidence.as(.attached),
      moment: moment
    )
    holders[attachment.object.id, default: []]
      .insert(Holder(registration: id, depth: attachment.depth))
  }

  /// The path detaches itself.
  ///
  /// - Returns: what it was attached to, if that is a different object and the link was not changed.
  mutating func detach(_ attachment: Attachment) -> Loss? {
    let (id, depth) = (attachment.registration, attachment.depth)
    guard depth > 0, let path = paths[id], let hold = take(id, depth),
      hold.object.id != attachment.object.id, !hold.wasChanged
    else { return nil }
    return loss(of: hold, at: depth, on: path, id)
  }

  private func loss(
    of hold: Hold,
    at depth: Int,
    on path: Path,
    _ id: RegistrationID
  ) -> Loss {
    let parent = path.parent(of: depth)
    return Loss(
      registration: id,
      hold: hold,
      depth: depth,
      parent: parent?.object ?? path.subject,
      parentKey: parent?.key
    )
  }

  /// A half of a change of `key` on `object`, and of keys that depend on it: links further along the path may be new.
  mutating func change(_ key: StringID, dependents: Set<StringID>, on object: ObjectID) {
    for holder in holders[object] ?? [] {
      let own =
        holder.depth == 0
        ? paths[holder.registration]?.firstKey
        : paths[holder.registration]?.holds[holder.depth]?.key
      if let own, own != key, !dependents.contains(own) { continue }
      var depth = holder.depth &+ 1
      while paths[holder.registration]?.holds[depth] != nil {
        paths[holder.registration]?.holds[depth]?.wasChanged = true
        depth &+= 1
      }
    }
  }

  /// An object was deallocated.
  ///
  /// - Returns: the paths attached to it, in the order in which they were attached, except for those that had lost an
  ///   object before it.
  mutating func deallocate(_ object: ObjectID) -> [Loss] {
    guard let all = holders.removeValue(forKey: object) else { return [] }
    var losses: [Loss] = []
    for holder in all.sorted(by: { $0.depth < $1.depth }) where holder.depth > 0 {
      guard let path = paths[holder.registration],
        let hold = paths[holder.registration]?.holds.removeValue(forKey: holder.depth)
      else { continue }
      if let lost = path.lostDepth, lost < holder.depth { continue }
      paths[holder.registration]?.lostDepth = holder.depth
      if hold.isEndNotified { continue }
      losses.append(loss(of: hold, at: holder.depth, on: path, holder.registration))
    }
    return losses.sorted { ($0.hold.attached.event) < ($1.hold.attached.event) }
  }

  /// No more events of the registration are expected.
  mutating func forget(_ id: RegistrationID) {
    guard let path = paths.removeValue(forKey: id) else { return }
    leave(path.subject.id, Holder(registration: id, depth: 0))
    for (depth, hold) in path.holds {
      leave(hold.object.id, Holder(registration: id, depth: depth))
    }
  }

  @discardableResult
  private mutating func take(_ id: RegistrationID, _ depth: Int) -> Hold? {
    guard let hold = paths[id]?.holds.removeValue(forKey: depth) else { return nil }
    leave(hold.object.id, Holder(registration: id, depth: depth))
    return hold
  }

  private mutating func leave(_ object: ObjectID, _ holder: Holder) {
    holders[object]?.remove(holder)
    if holders[object]?.isEmpty == true { holders[object] = nil }
  }

  // MARK: - Deallocations that may explain themselves

  /// Judges a deallocation once its thread has continued.
  ///
  /// Beyond the limit the oldest is no longer judged. Objects that were deallocated after the same link, possibly as a
  /// consequence, are no longer judged either.
  mutating func wait(_ new: Pending) {
    pending.removeAll { $0.slot == new.slot && $0.loss.depth > new.loss.depth }
    if pending.count == Self.pendingLimit { pending.removeFirst() }
    pending.append(new)
  }

  /// The registration at `slot` ended, possibly with everything that its observed object held.
  mutating func excuse(_ slot: Int) { pending.removeAll { $0.slot == slot } }

  /// The registration at `slot` was notified after the deallocation of an object that it references weakly.
  mutating func excuseWeak(_ slot: Int) {
    pending.removeAll { $0.slot == slot && $0.loss.hold.strength != .strong }
  }

  /// The path detaches itself from an object that was just deallocated: only looking the path up had kept the object.
  mutating func excuse(_ attachment: Attachment) {
    pending.removeAll {
      $0.loss.registration == attachment.registration && $0.loss.depth == attachment.depth
        && $0.loss.hold.object.id == attachment.object.id
    }
  }

  /// The registration was notified: also of the ends of the objects that are being deallocated, if it references them
  /// weakly.
  ///
  /// Complexity: O(objects on its path).
  mutating func noteNotified(_ id: RegistrationID, isBeingDeallocated: (ObjectID) -> Bool) {
    guard let holds = paths[id]?.holds else { return }
    for (depth, hold) in holds where hold.strength != .strong && isBeingDeallocated(hold.object.id)
    {
      paths[id]?.holds[depth]?.isEndNotified = true
    }
  }

  /// `thread` continued after the deallocations; nil: all threads did.
  mutating func conclude(on thread: Int?) -> [Pending] {
    let over = pending.filter { thread == nil || $0.thread == thread }
    if !over.isEmpty { pending.removeAll { thread == nil || $0.thread == thread } }
    return over
  }

  /// Whether the deallocation may still release others before its thread does this, or an observer is notified of it.
  static func isPartOfDeallocation(_ event: UnsafePointer<Event>) -> Bool {
    switch event.pointee.body {
    case .deinit, .deinitEnd, .detach, .attach, .lock, .unlock, .drop, .threadName, .module, .live,
      .cancel(_, by: .owner), .cancel(_, by: .subject), .cancel(_, by: .token),
      .cancel(_, by: .observer), .notify, .notifyEnd:
      true
    default: false
    }
  }
}
