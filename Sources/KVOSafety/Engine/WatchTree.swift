internal import KVORecorder
internal import KVOTrace
internal import Synchronization

/// The links of one observation beyond the first key of its path: on the other objects of the path, and on objects
/// whose keys affect the keys of the path, transitively.
///
/// When an object on the path is replaced, all nodes are looked up again, and the observation moves to the objects
/// found. Two threads that replace at the same time do not both rebuild: the second marks the tree as stale for the
/// first, which rebuilds again, so that the last replacement is always seen.
///
/// A stream also waits for the deallocation of the object that the end of its path references weakly.
///
/// When an object that is referenced weakly on the path is deallocated, a stream rebuilds at once. Other observers are
/// not notified of deallocations; nothing is read for them at that time, because the program may hold a lock that a
/// getter takes. They rebuild before the next change that reaches them.
///
/// No node is visited twice, so that cyclic dependencies between keys terminate.
final class WatchTree: Sendable {
  private struct State {
    var hung: [HungLink] = []
    /// The object at the end of the path whose deallocation is awaited.
    var end: ObjectRecord?
    var lastNumber: Int32 = 0
    var isRebuilding = false
    var isStale = false
    var isEnded = false
    /// Obstacles that were refused before, so that each is reported once.
    var refused: Set<KeyPathWalk.Obstacle> = []
  }

  // State:
  // - `state`, under its own lock. The thread that is rebuilding reads objects, and adds and removes links, without it.
  // - `outdated`: whether an object on the path was deallocated, and no node was looked up since. relaxed: it only
  //   requests that everything is read again.
  private let state = GuardedState(State())
  private let outdated = Atomic<Bool>(false)

  // How often links were removed from objects, by any tree: a reader that finds the same number twice knows that no
  // tree has moved links. relaxed: it is compared on the thread that would have moved them.
  private static let moves = Atomic<UInt64>(0)

  /// A number that changes whenever links are removed from objects.
  static var moveCount: UInt64 { moves.load(ordering: .relaxed) }

  /// Whether the link has been added to an object.
  func isHung(_ number: Int32) -> Bool {
    state.withLock { state in state.hung.contains { $0.number == number } }
  }

  /// Looks up all nodes, starting at `subject`, and listens there.
  ///
  /// - Returns: the end of the path, if it was found on the way.
  @discardableResult
  func rebuild(_ observation: Observation, from subject: AnyObject) -> PathEnd {
    let mayBegin = state.withLock { state in
      state.isStale = true
      guard !state.isRebuilding, !state.isEnded else { return false }
      state.isRebuilding = true
      return true
    }
    guard mayBegin else { return .unknown }
    var end = PathEnd.unknown
    while beginRound() {
      if let chain = chain(of: observation, from: subject) {
        move(observation, to: chain.nodes)
        end = chain.end
        continue
      }
      end = .unknown
      let nodes = nodes(of: observation, from: subject)
      // The first link belongs to the state machine.
      move(observation, to: nodes)
      if observation.isStream {
        follow(self.end(of: observation, among: nodes.nodes, from: subject), for: observation)
      }
    }
    if observation.root.isRecorded {
      end.releaseUnkept()
      noteUnkept(observation)
    }
    // The observation may have ended in the meantime, and left its links for this thread to remove.
    if state.withLock({ $0.isEnded }) { leave(observation) }
    return end
  }

  /// Removes the observation, which has ended, from every object.
  func detachAll(of observation: Observation) {
    let isMine = state.withLock { state in
      state.isEnded = true
      return !state.isRebuilding
    }
    if isMine { leave(observation) }
  }

  private func leave(_ observation: Observation) {
    move(observation, to: nil)
    if observation.isStream { follow(nil, for: observation) }
  }

  /// Whether the observation found the object of `storage` by a weak reference.
  func hangsWeakly(on storage: SubjectStorage) -> Bool {
    state.withLock { state in
      state.hung.contains { $0.isWeak && $0.storage === storage }
    }
  }

  private func beginRound() -> Bool {
    state.withLock { state in
      guard state.isStale, !state.isEnded else {
        state.isRebuilding = false
        return false
      }
      state.isStale = false
      // Cleared before anything is read: objects that are deallocated from here on are noted again.
      outdated.store(false, ordering: .relaxed)
      return true
    }
  }

  // MARK: Deallocations on the path

  /// Notes that an object on the path was deallocated.
  func outdate() { outdated.store(true, ordering: .relaxed) }

  /// Whether an object on the path was deallocated, and the path was not read since.
  var isOutdated: Bool { outdated.load(ordering: .relaxed) }

