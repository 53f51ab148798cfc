internal import KVOTrace

/// The API that the reader of the advice uses.
package enum Audience: Hashable, Sendable, CaseIterable {
  case classic
  case token
  case controller
  case stream
  /// Blocks of a notification center, which the adapter records.
  case notificationCenter
  /// A program that was not written in Swift.
  case objectiveC
  /// A program in Swift that observes through Apple's Foundation.
  case foundation

  /// The audience of a registration made in `form`; nil: the log does not state it.
  init(_ form: Registration.Form?, hasObserver: Bool) {
    switch form {
    case .classic: self = .classic
    case .token: self = .token
    case .controller: self = .controller
    case .stream: self = .stream
    case nil: self = hasObserver ? .classic : .token
    }
  }

  /// A description of the observing party if there is no observer.
  package var observerName: String {
    switch self {
    case .stream: "a stream"
    case .notificationCenter: "a block"
    default: "a closure"
    }
  }
}

/// What to do about a fault, in the calls of the reader's API.
///
/// Placeholders are those of ``RuleCatalogue/Entry/hint``. Text between backticks is a line to write; `…` stands for
/// parts that the reader knows.
enum RuleAdvice {
  /// The advice when it differs from the catalogue's; nil: the catalogue's applies.
  static func hint(_ code: RuleCode, for audience: Audience) -> String? {
    switch audience {
    case .classic: nil
    case .token: token(code)
    case .controller: controller(code)
    case .stream: stream(code)
    case .notificationCenter: notificationCenter(code)
    case .objectiveC: objectiveC(code)
    case .foundation: foundation(code)
    }
  }

  private static func token(_ code: RuleCode) -> String? {
    switch code {
    case .leakedRegistration:
      "end it where the scope ends: `token.invalidate()`; if it is meant to live, say so with "
        + "`expectedToLive: \"why\"`"
    case .removeDuringInitial:
      "look at the value yourself before you observe it, or invalidate the token after `observe` has "
        + "returned"
    default: nil
    }
  }

  private static func controller(_ code: RuleCode) -> String? {
    switch code {
    case .duplicateRegistration:
      "observe \"{keyPath}\" once, or end the first one before: "
        + "`observations.unobserve({subject}, keyPath: \"{keyPath}\")`"
    case .observedDeinitWhileObserved:
      "end the observation while the {Subject} is alive: "
        + "`observations.unobserve({subject}, keyPath: \"{keyPath}\")`"
    case .removeDuringInitial:
      "look at the value yourself before you observe it, or end it after `observe` has returned: "
        + "`observations.unobserve({subject}, keyPath: \"{keyPath}\")`"
    case .observationRetainCycle:
      "use the owner that the handler is given: "
        + "`observations.observe({subject}, keyPath: \"{keyPath}\") { owner, _, _ in … }`"
    case .leakedRegistration:
      "end it where the scope ends: `observations.unobserveAll()`, or let go of the {observer} there"
    case .registrationGrowth:
      "end what each run adds: `observations.unobserve({subject}, keyPath: \"{keyPath}\")`, or add it "
        + "once, before the first run"
    default: nil
    }
  }

  private static func stream(_ code: RuleCode) -> String? {
    switch code {
    case .duplicateRegistration: "iterate one stream of \"{keyPath}\", and share what it gives"
    case .observedDeinitWhileObserved:
      "nothing needs to be done: the stream ends with the {Subject}; to end it before, cancel its task: "
        + "`task.cancel()`"
    case .observationRetainCycle:
      "let the task that iterates the stream hold its owner weakly: `Task { [weak self] in … }`"
    case .leakedRegistration:
      "end the iteration where the scope ends: `task.cancel()`; if it is meant to live, say so with "
        + "`expectedToLive: \"why\"`"
    case .registrationGrowth: "cancel the task of the run before: `task.cancel()`"
    default: nil
    }
  }

