internal import KVORecorder
internal import KVOTrace
internal import Synchronization

/// Where one observation listens beyond the first key of its path: on the other objects of the path,
/// and on what affects the keys on it, from object to object.
///
/// When an object on the way is replaced, all is looked for anew, and the observation moves to what is
/// found. Two threads that replace at the same time do not both look: the second leaves word with the
/// first, which looks again, so that the last replacement is always seen.
///
/// A stream also waits for the death of the object that the end of its path refers to weakly.
///
/// When an object dies that is referred to weakly on the way, a stream looks anew at once. Other observers are
/// not told of deaths; for them nothing is read then, where the program may hold a lock that a getter takes. They
/// look anew before the next change that reaches them.
///
/// No place is visited twice, so that keys that affect each other end somewhere.
final class WatchTree: Sendable {
  /// A place: an object, and the rest of a path from there on.
  private struct Place: Hashable {
    var object: ObjectIdentifier
    var path: [StringID]
    var isOwnPath: Bool
    /// Whether more hangs on the value at the end of the path: the objects behind a key that it affects, or
    /// the object whose death is waited for.
    ///
    /// Part of what tells places apart: the same path may affect one key that leads on, and one that does not.
    var leadsOn: Bool

    /// Whether a change of the first key means to look for places anew.
    var isIntermediate: Bool { path.count > 1 || leadsOn }
  }

  /// A link that is hung on an object, which it does not keep alive.
  private struct Hung {
    weak var storage: SubjectStorage?
    var ref: ObjectRef
    var number: Int32
    var key: StringID
    /// The place in the observation's own path; nil for what only affects a key.
    var depth: Int?
    var isWeak: Bool
  }

  /// A place that is to be listened to.
  private struct Wanted {
    var place: Place
    var object: any KeyValueObservable
    var depth: Int?
    var isWeak: Bool
  }

  private struct State {
    var hung: [Place: Hung] = [:]
    /// The object at the end of the path whose death is waited for.
    var end: ObjectRecord?
    var lastNumber: Int32 = 0
    var isRebuilding = false
    var isStale = false
    var isEnded = false
    /// What was refused before, so that it is reported once.
    var refused: Set<KeyPathWalk.Obstacle> = []
  }

  // State:
  // - `state`, under its own lock. Objects are read, and links hung on and off, without it, by the thread that is
  //   rebuilding.
  // - `outdated`: whether an object on the way has died, and nothing was looked for since. relaxed: it only says
  //   that all is to be read anew.
  private let state = GuardedState(State())
  private let outdated = Atomic<Bool>(false)

  // How often links were taken off objects, by any tree: whoever finds the same number twice need not ask a tree
  // what has moved. relaxed: it is compared on the thread that would have moved them.
  private static let moves = Atomic<UInt64>(0)

  /// A number that is another one when links were taken off objects.
  static var moveCount: UInt64 { moves.load(ordering: .relaxed) }

  /// Whether the link is hung on an object.
  func isHung(_ number: Int32) -> Bool {
    state.withLock { state in state.hung.values.contains { $0.number == number } }
  }

  /// Looks for all places from `subject` on, and listens there.
  func rebuild(_ observation: Observation, from subject: AnyObject) {
    let mayBegin = state.withLock { state in
      state.isStale = true
      guard !state.isRebuilding, !state.isEnded else { return false }
      state.isRebuilding = true
      return true
    }
    guard mayBegin else { return }
    while beginRound() {
      let places = places(of: observation, from: subject)
      // The first link is the state machine's own.
      move(observation, to: places.dropFirst())
      follow(end(of: observation, among: places), for: observation)
    }
    // The observation may have ended meanwhile, and its end left the links to this thread.
    if state.withLock({ $0.isEnded }) { leave(observation) }
  }

  /// Takes the observation, which has ended, off every object.
  func detachAll(of observation: Observation) {
    let isMine = state.withLock { state in
      state.isEnded = true
      return !state.isRebuilding
    }
    if isMine { leave(observation) }
  }

  private func leave(_ observation: Observation) {
    move(observation, to: [])
    follow(nil, for: observation)
  }

