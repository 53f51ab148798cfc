import KVOTrace

/// Advice for the specific case of a finding, if its rule's advice does not apply.
///
/// Placeholders are those of ``RuleCatalogue/Entry/hint``, and `{step}` and `{StepClass}`: the refused part of a key
/// path, and the class that should have it; `{dependency}`: the refused key that another depends on; `{unlistedClass}`:
/// the class that does not list a property; `{Key}`: the key, as accessors spell it.
extension RuleAdvice {
  /// The advice for `verdict`; nil: the rule's advice applies.
  ///
  /// - Parameters:
  ///   - verdict: the case.
  ///   - isFoundation: whether an Objective-C Foundation observes, and not this library.
  ///   - knowsStep: whether the log states at which step a key path was refused.
  ///   - unnamed: the typed key path, if it was refused because a part of it is not a key and has no name.
  ///   - hasWrongDependency: whether a key was refused because one that it depends on does not exist.
  ///   - audience: the reader.
  /// - Returns: the template of the advice, or nil.
  static func hint(
    for verdict: Verdict,
    isFoundation: Bool,
    knowsStep: Bool,
    unnamed: UnnamedKeyPath?,
    hasWrongDependency: Bool,
    audience: Audience
  ) -> String? {
    switch (verdict.code, verdict.detail) {
    case (.uncompliantPath, .refusal(.nilKeyPath, _)),
      (.uncompliantPath, .refusal(.emptyKeyPath, _)):
      "name the property to observe: a key path that is nil or empty names none"
    case (.uncompliantPath, .refusal) where unnamed?.hasOnlyInheritedKeys == true:
      "attach `@KeyValueObservable` to {unlistedClass} itself: the macro covers the properties of the class that it is "
        + "attached to, and not those that a subclass adds or overrides"
    case (.uncompliantPath, .refusal) where hasWrongDependency:
      "correct \"{dependency}\" where \"{keyPath}\" is declared to depend on it, by `affectedBy` or by "
        + "`keyPathsForValuesAffecting(_:)`, or give its class an observable property of that name"
    case (.uncompliantPath, .refusal) where unnamed != nil:
      "end the key path at a property of an observable class; the members of a struct, the requirements of a protocol "
        + "and properties that the class does not list as keys cannot be observed"
    case (.uncompliantPath, .refusal(.notObservable, _)) where !knowsStep: ofCollection
    case (.uncompliantPath, .refusal(let reason, _)) where knowsStep:
      isFoundation ? foundationRefusal(reason) : refusal(reason)
    case (.unbalancedChange, .change(.mismatched)):
      "give both halves of the change of \"{keyPath}\" the same kind and the same indexes, or the same mutation of "
        + "a set"
    case (.unbalancedChange, .change(.willWithoutDid)) where audience == .objectiveC: unended
    case (.missedDelivery, .insideCallback): nested(audience)
    case (.removeUnregistered, _) where verdict.context.isNamed: addition(audience)
    case (.observedDeinitWhileObserved, _) where verdict.isOfSelf:
      selfDeallocation(audience)
    case (.priorWithoutAfter, _) where verdict.evidence.contains { $0.role == .changed }:
      // Both halves of the change were sent: only the notification is missing.
      hint(.missedDelivery, for: audience) ?? RuleCatalogue.entry(.missedDelivery).hint
    case (.observationRetainCycle, .cycle(let references)):
      references.weakened.flatMap { weakening($0.from.kind, audience) }
    case (.leakedRegistration, _), (.registrationGrowth, _), (.observedDeinitWhileObserved, _):
      ending(verdict.code, verdict.form, audience)
    case (.concurrentRemoval, .overlap(.deallocation)):
      "end the observation of \"{keyPath}\" before the last reference to the {Subject} goes, on the thread that lets "
        + "it go, or let the code that ends it hold the {Subject}"
    default: nil
    }
  }

  /// GNUstep 1.28 begins a replacement through the collection proxy of a class with methods for its elements, and never
  /// ends it; only the calls of the program can be changed.
  static let unendedReplacement =
    "replace at the {Subject}, because GNUstep 1.28 never ends a replacement through `mutableArrayValueForKey:` for a "
    + "class that has `-insertObject:in{Key}AtIndex:`: "
    + "`[{subject} willChange:NSKeyValueChangeReplacement valuesAtIndexes:indexes forKey:@\"{key}\"]; "
    + "[{subject} replaceObjectIn{Key}AtIndex:index withObject:object]; "
    + "[{subject} didChange:NSKeyValueChangeReplacement valuesAtIndexes:indexes forKey:@\"{key}\"];`"

  /// GNUstep 1.28 makes the selectors of setters from keys in ASCII, and raises for others.
  static let keyBeyondASCII =
    "give \"{keyPath}\" a name in ASCII: GNUstep 1.28 raises an exception for every other key"

  /// The log does not say whether the program announced the change or the runtime did, for a setter.
  private static let unended =
    "end the change on every way out, also if an exception is raised in it: `[self willChangeValueForKey:@\"{key}\"]; "
    + "@try { … } @finally { [self didChangeValueForKey:@\"{key}\"]; }`; if the runtime announces it, let no exception "
    + "leave the setter of \"{key}\": check the value before it is set"

