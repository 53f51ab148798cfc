internal import KVORecorder
internal import KVOTrace
internal import Synchronization

/// The links of one observation beyond the first key of its path: on the other objects of the path, and on objects
/// whose keys affect the keys of the path, transitively.
///
/// When an object on the path is replaced, all nodes are looked up again, and the observation moves to the objects
/// found. Two threads that replace at the same time do not both rebuild: the second marks the tree as stale for the
/// first, which rebuilds again, so that the last replacement is always seen. An object is read before the observation
/// listens there: after listening at new objects that lead further, all nodes are looked up once more.
///
/// A stream also waits for the deallocation of the object that the end of its path references weakly.
///
/// When an object that is referenced weakly on the path is deallocated, a stream rebuilds at once. Other observers are
/// not notified of deallocations; nothing is read for them at that time, because the program may hold a lock that a
/// getter takes. They rebuild before the next change that reaches them.
///
/// No node is visited twice, so that cyclic dependencies between keys terminate.
final class WatchTree: Sendable {
  struct State {
    var hung = ShortList<HungLink>()
    /// The nodes of the links that a search found, by their numbers.
    var nodes: [Int32: WatchNode] = [:]
    /// The object at the end of the path whose deallocation is awaited.
    var end: ObjectRecord?
    var isRebuilding = false
    var isStale = false
    var isEnded = false
    /// Obstacles that were refused before, so that each is reported once.
    var refused: Set<KeyPathWalk.Obstacle> = []
  }

  // State:
  // - `state`, under its own lock. The thread that is rebuilding reads objects, and adds and removes links, without it.
  // - `lastNumber`: of the links. relaxed: it only counts.
  // - `outdated`: whether an object on the path was deallocated, and no node was looked up since. relaxed: it only
  //   requests that everything is read again.
  let state = GuardedState(State())
  let lastNumber = Atomic<Int32>(0)
  private let outdated = Atomic<Bool>(false)

  // How often links were removed from objects, by any tree: a reader that finds the same number twice knows that no
  // tree has moved links. relaxed: it is compared on the thread that would have moved them.
  static let moves = Atomic<UInt64>(0)

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
      beginRound(&state)
      return true
    }
    guard mayBegin else { return .unknown }
    var end = PathEnd.unknown
    var next = NextStep.round
    var extraCount = 0
    while next == .round {
      let last = lastNumber.load(ordering: .relaxed)
      if let found = moveAlongChain(observation, from: subject) {
        end = found
      } else {
        end = .unknown
        let nodes = nodes(of: observation, from: subject)
        // The first link belongs to the state machine.
        move(observation, to: nodes)
        if observation.isStream {
          follow(self.end(of: observation, among: nodes.nodes, from: subject), for: observation)
        }
      }
      if extraCount < Self.maxExtraCount, leadsFurther(since: last) {
        // A replacement there, before the link was, has notified no one.
        extraCount += 1
        releaseUnkept(&end, of: observation)
        state.withLock { $0.isStale = true }
      }
      next = endRound()
    }
    releaseUnkept(&end, of: observation)
    if next == .leaving { leave(observation) }
    return end
  }

  /// Lets the log know which objects of a round only looking them up had kept.
  private func releaseUnkept(_ end: inout PathEnd, of observation: Observation) {
    guard observation.root.isRecorded else { return }
    end.releaseUnkept()
    noteUnkept(observation)
  }

  /// How often nodes are looked up once more: a getter may make and keep another object at each call.
  private static let maxExtraCount = 4

  /// Whether a link was added after the one numbered `last`, to an object that leads to others and is alive.
  ///
  /// One that only looking it up had kept has no other holder that could replace what it leads to.
  private func leadsFurther(since last: Int32) -> Bool {
    guard lastNumber.load(ordering: .relaxed) != last else { return false }
    return state.withLock { $0.hung }.contains { hung in
      hung.isIntermediate && hung.number &- last > 0 && hung.storage.record.isAlive
    }
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
    detach(observation) { _ in true }
    if observation.isStream { follow(nil, for: observation) }
  }

  /// Whether the observation found the object of `storage` by a weak reference.
  func hangsWeakly(on storage: SubjectStorage) -> Bool {
    state.withLock { state in
      state.hung.contains { $0.isWeak && $0.storage === storage }
    }
  }

  /// What a thread that has moved the links does next.
  private enum NextStep {
    /// It looks again, as a replacement on another thread asked for.
    case round
    case nothing
    /// It removes the links of the observation, which has ended in the meantime.
    case leaving
  }

  private func endRound() -> NextStep {
    state.withLock { state in
      if state.isStale, !state.isEnded {
        beginRound(&state)
        return .round
      }
      state.isRebuilding = false
      return state.isEnded ? .leaving : .nothing
    }
  }

  private func beginRound(_ state: inout State) {
    state.isStale = false
    // Cleared before anything is read: objects that are deallocated from here on are noted again.
    outdated.store(false, ordering: .relaxed)
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
    return state.withLock { $0.hung }.contains { hung in
      guard hung.isIntermediate, hung.storage.isInUse else { return false }
      return changes.isOpen(address: hung.storage.record.address, key: hung.key)
    }
  }

  // MARK: Looking

  /// All nodes of the observation as objects are now, its own path first.
  private func nodes(of observation: Observation, from subject: AnyObject) -> FoundNodes {
    let root = WatchNode(
      address: ObjectTable.address(of: subject),
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
          address: here.node.address,
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
        address: ObjectTable.address(of: object),
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
}