  /// Whether the observation found the object of `storage` by a weak reference.
  func hangsWeakly(on storage: SubjectStorage) -> Bool {
    state.withLock { state in
      state.hung.values.contains { $0.isWeak && $0.storage === storage }
    }
  }

  private func beginRound() -> Bool {
    state.withLock { state in
      guard state.isStale, !state.isEnded else {
        state.isRebuilding = false
        return false
      }
      state.isStale = false
      // Before anything is read: what dies from here on is noted again.
      outdated.store(false, ordering: .relaxed)
      return true
    }
  }

  // MARK: Deallocations on the path

  /// Notes that an object on the path was deallocated.
  func outdate() { outdated.store(true, ordering: .relaxed) }

  /// Whether an object on the path was deallocated, and the path was not read since.
  var isOutdated: Bool { outdated.load(ordering: .relaxed) }

  /// Whether the calling thread is changing a link of the path, so that the end of the change looks anew.
  ///
  /// Until then the program may have exclusive access to the property, which nobody else may read.
  func isBeingChanged(_ observation: Observation) -> Bool {
    guard let changes = ThreadChanges.ofThisThread, changes.hasOpen else { return false }
    let hasFurther = !observation.isSingle || observation.followsSingle
    let first = observation.root.record.address
    if hasFurther, changes.isOpen(address: first, key: observation.key) { return true }
    return state.withLock { state in
      state.hung.contains { place, hung in
        guard place.isIntermediate, let storage = hung.storage else { return false }
        return changes.isOpen(address: storage.record.address, key: hung.key)
      }
    }
  }

  // MARK: Looking

  /// All places of the observation as objects are now, its own path first.
  private func places(of observation: Observation, from subject: AnyObject) -> [Wanted] {
    guard let subject = subject as? any KeyValueObservable else { return [] }
    let root = Place(
      object: ObjectIdentifier(subject),
      path: observation.keys,
      isOwnPath: true,
      leadsOn: observation.isSingle && observation.followsSingle
    )
    var found = [Wanted(place: root, object: subject, depth: 0, isWeak: false)]
    var visited: Set<Place> = [root]
    var index = 0
    // A queue, not a recursion: a list of objects whose keys affect each other may be long.
    while index < found.count {
      let next = places(behind: found[index], of: observation)
      for wanted in next where visited.insert(wanted.place).inserted { found.append(wanted) }
      index += 1
    }
    return found
  }

  private func places(behind here: Wanted, of observation: Observation) -> [Wanted] {
    let path = here.place.path
    guard let key = type(of: here.object).observableKeys.key(path[0]) else {
      refuse(
        .init(reason: .unknownKey, part: Recorder.shared.text(of: path[0])),
        of: observation
      )
      return []
    }
    var next: [Wanted] = []
    for text in key.affectedBy {
      let names = text.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
      if names.contains("") {
        refuse(.init(reason: .unknownKey, part: ""), of: observation)
        continue
      }
      next.append(
        Wanted(
          place: Place(
            object: ObjectIdentifier(here.object),
            path: names.map { Recorder.shared.id(of: $0) },
            isOwnPath: false,
            leadsOn: here.place.isIntermediate
          ),
          object: here.object,
          depth: nil,
          isWeak: false
        )
      )
    }
    guard path.count > 1 else { return next }
    switch KeyPathWalk.next(after: key, of: here.object) {
    case .nothing: break
    case .value(let obstacle):
      // A key that depends on a part of a value depends on the value, where it hangs already.
      if here.place.isOwnPath { refuse(obstacle, of: observation) }
    case .obstacle(let obstacle): refuse(obstacle, of: observation)
    case .object(let object):
      next.append(
        Wanted(
          place: Place(
            object: ObjectIdentifier(object),
            path: Array(path.dropFirst()),
            isOwnPath: here.place.isOwnPath,
            leadsOn: here.place.isOwnPath
              ? path.count == 2 && isFollowed(path[1], of: object, by: observation)
              : here.place.leadsOn
          ),
          object: object,
          depth: here.depth.map { $0 + 1 },
          isWeak: key.newest.isWeak
        )
      )
    }
    return next
  }

  private func isFollowed(
    _ key: StringID,
    of object: any KeyValueObservable,
    by observation: Observation
  ) -> Bool {
    type(of: object).observableKeys.key(key).map { observation.follows($0.newest) } ?? false
  }

