internal import CKVOIntrinsics
internal import KVORecorder
internal import KVOTrace
internal import Synchronization

/// The actor that callbacks of a registration are expected on.
///
/// Callbacks run on the thread that makes the change. A callback that would not run on the actor is reported (KVO023)
/// and contained; see ``ObservationPolicy/OffExecutorDelivery``.
///
/// An object, so that a registration without one stores a nil word and has nothing to destroy.
final class ExpectedExecutor: Sendable {
  /// How to handle a callback that would not run on the actor.
  enum Manner {
    /// It is reported, and the policy says whether it is handed to the actor or skipped.
    case contained
    /// The callback is expected elsewhere: it hands the change to the actor itself.
    case hopsItself
    /// It is reported, and called where it is: another library decides where it calls.
    case reported
  }

  /// The executor of the calling code, compared with the expected one.
  enum Location {
    case expected
    /// The actor was deallocated, and with it everything that it isolated; or its executor, one of the program, does not
    /// know what runs on it. What is not known is not a fault.
    case unknown
    /// Not on the actor, but on the executor with this name in logs.
    case elsewhere(any Actor, StringID)
  }

  /// The actor; nil once it is deallocated.
  weak let actor: (any Actor)?
  /// Its name in logs.
  let name: StringID
  let manner: Manner

  private struct Waiting {
    /// Callbacks that were handed to the actor.
    var calls = WaitingLine<@Sendable () -> Void>()
    /// Whether a task is scheduled or running on the actor.
    var isDraining = false
  }
  // State:
  // - `waiting`, under its own lock; calls are made without it.
  // - `hasWaiting`: whether there are calls, set under that lock and read without, so that deliveries on the actor need
  //   not lock. relaxed: a call that is put in at the same time comes in either order.
  private let waiting = GuardedState(Waiting())
  private let hasWaiting = Atomic<Bool>(false)

  private init(_ actor: any Actor, _ manner: Manner) {
    self.actor = actor
    name = ThreadChanges.namesOfThisThread.executor(actor)
    self.manner = manner
  }

  /// Nil for nonisolated code: any thread may run its callbacks.
  static func of(_ actor: (any Actor)?, _ manner: Manner = .contained) -> ExpectedExecutor? {
    // A failable initializer would allocate the object first.
    actor.map { ExpectedExecutor($0, manner) }
  }

  /// The executor that the calling code runs on.
  var location: Location {
    if case .hopsItself = manner { return .expected }
    guard let actor else { return .unknown }
    switch Self.isCurrent(actor) {
    case true?: return .expected
    case nil: return .unknown
    case false?: break
    }
    let isMain = Self.isCurrent(MainActor.shared) == true
    let found = isMain ? "MainActor" : "thread \(Recorder.currentThread.rawValue)"
    return .elsewhere(actor, Recorder.id(of: found))
  }

  /// Whether the calling code runs on `actor`; nil: its executor does not know.
  private static func isCurrent(_ actor: any Actor) -> Bool? {
    let words = words(of: actor)
    if kvos_is_current_executor(words.0, words.1) { return true }
    // The runtime takes no thread but the first for the main actor's, unless a task runs on it.
    if words == self.words(of: MainActor.shared) { return kvos_is_on_main_queue() }
    // The executor of an actor that has none of its own: the runtime knows what runs on it.
    if words.1 == 0 { return false }
    return switch kvos_ask_executor(words.0, words.1) {
    case 1: true
    case 0: false
    default: nil
    }
  }

  /// The two words of the structure: the identity of the executor, and how it runs jobs, 0 for a default actor.
  private static func words(of actor: any Actor) -> (UInt, UInt) {
    unsafeBitCast(actor.unownedExecutor, to: (UInt, UInt).self)
  }

  // MARK: Handing over

  /// Hands `call` to `actor`, which executes it after the calls handed over before.
  func hand(_ call: @escaping @Sendable () -> Void, to actor: any Actor) {
    let mustSend = waiting.withLock { waiting in
      waiting.calls.append(call)
      hasWaiting.store(true, ordering: .relaxed)
      defer { waiting.isDraining = true }
      return !waiting.isDraining
    }
    if mustSend { Task { await drain(on: actor) } }
  }

  /// Whether calls wait to be executed on the actor.
  var hasWaitingCalls: Bool { hasWaiting.load(ordering: .relaxed) }

  /// Executes the waiting calls; the caller runs on the actor.
  ///
  /// This precedes the callback of a later change, so that the last change is reported last.
  func makeWaitingCalls() {
    while let call = next() { call() }
  }

  private func drain(on actor: isolated any Actor) { makeWaitingCalls() }

  private func next() -> (@Sendable () -> Void)? {
    waiting.withLock { waiting in
      guard let oldest = waiting.calls.takeOldest() else {
        waiting.isDraining = false
        hasWaiting.store(false, ordering: .relaxed)
        return nil
      }
      return oldest
    }
  }
}