  /// Whether the calling thread is changing a link of the path, so that the end of the change looks
  /// again.
  ///
  /// Until then the program may have exclusive access to the property, which no other code may read then.
  func isBeingChanged(_ observation: Observation) -> Bool {
    guard let changes = ThreadChanges.ofThisThread, changes.hasOpen else { return false }
    let hasFurther = !observation.isSingle || observation.followsSingle
    let first = observation.root.record.address
    if hasFurther, changes.isOpen(address: first, key: observation.key) { return true }
    return state.withLock { state in
      state.hung.contains { hung in
        guard hung.node.isIntermediate, let storage = hung.storage else { return false }
        return changes.isOpen(address: storage.record.address, key: hung.node.key)
      }
    }
  }

  // MARK: Looking

  /// All nodes of the observation as objects are now, its own path first.
  private func nodes(of observation: Observation, from subject: AnyObject) -> FoundNodes {
    let root = WatchNode(
      object: ObjectIdentifier(subject),
      path: observation.keys[...],
      isOwnPath: true,
      leadsOn: observation.isSingle && observation.followsSingle
    )
    var found = FoundNodes(WantedNode(root, of: nil, depth: 0))
    var index = 0
    // A queue, not a recursion: a chain of objects whose keys affect each other may be long.
    while index < found.nodes.count {
      let here = found.nodes[index]
      addNodes(below: here, here.other ?? subject, of: observation, to: &found)
      index += 1
    }
    return found
  }

  private func addNodes(
    below here: WantedNode,
    _ object: AnyObject,
    of observation: Observation,
    to found: inout FoundNodes
  ) {
    let path = here.node.path
    guard let key = here.keys(observation).key(here.node.key) else {
      refuse(
        .init(reason: .unknownKey, part: Recorder.shared.text(of: here.node.key)),
        of: observation
      )
      return
    }
    if !key.isAlone {
      for keys in key.affectingKeys {
        guard let keys else {
          refuse(.init(reason: .unknownKey, part: ""), of: observation)
          continue
        }
        let node = WatchNode(
          object: here.node.object,
          path: keys[...],
          isOwnPath: false,
          leadsOn: here.node.isIntermediate
        )
        found.append(WantedNode(node, of: here.other, depth: nil))
      }
    }
    guard path.count > 1 else { return }
    switch KeyPathWalk.next(after: key, of: object) {
    case .nothing: break
    case .value(let obstacle):
      // A key that depends on a part of a value depends on the value, to which it is linked already.
      if here.node.isOwnPath { refuse(obstacle, of: observation) }
    case .obstacle(let obstacle): refuse(obstacle, of: observation)
    case .object(let object):
      let rest = path.dropFirst()
      let node = WatchNode(
        object: ObjectIdentifier(object),
        path: rest,
        isOwnPath: here.node.isOwnPath,
        leadsOn: here.node.isOwnPath
          ? rest.count == 1 && isFollowed(rest[rest.startIndex], of: object, by: observation)
          : here.node.leadsOn
      )
      let depth = here.depth.map { $0 + 1 }
      found.append(WantedNode(node, of: object, depth: depth, isWeak: key.newest.isWeak))
    }
  }

  private func isFollowed(
    _ key: StringID,
    of object: any KeyValueObservable,
    by observation: Observation
  ) -> Bool {
    observation.isStream
      && type(of: object).observableKeys.key(key).map { observation.follows($0.newest) } ?? false
  }

  /// The object that the end of the observation's own path references weakly, if its deallocation must be reported.
  private func end(
    of observation: Observation,
    among nodes: [WantedNode],
    from subject: AnyObject
  ) -> AnyObject? {
    guard
      let last = nodes.first(where: { $0.node.isOwnPath && $0.node.path.count == 1 }),
      let key = last.keys(observation).key(last.node.key),
      observation.follows(key.newest),
      let value = key.read(last.other ?? subject).flattened,
      type(of: value) is any AnyObject.Type
    else { return nil }
    return value as AnyObject
  }

  /// Reports, once, each part of the path that cannot be observed; the rest is observed all the same.
  private func refuse(_ obstacle: KeyPathWalk.Obstacle, of observation: Observation) {
    guard state.withLock({ $0.refused.insert(obstacle).inserted }) else { return }
    var registration = observation.registration
    registration.id = nil
    observation.root.refuse(registration, reason: obstacle.reason, part: obstacle.part)
  }

  // MARK: Moving

