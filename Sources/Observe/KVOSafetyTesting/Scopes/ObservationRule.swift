internal import KVORules

/// A rule, by its name in `kvo-audit explain`.
public struct ObservationRule: Hashable, Sendable {
  let code: RuleCode

  /// The code of the rule: `KVO001`.
  public var identifier: String { code.rawValue }

  /// KVO001: an observer was removed a second time.
  public static let doubleRemove = Self(code: .doubleRemove)
  /// KVO002: an observer was removed that was never added.
  public static let removeUnregistered = Self(code: .removeUnregistered)
  /// KVO003: an observer was removed under another context than it was added.
  public static let removeWrongContext = Self(code: .removeWrongContext)
  /// KVO004: an observer was removed without a context though there are several.
  public static let ambiguousRemove = Self(code: .ambiguousRemove)
  /// KVO005: an observer was added twice.
  public static let duplicateRegistration = Self(code: .duplicateRegistration)
  /// KVO006: the observed object was deallocated while it was observed.
  public static let observedDeinitWhileObserved = Self(code: .observedDeinitWhileObserved)
  /// KVO007: the observer was deallocated while it was registered.
  public static let observerDeinitWhileRegistered = Self(code: .observerDeinitWhileRegistered)
  /// KVO008: a notification went to an observer that was being deallocated.
  public static let deliveryToDead = Self(code: .deliveryToDead)
  /// KVO009: a notification went to an observer that had been removed.
  public static let deliveryAfterRemove = Self(code: .deliveryAfterRemove)
  /// KVO010: an observer was removed inside its own initial notification.
  public static let removeDuringInitial = Self(code: .removeDuringInitial)
  /// KVO011: a change was lost while an observer was being added.
  public static let registrationRace = Self(code: .registrationRace)
  /// KVO012: the halves of changes did not match.
  public static let unbalancedChange = Self(code: .unbalancedChange)
  /// KVO013: a notification before a change was not followed by the one after it.
  public static let priorWithoutAfter = Self(code: .priorWithoutAfter)
  /// KVO014: a value changed and no observer was notified.
  public static let mutationWithoutNotification = Self(code: .mutationWithoutNotification)
  /// KVO015: an object on a deep path was deallocated while the path depended on it.
  public static let deepPathIntermediateDeath = Self(code: .deepPathIntermediateDeath)
  /// KVO016: a weak link of a deep path became nil and no observer was notified.
  public static let weakLinkSilentlyNil = Self(code: .weakLinkSilentlyNil)
  /// KVO017: an observer did not recognize a notification.
  public static let unhandledNotification = Self(code: .unhandledNotification)
  /// KVO018: two call sites used one context for the same observation.
  public static let contextCollision = Self(code: .contextCollision)
  /// KVO019: an observation keeps its observer alive, and the observer keeps the observation alive.
  public static let observationRetainCycle = Self(code: .observationRetainCycle)
  /// KVO020: an object observes itself.
  public static let selfObservation = Self(code: .selfObservation)
  /// KVO021: an observation outlived the scope that it was made in.
  public static let leakedRegistration = Self(code: .leakedRegistration)
  /// KVO022: the observations of a repeated scope grow.
  public static let registrationGrowth = Self(code: .registrationGrowth)
  /// KVO023: a notification came on a different actor or thread than expected.
  public static let offExecutorDelivery = Self(code: .offExecutorDelivery)
  /// KVO024: two threads changed one value at the same time.
  public static let concurrentChange = Self(code: .concurrentChange)
  /// KVO025: two threads removed one observation at the same time.
  public static let concurrentRemoval = Self(code: .concurrentRemoval)
  /// KVO026: an observer was called while a lock was held.
  public static let callbackUnderLock = Self(code: .callbackUnderLock)
  /// KVO027: a callback changed the value that it was notified of, again and again.
  public static let reentrantChange = Self(code: .reentrantChange)
  /// KVO028: keys depend on each other in a cycle.
  public static let dependencyCycle = Self(code: .dependencyCycle)
  /// KVO029: a key path cannot be observed.
  public static let uncompliantPath = Self(code: .uncompliantPath)
  /// KVO030: an object's class changed while it was observed.
  public static let classChangedUnderObservation = Self(code: .classChangedUnderObservation)
  /// KVO031: a token was dropped before anything was delivered.
  public static let tokenDropped = Self(code: .tokenDropped)
  /// KVO032: a change was not delivered.
  public static let missedDelivery = Self(code: .missedDelivery)
  /// KVO038: the runtime released an observation when the same observer was added under another
  /// context.
  public static let displacedRegistration = Self(code: .displacedRegistration)
  /// KVO039: an exception left a callback.
  public static let callbackRaised = Self(code: .callbackRaised)
  /// KVO040: a class names the keys that another depends on in a way that the runtime ignores.
  public static let ignoredDependency = Self(code: .ignoredDependency)
  /// KVO041: a task waits at the end of the scope for a sequence that nobody can continue.
  public static let parkedConsumer = Self(code: .parkedConsumer)
  /// KVO042: each run of a scope leaves more tasks waiting.
  ///
  /// An audit judges it over all runs in a log. A test that expects it may leave tasks waiting, and does not fail if it
  /// leaves none.
  public static let consumerGrowth = Self(code: .consumerGrowth)
  /// KVO043: a recorded continuation was released without being resumed.
  public static let continuationDropped = Self(code: .continuationDropped)
  /// KVO044: a recorded continuation was resumed twice.
  public static let continuationResumedTwice = Self(code: .continuationResumedTwice)
}