  /// The object that the end of the observation's own path refers to weakly, if its death is to be told.
  private func end(of observation: Observation, among places: [Wanted]) -> AnyObject? {
    guard
      let last = places.first(where: { $0.place.isOwnPath && $0.place.path.count == 1 }),
      let key = type(of: last.object).observableKeys.key(last.place.path[0]),
      observation.follows(key.newest), let value = key.read(last.object).flattened,
      type(of: value) is any AnyObject.Type
    else { return nil }
    return value as AnyObject
  }

  /// Reports, once, what cannot be observed on the way; the rest is observed all the same.
  private func refuse(_ obstacle: KeyPathWalk.Obstacle, of observation: Observation) {
    guard state.withLock({ $0.refused.insert(obstacle).inserted }) else { return }
    var registration = observation.registration
    registration.id = nil
    observation.root.refuse(registration, reason: obstacle.reason, part: obstacle.part)
  }

  // MARK: Moving

  private func move(_ observation: Observation, to wanted: ArraySlice<Wanted>) {
    var storages: [Place: SubjectStorage] = [:]
    for wanted in wanted { storages[wanted.place] = wanted.object.storage }
    let gone = state.withLock { state in
      state.hung.filter { place, hung in
        // The address of an object that was deallocated may be another's by now, while a token still keeps
        // what was registered on the first one.
        guard let storage = storages[place] else { return true }
        return hung.storage !== storage
      }
    }
    if !gone.isEmpty { Self.moves.wrappingAdd(1, ordering: .relaxed) }
    for (place, hung) in gone.sorted(by: { $0.value.number < $1.value.number }) {
      let isHanging =
        hung.storage?.detach(observation.id, number: hung.number, key: hung.key) ?? false
      if isHanging, let depth = hung.depth {
        record(Event.Body.detach, observation, depth, hung.key, hung.ref, hung.isWeak)
      }
      state.withLock { _ = $0.hung.removeValue(forKey: place) }
    }
    for wanted in wanted { hang(observation, wanted) }
  }

  /// Waits for the death of `object`, and of no other any more.
  private func follow(_ object: AnyObject?, for observation: Observation) {
    let record = object.map { ObjectTable.shared.record(of: $0) }
    if let record, let object { ObjectTable.shared.watch(record, of: object) }
    let former = state.withLock { state in
      defer { state.end = record }
      return state.end
    }
    guard former !== record else { return }
    former?.isFollowedNoMore(by: observation.id)
    record?.isFollowed(by: observation.id, in: observation.root)
  }

  private func hang(_ observation: Observation, _ wanted: Wanted) {
    let number = state.withLock { state -> Int32? in
      guard state.hung[wanted.place] == nil else { return nil }
      state.lastNumber += 1
      return state.lastNumber
    }
    guard let number else { return }
    let storage = wanted.object.storage
    let key = wanted.place.path[0]
    let link = ObservationLink(
      observation: observation,
      number: number,
      key: key,
      isDirect: wanted.place.isOwnPath && wanted.place.path.count == 1
        && type(of: wanted.object).observableKeys.key(key)?.isReadByGetter != true,
      isIntermediate: wanted.place.isIntermediate
    )
    guard storage.attach(link) else { return }
    if let depth = wanted.depth {
      record(Event.Body.attach, observation, depth, key, storage.record.ref, wanted.isWeak)
    }
    let hung = Hung(
      storage: storage,
      ref: storage.record.ref,
      number: number,
      key: key,
      depth: wanted.depth,
      isWeak: wanted.isWeak
    )
    state.withLock { $0.hung[wanted.place] = hung }
  }

  private func record(
    _ body: (Attachment) -> Event.Body,
    _ observation: Observation,
    _ depth: Int,
    _ key: StringID,
    _ object: ObjectRef,
    _ isWeak: Bool
  ) {
    guard Recorder.shared.isRecording else { return }
    let attachment = Attachment(
      registration: observation.id,
      depth: depth,
      key: key,
      object: object,
      strength: isWeak ? .weak : .strong
    )
    Recorder.shared.record(body(attachment))
  }
}