  /// Listens at all nodes of `wanted` but the first, and nowhere else; nil: nowhere.
  private func move(_ observation: Observation, to wanted: FoundNodes?) {
    // No other thread changes it at the same time.
    let kept = keep(observation) { hung in
      // The address of an object that was deallocated may have been reused by another, while a token still keeps the
      // registrations of the first.
      guard let wanted = wanted?.further(at: hung.node) else { return false }
      return wanted.storage(observation).record.ref.id == hung.ref.id
    }
    guard let wanted, wanted.nodes.count > kept.count + 1 else { return }
    let known = FoundNodes.isFew(kept.count) ? [] : Set(kept.map(\.node))
    for wanted in wanted.nodes.dropFirst() {
      let isHung =
        known.isEmpty
        ? kept.contains { $0.node == wanted.node } : known.contains(wanted.node)
      guard !isHung, let key = wanted.keys(observation).key(wanted.node.key) else { continue }
      hang(
        observation,
        wanted.node,
        key,
        on: wanted.storage(observation),
        depth: wanted.depth,
        isWeak: wanted.isWeak
      )
    }
  }

  /// Listens at all of `nodes`, and nowhere else.
  private func move(_ observation: Observation, to nodes: [PlainNode]) {
    let kept = keep(observation) { hung in nodes.contains { $0.isHung(hung) } }
    guard nodes.count > kept.count else { return }
    for node in nodes where !kept.contains(where: { node.isHung($0) }) {
      hang(
        observation,
        node.node(observation),
        node.key,
        on: node.object.storage,
        depth: node.depth,
        isWeak: node.isWeak
      )
    }
  }

  /// Keeps the links that `isWanted`, and removes the others from their objects.
  ///
  /// - Returns: those that were kept.
  private func keep(_ observation: Observation, _ isWanted: (HungLink) -> Bool) -> [HungLink] {
    let hung = state.withLock { $0.hung }
    var kept: [HungLink] = []
    // Nearly always either all links are kept or none, so that they need not be collected.
    var gone = hung[...]
    for (index, hung) in hung.enumerated() {
      let isKept = isWanted(hung)
      if isKept, kept.isEmpty { gone = gone.prefix(index) }
      if isKept { kept.append(hung) } else if !kept.isEmpty { gone.append(hung) }
    }
    guard !gone.isEmpty else { return kept }
    Self.moves.wrappingAdd(1, ordering: .relaxed)
    state.withLock { $0.hung = kept }
    for hung in gone {
      let isHanging =
        hung.storage?.detach(observation.id, number: hung.number, key: hung.node.key) ?? false
      if isHanging, let depth = hung.depth {
        record(Event.Body.detach, observation, depth, hung.node.key, hung.ref, hung.isWeak)
      }
    }
    return kept
  }

  /// Records that the path left the objects that only looking them up had kept, such as those that a getter makes at
  /// each call: they are deallocated already, and no property lost them.
  private func noteUnkept(_ observation: Observation) {
    for hung in state.withLock({ $0.hung }) where !hung.isWeak {
      guard let depth = hung.depth, hung.storage?.record.object == nil else { continue }
      record(Event.Body.detach, observation, depth, hung.node.key, hung.ref, hung.isWeak)
    }
  }

  /// Awaits the deallocation of `object` only, no longer of the previous one.
  private func follow(_ object: AnyObject?, for observation: Observation) {
    let record = object.map { ObjectTable.shared.record(of: $0) }
    if let record, let object { ObjectTable.shared.watch(record, of: object) }
    let previous = state.withLock { state in
      defer { state.end = record }
      return state.end
    }
    guard previous !== record else { return }
    previous?.removeFollower(observation.id)
    record?.addFollower(observation.id, in: observation.root)
  }

  private func hang(
    _ observation: Observation,
    _ node: WatchNode,
    _ key: ResolvedKey,
    on storage: SubjectStorage,
    depth: Int?,
    isWeak: Bool
  ) {
    let number = state.withLock { state in
      state.lastNumber += 1
      return state.lastNumber
    }
    let link = ObservationLink(
      observation: observation,
      number: number,
      key: key.id,
      isDirect: node.isOwnPath && node.path.count == 1 && !key.isReadByGetter,
      isIntermediate: node.isIntermediate
    )
    guard storage.attach(link) else { return }
    if let depth {
      record(Event.Body.attach, observation, depth, key.id, storage.record.ref, isWeak)
    }
    let hung = HungLink(node, on: storage, number: number, depth: depth, isWeak: isWeak)
    state.withLock { $0.hung.append(hung) }
  }

  private func record(
    _ body: (Attachment) -> Event.Body,
    _ observation: Observation,
    _ depth: Int,
    _ key: StringID,
    _ object: ObjectRef,
    _ isWeak: Bool
  ) {
    guard observation.root.isRecorded else { return }
    let attachment = Attachment(
      registration: observation.id,
      depth: depth,
      key: key,
      object: object,
      strength: isWeak ? .weak : .strong
    )
    Recorder.shared.record(body(attachment), of: observation.root.record.ref.id)
  }
}
