internal import KVORules

/// A rule that the library judges by itself, while the program runs.
///
/// All others are found only by audits: by `kvo-audit` in a log, and at the end of an audited test. They need
/// information that the running program does not have, such as the scope that an observation should have ended in
/// (KVO021). `kvo-audit explain CODE` explains each rule and where it is judged.
public enum LiveRule: String, Hashable, Sendable, CaseIterable {
  /// KVO001: removed a second time.
  case doubleRemove = "KVO001"
  /// KVO002: removed though it was never added.
  case removeUnregistered = "KVO002"
  /// KVO003: removed under another context than it was added.
  case removeWrongContext = "KVO003"
  /// KVO004: removed without a context though there are several.
  case ambiguousRemove = "KVO004"
  /// KVO005: added twice, from the same line.
  case duplicateRegistration = "KVO005"
  /// KVO006: the observed object was deallocated while it was observed.
  case observedDeinitWhileObserved = "KVO006"
  /// KVO007: the observer was deallocated while it was registered.
  case observerDeinitWhileRegistered = "KVO007"
  /// KVO010: removed inside its own initial notification.
  case removeDuringInitial = "KVO010"
  /// KVO012: the halves of changes do not match.
  case unbalancedChange = "KVO012"
  /// KVO017: an observer did not know what to do with a notification.
  case unhandledNotification = "KVO017"
  /// KVO018: added twice, from different lines, under one context.
  case contextCollision = "KVO018"
  /// KVO019: an observation keeps itself alive; judged when a walk of references is asked for.
  case observationRetainCycle = "KVO019"
  /// KVO020: an object observes itself.
  case selfObservation = "KVO020"
  /// KVO023: a callback on another executor than its registration expects.
  case offExecutorDelivery = "KVO023"
  /// KVO026: a callback, an addition or a removal while the thread holds a lock that ``KVO/note(lock:)`` names.
  ///
  /// Judged while a log is written or a test is audited: otherwise nothing is known about locks. The reaction is
  /// carried out while the lock is held.
  case callbackUnderLock = "KVO026"
  /// KVO027: a callback changes what it observes, again and again.
  case reentrantChange = "KVO027"
  /// KVO029: a key path that cannot be observed.
  case uncompliantPath = "KVO029"
  /// KVO043: a ``RecordedContinuation`` was released without being resumed.
  case continuationDropped = "KVO043"
  /// KVO044: a ``RecordedContinuation`` was resumed twice.
  case continuationResumedTwice = "KVO044"

  var code: RuleCode? { RuleCode(rawValue: rawValue) }
}
