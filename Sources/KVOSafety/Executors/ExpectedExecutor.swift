internal import CKVOExecutor
internal import KVORecorder
internal import KVOTrace

/// The actor that callbacks of a registration are expected on.
///
/// Callbacks run on the thread that makes the change. While something records, each says whether that
/// was the actor's, so that a replay can tell what went astray (KVO023).
///
/// An object, so that a registration without one holds a word that is nil, and nothing to be destroyed.
final class ExpectedExecutor: Sendable {
  private weak let actor: (any Actor)?
  /// What logs call it.
  let name: StringID
  /// Whether a callback is handed to the actor, wherever the change was made.
  private let isHoppedTo: Bool

  private init(_ actor: any Actor, isHoppedTo: Bool) {
    self.actor = actor
    name = ThreadChanges.namesOfThisThread.executor(actor)
    self.isHoppedTo = isHoppedTo
  }

  /// Nil for code that is bound to no actor: any thread is right for its callbacks.
  static func of(_ actor: (any Actor)?, isHoppedTo: Bool = false) -> ExpectedExecutor? {
    // An initialiser that fails would make the object first.
    actor.map { ExpectedExecutor($0, isHoppedTo: isHoppedTo) }
  }

  /// What the calling code runs on: the actor, or what else is known of it.
  var current: StringID {
    if isHoppedTo { return name }
    if let actor, Self.isCurrent(actor) { return name }
    if Self.isCurrent(MainActor.shared) { return Recorder.id(of: "MainActor") }
    return Recorder.id(of: "thread \(Recorder.currentThread.rawValue)")
  }

  private static func isCurrent(_ actor: any Actor) -> Bool {
    // The two words of the structure: what identifies the actor, and how it runs jobs.
    let words = unsafeBitCast(actor.unownedExecutor, to: (UInt, UInt).self)
    return kvos_is_current_executor(words.0, words.1)
  }
}
