internal import KVORecorder
internal import KVOTrace

/// The intermediate objects of one deep observation, as far as it hangs on them now.
///
/// When an intermediate object is replaced, the rest of the path is read anew and the observation
/// moves to the objects found. Two threads that replace at the same time do not both read: the second
/// leaves word with the first, which reads again, so that the last replacement is always seen.
final class IntermediateChain: Sendable {
  private struct State {
    /// The objects at depth 1, 2, …; nil where the path ends early.
    ///
    /// Not kept alive.
    var objects: [WeakSubject]
    var isRebuilding = false
    var isStale = false
    var isEnded = false
  }

  private struct WeakSubject {
    weak var storage: SubjectStorage?
    var ref: ObjectRef?
  }

  // State: `state`, under its own lock. Objects are read, and links hung on and off, without it.
  private let state: GuardedState<State>

  init(length: Int) {
    state = GuardedState(State(objects: Array(repeating: WeakSubject(), count: length)))
  }

  /// Reads the path from `subject` on, and hangs `observation` on what it finds.
  func rebuild(_ observation: Observation, from subject: AnyObject) {
    let mayBegin = state.withLock { state in
      state.isStale = true
      guard !state.isRebuilding, !state.isEnded else { return false }
      state.isRebuilding = true
      return true
    }
    guard mayBegin else { return }
    while beginRound() {
      let path = KeyPathWalk.intermediates(of: observation.keys, from: subject)
      for (index, object) in path.enumerated() {
        move(observation, depth: index + 1, to: object)
      }
    }
    // The observation may have ended meanwhile, and its end left the links to this thread.
    if state.withLock({ $0.isEnded }) { detachLinks(of: observation) }
  }

  /// Takes the observation, which has ended, off every intermediate object.
  func detachAll(of observation: Observation) {
    let isMine = state.withLock { state in
      state.isEnded = true
      return !state.isRebuilding
    }
    if isMine { detachLinks(of: observation) }
  }

  private func beginRound() -> Bool {
    state.withLock { state in
      guard state.isStale, !state.isEnded else {
        state.isRebuilding = false
        return false
      }
      state.isStale = false
      return true
    }
  }

  private func detachLinks(of observation: Observation) {
    let count = state.withLock { $0.objects.count }
    for depth in 1...count { move(observation, depth: depth, to: nil) }
  }

  private func move(_ observation: Observation, depth: Int, to object: (any KeyValueObservable)?) {
    let new = object.map { $0.storage }
    let (old, oldRef) = state.withLock { state in
      (state.objects[depth - 1].storage, state.objects[depth - 1].ref)
    }
    // An object that died with the link on it is replaced as well, though nothing hangs there now.
    guard old !== new || (new == nil && oldRef != nil) else { return }
    let key = observation.keys[depth]
    if let old, old.detach(observation.id, depth: depth, key: key) {
      record(Event.Body.detach, observation, depth, key, old.record.ref)
    }
    var attached: SubjectStorage?
    if let new, new.attach(ObservationLink(observation: observation, depth: depth)) {
      record(Event.Body.attach, observation, depth, key, new.record.ref)
      attached = new
    }
    state.withLock { state in
      state.objects[depth - 1] = WeakSubject(storage: attached, ref: attached?.record.ref)
    }
  }

  private func record(
    _ body: (Attachment) -> Event.Body,
    _ observation: Observation,
    _ depth: Int,
    _ key: StringID,
    _ object: ObjectRef
  ) {
    guard Recorder.shared.isRecording else { return }
    let attachment = Attachment(
      registration: observation.id,
      depth: depth,
      key: key,
      object: object
    )
    Recorder.shared.record(body(attachment))
  }
}