  /// A runtime that merges the change into the one that it notifies of.
  private static func nested(_ audience: Audience) -> String {
    let later =
      audience == .objectiveC
      ? "`[self performSelector:@selector(…) withObject:nil afterDelay:0];`"
      : "`DispatchQueue.main.async { … }`"
    return
      "make the change when the callback has returned, for instance by \(later), or let the setter of \"{key}\" set "
      + "the final value: the runtime notifies no observer of a change that is made while it notifies of the same key"
  }

  /// Swift cannot catch the exceptions of Objective-C.
  static let exceptionInSwift =
    "make sure that nothing in `observeValue(forKeyPath:of:change:context:)` of {raiser} raises an exception: Swift "
    + "cannot catch one of Objective-C"

  /// What a removal under a context lacks: an addition without one would be removed under the wrong context.
  private static func addition(_ audience: Audience) -> String? {
    switch audience {
    case .objectiveC:
      "add `[{subject} addObserver:self forKeyPath:@\"{keyPath}\" options:0 context:{context}]` on every path "
        + "that leads here, or remove only what was added"
    case .foundation:
      "add `{subject}.addObserver(self, forKeyPath: \"{keyPath}\", options: [], context: {context})` on every "
        + "path that leads here, or remove only what was added"
    case .classic, .token, .controller, .stream:
      "add `{subject}.addObserver(self, forKeyPath: \"{keyPath}\", context: {context})` on every path that leads "
        + "here, or remove only what was added; a token needs no such care"
    case .notificationCenter: nil
    }
  }

  /// What to do about the reference of a cycle from an object of `kind`, if it is not that of a closure, which the advice
  /// of the rule is about.
  private static func weakening(_ kind: ObjectRef.Kind, _ audience: Audience) -> String? {
    switch (kind, audience) {
    case (.closure, _): nil
    case (.registry, .objectiveC), (.registry, .foundation):
      "observe with a controller that does not retain the {edgeTarget} (`KVOControllerNonRetaining`), or let another "
        + "object observe it"
    case (.registry, _), (.object, _), (.token, _):
      "make the reference {edge}of {edgeSource} to {edgeTarget} weak, or drop it when the observation is no longer needed"
    }
  }

  /// How to end what a token or a controller of Foundation's programs began: a removal by name would find nothing, and
  /// raise.
  private static func ending(
    _ code: RuleCode,
    _ form: Registration.Form?,
    _ audience: Audience
  ) -> String? {
    let end: String
    switch (form, audience) {
    case (.token, .foundation): end = "`token.invalidate()`"
    case (.token, .objectiveC): end = "`[token invalidate]`"
    case (.controller, .foundation):
      end = "the controller's own `unobserve({subject}, keyPath: \"{keyPath}\")`"
    case (.controller, .objectiveC):
      end = "`[controller unobserve:{subject} keyPath:@\"{keyPath}\"]`"
    default: return nil
    }
    return switch code {
    case .leakedRegistration: "end it where the scope ends: \(end)"
    case .registrationGrowth: "end what each run adds: \(end); or add it once, before the first run"
    default: "end the observation while the {Subject} is alive: \(end)"
    }
  }

  private static func refusal(_ reason: RefusalReason) -> String? {
    switch reason {
    case .unknownKey:
      "correct \"{keyPath}\", or give {StepClass} an observable property \"{step}\": the macro covers the "
        + "properties of the class that it is attached to, and a subclass needs its own"
    case .throughCollection:
      "end the key path at the collection \"{step}\", or observe each of its elements by `observeEach`"
    case .nilKeyPath, .emptyKeyPath, .readOnly, .raised: nil
    case .notObservable:
      "end the key path at \"{step}\", or make the class of its value observable"
    }
  }

  private static func foundationRefusal(_ reason: RefusalReason) -> String? {
    switch reason {
    case .unknownKey:
      "correct \"{keyPath}\", or give {StepClass} a property \"{step}\" with accessors that key-value coding "
        + "finds"
    case .throughCollection, .notObservable: ofCollection
    case .raised:
      "see what the getter of \"{step}\" and the observer do during the addition: neither may let an exception out"
    case .nilKeyPath, .emptyKeyPath, .readOnly: nil
    }
  }

  private static let ofCollection =
    "observe the property that holds the collection, at the object that has it; a collection itself cannot be "
    + "observed"

  /// An object that observes itself cannot keep its observed object alive any longer.
  private static func selfDeallocation(_ audience: Audience) -> String? {
    switch audience {
    case .classic, .foundation:
      "add to {Subject}: `deinit { removeObserver(self, forKeyPath: \"{keyPath}\"{contextArgument}) }`"
    case .objectiveC:
      "add to {Subject}'s `-dealloc`: `[self removeObserver:self forKeyPath:@\"{keyPath}\"{contextArgument}]`"
    case .token, .controller, .stream, .notificationCenter: nil
    }
  }
}

extension Verdict {
  /// Whether an object observes itself.
  var isOfSelf: Bool { subject != nil && subject?.id == observer?.id }
}