  private static func notificationCenter(_ code: RuleCode) -> String? {
    switch code {
    case .duplicateRegistration:
      "add the block for \"{keyPath}\" once, or remove the first one before: "
        + "`center.removeObserver(observation)`"
    case .observedDeinitWhileObserved:
      "remove the block while the center is alive: `center.removeObserver(observation)`"
    case .observerDeinitWhileRegistered:
      "a center keeps its blocks: add to {observer}: `deinit { center.removeObserver(observation) }`"
    case .observationRetainCycle:
      "capture weakly: `center.addRecordedObserver(forName: name) { [weak self] _ in … }`"
    case .leakedRegistration:
      "remove the block where the scope ends: `center.removeObserver(observation)`; if it is meant to "
        + "live, say so with `expectedToLive: \"why\"`"
    case .registrationGrowth:
      "remove what each run adds: `center.removeObserver(observation)`, or add it once, before the first "
        + "run"
    default: nil
    }
  }

  private static func objectiveC(_ code: RuleCode) -> String? {
    let remove = "`[{subject} removeObserver:self forKeyPath:@\"{keyPath}\"{contextArgument}]`"
    let bracket =
      "`[self willChangeValueForKey:@\"{key}\"]; …; [self didChangeValueForKey:@\"{key}\"];`"
    return switch code {
    case .doubleRemove: "write \(remove) in one place only: it must run once for each addition"
    case .removeUnregistered:
      "add `[{subject} addObserver:self forKeyPath:@\"{keyPath}\" options:0 context:NULL]` on every path "
        + "that leads here, or remove only what was added"
    case .removeWrongContext:
      "pass the context of the addition: "
        + "`[{subject} removeObserver:self forKeyPath:@\"{keyPath}\" context:{context}]`"
    case .ambiguousRemove:
      "say which one: `[{subject} removeObserver:self forKeyPath:@\"{keyPath}\" context:…]`"
    case .observedDeinitWhileObserved:
      "end the observation while the {Subject} is alive: \(remove) before the last reference goes, or let "
        + "{observer} hold it"
    case .observerDeinitWhileRegistered: "add to {observer}'s `-dealloc`: \(remove)"
    case .registrationRace:
      "add the observer while no change of \"{keyPath}\" is under way: on the thread that makes the changes, and not "
        + "between `[{subject} willChangeValueForKey:@\"{key}\"]` and `[{subject} didChangeValueForKey:@\"{key}\"]`; a "
        + "value that is read in the middle of a change may be the old one"
    case .unbalancedChange: "bracket the change on one thread, on every way out: \(bracket)"
    case .priorWithoutAfter: "send the second half on every way out of the setter: \(bracket)"
    case .mutationWithoutNotification:
      "set {keyPath} through its accessor, or bracket the assignment: \(bracket)"
    case .deliveryAfterRemove:
      "let `-observeValueForKeyPath:ofObject:change:context:` of {observer} look whether it is still open, "
        + "or free what it uses on the thread that changes the {Subject}"
    case .unhandledNotification:
      "handle \"{keyPath}\" in `-observeValueForKeyPath:ofObject:change:context:` of {observer}, or do not "
        + "register for it"
    case .contextCollision:
      "give each class its own context: `static void *const ownContext = (void *)&ownContext;`; GNUstep 1.28 keeps "
        + "one registration of an observer for a key path: register once there"
    case .observationRetainCycle:
      "let the block capture a weak reference: `__weak typeof(self) weakSelf = self;`"
    case .selfObservation:
      "do it in the setter of {keyPath}, or make sure that nothing which {observer} owns holds it strongly"
    case .leakedRegistration: "end it where the scope ends: \(remove)"
    case .registrationGrowth:
      "end what each run adds: \(remove); or add it once, before the first run"
    case .offExecutorDelivery:
      "hop in {observer}: `dispatch_async(dispatch_get_main_queue(), ^{ … });`, or change {keyPath} where it "
        + "is observed"
    case .concurrentChange: "change {keyPath} on one queue"
    case .concurrentRemoval:
      "remove the observation of \"{keyPath}\" on one thread: give it one owner"
    case .callbackUnderLock:
      "compute under the lock and act after it: change, add or remove {keyPath} when it is unlocked"
    case .reentrantChange: "leave the callback early when {keyPath} is as it was"
    case .missedDelivery, .removeDuringInitial, .deliveryToDead, .duplicateRegistration,
      .deepPathIntermediateDeath, .weakLinkSilentlyNil, .dependencyCycle, .uncompliantPath,
      .classChangedUnderObservation, .tokenDropped, .displacedRegistration, .callbackRaised,
      .ignoredDependency, .parkedConsumer, .consumerGrowth, .continuationDropped,
      .continuationResumedTwice:
      nil
    }
  }
}
