internal import KVORecorder
internal import KVOTrace
internal import Synchronization

/// What the layer knows of one object of the program, as an observer or as an observed object.
///
/// Does not keep the object alive.
final class ObjectRecord: @unchecked Sendable {
  // Sendable: `object` is a weak reference that is set once, in init; the runtime makes loading it
  // atomic with the object's death. What changes is in `state`.

  /// The object's number and class, as logs and reports name it.
  let ref: ObjectRef
  /// Where the object is; after its death nobody may look there.
  let address: UInt
  /// The object, or nil from the moment when its deinit begins.
  private(set) weak var object: AnyObject?

  private struct State {
    /// Whether `deinit` was recorded.
    var isDying = false
    /// Whether the hook said that the object is gone.
    var isGone = false
    /// Its registrations between the end of its registrar and its own, and the stack of the former.
    var lastWord: LastWord?
    /// What the object observes, so that its death can end it.
    var observed: [RegistrationID: WeakStorage] = [:]
    /// Streams that show the object as their value and do not keep it alive.
    var followers: [RegistrationID: WeakStorage] = [:]
    /// Its own registrations, where it is observed and alive.
    ///
    /// They hold this record as well; their end breaks the circle. A weak reference would make every
    /// count of theirs take the long way.
    var subject: SubjectStorage?
  }
  // State:
  // - `state`, under its own lock, which is never taken together with another.
  // - `watch`: set once, when the hook is, and read without a lock. relaxed: it says no more than that. Who
  //   reads it a moment too early hooks the class once more, which does no harm.
  private let state = GuardedState<State>(State())
  private let watch = Atomic<Bool>(false)

  private struct WeakStorage {
    weak var storage: SubjectStorage?
  }

  /// What is left to be said of an observed object when it is gone.
  struct LastWord {
    var subject: SubjectStorage
    var stack: StackID
  }

  init(object: AnyObject, ref: ObjectRef) {
    self.object = object
    self.ref = ref
    address = ObjectTable.address(of: object)
  }

  /// Whether the hook of the class tells of the object's death.
  var isWatched: Bool {
    get { watch.load(ordering: .relaxed) }
    set { watch.store(newValue, ordering: .relaxed) }
  }

  /// The registrations on the object, where it is observed.
  var subject: SubjectStorage? {
    get { state.withLock { $0.subject } }
    set { state.withLock { $0.subject = newValue } }
  }

  /// Notes that the object's deinit has begun.
  ///
  /// False where that was known.
  func beginDying() -> Bool {
    state.withLock { state in
      defer { state.isDying = true }
      return !state.isDying
    }
  }

  /// Keeps the registrations of the object, whose registrar is gone, until all of it is.
  ///
  /// Other properties may be destroyed after the registrar, and end observations: a token or a
  /// controller that the object keeps of itself.
  ///
  /// - Returns: whether the hook of the class will say when.
  func postpone(_ lastWord: LastWord) -> Bool {
    state.withLock { state in
      guard isWatched, state.isDying, !state.isGone else { return false }
      state.lastWord = lastWord
      return true
    }
  }

  /// Notes that the object is gone.
  ///
  /// - Returns: what was kept until then.
  func endDying() -> LastWord? {
    state.withLock { state in
      state.isGone = true
      defer { state.lastWord = nil }
      return state.lastWord
    }
  }

  /// Notes that the object is the observer of registration `id` in `storage`.
  func observes(_ id: RegistrationID, in storage: SubjectStorage) {
    state.withLock { $0.observed[id] = WeakStorage(storage: storage) }
  }

  /// Notes that the registration has ended.
  func observesNoMore(_ id: RegistrationID) {
    state.withLock { _ = $0.observed.removeValue(forKey: id) }
  }

  /// What the object observes, oldest first.
  var observed: [(id: RegistrationID, storage: SubjectStorage)] {
    inOrder(state.withLock { $0.observed })
  }

  /// Notes that the stream `id` in `storage` is to be told of the object's death.
  func isFollowed(by id: RegistrationID, in storage: SubjectStorage) {
    state.withLock { $0.followers[id] = WeakStorage(storage: storage) }
  }

  /// Notes that it is not any more.
  func isFollowedNoMore(by id: RegistrationID) {
    state.withLock { _ = $0.followers.removeValue(forKey: id) }
  }

  /// The streams that are to be told of the object's death, oldest first.
  var followers: [(id: RegistrationID, storage: SubjectStorage)] {
    inOrder(state.withLock { $0.followers })
  }

  private func inOrder(
    _ registrations: [RegistrationID: WeakStorage]
  ) -> [(id: RegistrationID, storage: SubjectStorage)] {
    registrations.compactMap { id, weak in weak.storage.map { (id, $0) } }
      .sorted { $0.0.rawValue < $1.0.rawValue }
  }
}
