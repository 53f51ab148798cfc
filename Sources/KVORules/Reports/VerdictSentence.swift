internal import KVOTrace

/// The sentence that says what happened, naming types, key path and objects by generation.
struct VerdictSentence {
  let text: String

  init(_ verdict: Verdict, names: TraceNames) {
    let words = Words(verdict: verdict, names: names)
    text = words.sentence
  }
}

/// The parts that sentences are made of.
private struct Words {
  let verdict: Verdict
  let names: TraceNames

  var subject: String { verdict.subject.map(object) ?? "an object" }
  var observer: String { verdict.observer.map(object) ?? "A closure" }
  var path: String { verdict.keyPath == .none ? "a key path" : "\"\(names[verdict.keyPath])\"" }

  func object(_ ref: ObjectRef) -> String {
    "\(names[ref.className])#\(names.text(of: ref.id))"
  }

  func name(_ context: Context) -> String {
    guard case .named(let id) = context else { return "no context" }
    return "context \(names[id])"
  }

  var underContext: String {
    guard case .named = verdict.context else { return "" }
    return " under \(name(verdict.context))"
  }

  var otherContexts: String {
    guard case .otherContexts(let contexts) = verdict.detail else { return "another context" }
    return contexts.map(name).joined(separator: " and ")
  }

  var sentence: String {
    switch verdict.code {
    case .doubleRemove:
      "\(observer) removed its observation of \(path) from \(subject)\(underContext) a second time"
    case .removeUnregistered:
      "\(observer) removed an observation of \(path) from \(subject)\(underContext) that is not there"
    case .removeWrongContext:
      "\(observer) removed its observation of \(path) from \(subject) under "
        + "\(name(verdict.context)), and it is registered under \(otherContexts)"
    case .ambiguousRemove:
      "\(observer) removed its observation of \(path) from \(subject) without a context, and there "
        + "are several: \(otherContexts)"
    case .duplicateRegistration:
      "\(observer) observes \(path) of \(subject)\(underContext) once more\(copies)"
    case .observedDeinitWhileObserved:
      "\(subject) was deallocated while \(observerInside) observed its \(path)"
    case .observerDeinitWhileRegistered:
      "\(observer) was deallocated while it observed \(path) of \(subject)"
    case .deliveryToDead:
      "a change of \(path) of \(subject) was delivered to \(observerInside), whose deallocation had "
        + "begun"
    case .removeDuringInitial:
      "\(observer) removed its observation of \(path) from \(subject) inside its own initial "
        + "notification"
    case .unbalancedChange:
      imbalance
    case .unhandledNotification:
      "\(observer) was told of a change of \(path) of \(subject) and did not know what to do with it"
    case .selfObservation:
      "\(subject) observes its own \(path)\(heldBy)"
    case .leakedRegistration:
      "\(observer) still observes \(path) of \(subject) at the end of \(scope)"
    case .uncompliantPath:
      refusal
    case .tokenDropped:
      "the token of an observation of \(path) of \(subject) was dropped before anything was delivered"
    case .missedDelivery:
      "a change of \(path) of \(subject) was not delivered to \(observerInside)"
    // Rules without a machine yet: their verdicts name what is common to all.
    case .deliveryAfterRemove, .registrationRace, .priorWithoutAfter, .mutationWithoutNotification,
      .deepPathIntermediateDeath, .weakLinkSilentlyNil, .contextCollision,
      .observationRetainCycle, .registrationGrowth, .offExecutorDelivery, .concurrentChange,
      .concurrentRemoval, .callbackUnderLock, .reentrantChange, .dependencyCycle,
      .classChangedUnderObservation:
      "\(observer) and \(path) of \(subject): \(RuleCatalogue.entry(verdict.code).title)"
    }
  }

  /// The observer within a sentence.
  private var observerInside: String { verdict.observer.map(object) ?? "a closure" }

  private var copies: String {
    guard case .copies(let count) = verdict.detail else { return "" }
    return ", \(count) times now"
  }

  private var heldBy: String {
    guard case .heldBy(let registry) = verdict.detail else { return "" }
    return ", and \(object(registry)) keeps it alive"
  }

  private var scope: String {
    guard case .scope(let name) = verdict.detail, name != .none else { return "its scope" }
    return "the scope \"\(names[name])\""
  }

  private var imbalance: String {
    switch verdict.detail {
    case .change(.willWithoutDid):
      "a change of \(path) of \(subject) was begun and never ended"
    case .change(.outOfOrder(let inner)):
      "a change of \(path) of \(subject) was ended while the change of \"\(names[inner])\", begun "
        + "later, was open"
    default:
      "a change of \(path) of \(subject) was ended that was never begun"
    }
  }

  private var refusal: String {
    guard case .refusal(let reason, let part) = verdict.detail else {
      return "\(path) of \(subject) cannot be observed"
    }
    let at = part == .none || part == verdict.keyPath ? "" : ", at \"\(names[part])\""
    return switch reason {
    case .nilKeyPath: "\(observer) gave nil for the key path of \(subject)"
    case .emptyKeyPath: "\(observer) gave an empty key path of \(subject)"
    case .unknownKey: "\(path) of \(subject) names a key that is not there\(at)"
    case .throughCollection: "\(path) of \(subject) goes through a collection\(at)"
    case .readOnly: "\(path) of \(subject) cannot be changed\(at)"
    case .notObservable: "\(path) of \(subject) goes through an object that cannot be observed\(at)"
    }
  }
}
