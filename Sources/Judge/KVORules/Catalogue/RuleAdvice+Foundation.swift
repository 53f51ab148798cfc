internal import KVOTrace

/// Advice for programs in Swift that observe through Apple's Foundation: it has neither this library's tokens by key path
/// nor its answers of an observer.
///
/// Placeholders are those of ``RuleCatalogue/Entry/hint``.
extension RuleAdvice {
  /// The advice where the catalogue's names calls of this library; nil: the catalogue's applies.
  static func foundation(_ code: RuleCode) -> String? {
    let remove = "`{subject}.removeObserver(self, forKeyPath: \"{keyPath}\"{contextArgument})`"
    let token = "the `NSKeyValueObservation` of `{subject}.observe(\\.…) { _, _ in … }`"
    return switch code {
    case .doubleRemove:
      "write \(remove) in one place only, or keep \(token), whose `invalidate()` may be called twice"
    case .removeUnregistered:
      "add `{subject}.addObserver(self, forKeyPath: \"{keyPath}\", options: [], context: nil)` on every "
        + "way that leads here, or remove only what was added"
    case .duplicateRegistration, .removeWrongContext, .ambiguousRemove: nil
    case .registrationRace:
      "add the observer while no change of \"{keyPath}\" is under way: on the thread that makes the changes, and not "
        + "between `{subject}.willChangeValue(forKey: \"{key}\")` and `{subject}.didChangeValue(forKey: \"{key}\")`; a "
        + "value that is read in the middle of a change may be the old one"
    case .deliveryAfterRemove:
      "let `observeValue(forKeyPath:of:change:context:)` of {observer} check whether it is still open, or free what "
        + "it uses on the thread that changes the {Subject}"
    case .unhandledNotification:
      "compare the context in `observeValue(forKeyPath:of:change:context:)` of {observer}, handle \"{keyPath}\" "
        + "there, and call `super` for other contexts only; or do not register for it"
    case .offExecutorDelivery:
      "hop in {observer}: `DispatchQueue.main.async { … }`, or change {keyPath} where it is observed"
    case .observerDeinitWhileRegistered:
      "add to {observer}: `deinit { {subject}.removeObserver(self, forKeyPath: \"{keyPath}\"{contextArgument}) }`, or "
        + "keep \(token), which ends when it is deallocated"
    case .contextCollision:
      "give each class its own context: `private static var ownContext = 0`, and pass `&Self.ownContext`"
    case .observationRetainCycle:
      "capture weakly: `{subject}.observe(\\.…) { [weak self] _, _ in … }`"
    case .leakedRegistration:
      "end it where the scope ends: \(remove), or by `invalidate()` if it is \(token)"
    case .registrationGrowth:
      "end what each run adds: \(remove), or keep \(token) in a property that the next run replaces; or add it once, "
        + "before the first run"
    case .tokenDropped: "keep \(token) for as long as you want to be notified"
    case .concurrentRemoval:
      "remove the observation of \"{keyPath}\" on one thread: give it one owner"
    case .observedDeinitWhileObserved, .removeDuringInitial, .unbalancedChange,
      .priorWithoutAfter, .mutationWithoutNotification, .deliveryToDead, .selfObservation,
      .concurrentChange, .callbackUnderLock, .reentrantChange, .missedDelivery,
      .deepPathIntermediateDeath, .weakLinkSilentlyNil, .dependencyCycle, .uncompliantPath,
      .classChangedUnderObservation, .displacedRegistration, .callbackRaised, .ignoredDependency,
      .parkedConsumer, .consumerGrowth, .continuationDropped, .continuationResumedTwice:
      nil
    }
  }
}
