internal import KVORecorder
internal import KVOTrace
internal import Synchronization

/// The library's record of one object of the program, as an observer or as an observed object.
///
/// Does not keep the object alive.
final class ObjectRecord: @unchecked Sendable {
  // Sendable: both references to the object are set once, in init; the runtime makes loading them atomic with the
  // object's deallocation. Mutable state is in `state`.

  /// The object's number and class, as logs and reports name it.
  let ref: ObjectRef
  /// The address of the object; not to be read from after its deallocation.
  let address: UInt
  private let endsWithObject: Bool
  /// The object, if its deallocation ends this record; refers to none otherwise.
  private let reference: InlineWeakReference
  /// The object, if this record may remain until another object has its address.
  private weak let sideTableReference: AnyObject?

  private struct State {
    /// Whether the hook reported that the deinit has begun.
    var hasBegunDeinit = false
    /// The thread that this was reported on, or that the deinit was found to run on since.
    var deinitThread: ThreadID?
    /// Whether an event says so.
    var isDeinitRecorded = false
    /// Whether the hook reported that the object is deallocated.
    var isGone = false
    /// Its registrations between the deinit of its registrar and the end of its own deallocation, and the stack of the
    /// registrar's deinit.
    var postponed: PostponedDeallocation?
    /// The object's own observations, so that its deallocation can end them.
    ///
    /// A registration holds this record as well; its end breaks the cycle. A weak reference would make each reference
    /// count of the registrations take the slow path.
    var observed = SmallMap<RegistrationID, SubjectStorage>()
    /// Streams that show the object as their value and do not keep it alive.
    var followers: [RegistrationID: WeakStorage] = [:]
    /// The registrations on it, if it is observed and alive.
    ///
    /// They hold this record as well; their end breaks the cycle. A weak reference would make each
    /// of their reference counts take the slow path.
    var subject: SubjectStorage?
  }
  // State:
  // - `state`, under its own lock, which is never taken together with another.
  // - `watch`: set once, when the hook is, and read without a lock. relaxed: nothing else is published with it. A
  //   thread that reads it a moment too early hooks the class once more, which is harmless.
  private let state = GuardedState<State>(State())
  private let watch = Atomic<Bool>(false)

  private struct WeakStorage {
    weak var storage: SubjectStorage?
  }

  /// What remains to be reported about an observed object once it is deallocated.
  struct PostponedDeallocation {
    var subject: SubjectStorage
    var stack: StackID
  }

  /// A record of `object`, which the caller keeps alive during the call.
  ///
  /// `endsWithObject` says whether the record leaves the table at the object's deallocation at the latest. Only then may it
  /// keep the memory.
  init(object: AnyObject, ref: ObjectRef, endsWithObject: Bool) {
    reference = InlineWeakReference(endsWithObject ? object : nil)
    sideTableReference = endsWithObject ? nil : object
    self.ref = ref
    address = ObjectTable.address(of: object)
    self.endsWithObject = endsWithObject
  }

  /// The object, or nil from the moment when its deinit begins.
  var object: AnyObject? { endsWithObject ? reference.object : sideTableReference }

  /// Whether the object's deinit has not begun.
  var isAlive: Bool { endsWithObject ? reference.isAlive : sideTableReference != nil }

  /// Whether the hook of the class reports the object's deallocation.
  var isWatched: Bool {
    get { watch.load(ordering: .relaxed) }
    set { watch.store(newValue, ordering: .relaxed) }
  }

  /// Whether the object's deinit has begun, and nothing will report its end.
  var isUnwatchedInDeinit: Bool { !isWatched && !isAlive }

  /// The registrations on the object, if it is observed.
  var subject: SubjectStorage? {
    get { state.withLock { $0.subject } }
    set { state.withLock { $0.subject = newValue } }
  }

  /// Notes that the object's deinit has begun.
  ///
  /// Returns false if that was known already.
  func beginDeinit() -> Bool {
    state.withLock { state in
      guard !state.hasBegunDeinit else { return false }
      state.hasBegunDeinit = true
      state.deinitThread = Recorder.currentThread
      return true
    }
  }

  /// Notes that the object's own code runs on the calling thread.
  ///
  /// - Returns: whether its deinit has begun, and was not known to run on this thread.
  func continueDeinit() -> Bool {
    state.withLock { state in
      guard state.hasBegunDeinit, state.deinitThread != Recorder.currentThread else { return false }
      state.deinitThread = Recorder.currentThread
      return true
    }
  }

  /// Notes that the log has an event of the beginning of the deinit.
  ///
  /// Returns false if it had one already.
  func noteRecordedDeinit() -> Bool {
    state.withLock { state in
      defer { state.isDeinitRecorded = true }
      return !state.isDeinitRecorded
    }
  }

  /// Keeps the registrations of the object, whose registrar is destroyed, until the object is fully deallocated.
  ///
  /// Other properties may be destroyed after the registrar, and end observations: a token or a controller by which the
  /// object observes itself.
  ///
  /// - Returns: whether the hook of the class will report that.
  func postpone(_ postponed: PostponedDeallocation) -> Bool {
    state.withLock { state in
      guard isWatched, state.hasBegunDeinit, !state.isGone else { return false }
      state.postponed = postponed
      return true
    }
  }

  /// Notes that the object is deallocated.
  ///
  /// - Returns: what was kept until then.
  func finishDeallocation() -> PostponedDeallocation? {
    state.withLock { state in
      state.isGone = true
      defer { state.postponed = nil }
      return state.postponed
    }
  }

  /// Notes that the object is the observer of registration `id` in `storage`, which is about to be added.
  func observes(_ id: RegistrationID, in storage: SubjectStorage) {
    state.withLock { $0.observed.insert(storage, forKey: id) }
  }

  /// Notes that the registration has ended.
  func observesNoMore(_ id: RegistrationID) {
    // Released without the lock.
    let storage = state.withLock { $0.observed.removeValue(forKey: id) }
    withExtendedLifetime(storage) {}
  }

  /// The object's own observations, oldest first.
  var observed: [(id: RegistrationID, storage: SubjectStorage)] {
    let observed = state.withLock { $0.observed.entries }
    return observed.map { ($0.key, $0.value) }.sorted { $0.0.rawValue < $1.0.rawValue }
  }

  /// Notes that the stream `id` in `storage` is to be notified of the object's deallocation.
  func addFollower(_ id: RegistrationID, in storage: SubjectStorage) {
    state.withLock { $0.followers[id] = WeakStorage(storage: storage) }
  }

  /// Notes that it no longer has to be.
  func removeFollower(_ id: RegistrationID) {
    state.withLock { _ = $0.followers.removeValue(forKey: id) }
  }

  /// The streams that are to be notified of the object's deallocation, oldest first.
  var followers: [(id: RegistrationID, storage: SubjectStorage)] {
    state.withLock { $0.followers }.compactMap { id, weak in weak.storage.map { (id, $0) } }
      .sorted { $0.0.rawValue < $1.0.rawValue }
  }
}
