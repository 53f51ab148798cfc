extension RuleCatalogue {
  /// KVO028 to KVO030: key paths and classes that cannot be observed.
  static var paths: [Entry] {
    [
      rule(
        .dependencyCycle,
        "dependency-cycle",
        "keys that depend on each other in a cycle",
        .warning,
        Consequences(.none, .none, .none, .unknown, .none),
        hint: "let {keyPath} depend on stored keys only",
        happened: "The keys that affect a key are, in the end, affected by it.",
        matters: """
          A change of one notifies all in an undefined order; a runtime without a guard \
          never stops.
          """,
        fix: "Break the cycle: derived keys depend on stored ones.",
        before: """
          // in Foundation's spelling
          class func keyPathsForValuesAffectingNet() -> Set<String> { ["gross"] }
          class func keyPathsForValuesAffectingGross() -> Set<String> { ["net"] }
          """,
        after: """
          class func keyPathsForValuesAffectingNet() -> Set<String> { ["gross"] }
          """
      ),
      rule(
        .uncompliantPath,
        "uncompliant-path",
        "key path that cannot be observed",
        .error,
        isLive: true,
        Consequences(.contained, .crash, .crash, .unknown, .crash),
        hint: """
          correct "{keyPath}", or give {SubjectClass} an observable property of that name: it must name one at \
          every step
          """,
        foundationHint: """
          correct "{keyPath}", or give {SubjectClass} a property of that name: every step must name an object's \
          property, with accessors that key-value coding finds, and no step a collection's
          """,
        happened: """
          An observation was refused: its key path is nil or empty, names a key that the class does \
          not have, leads through a collection, or ends in something that cannot be observed.
          """,
        matters: """
          Apple's runtimes raise an exception, some only when the value first changes. GNUstep 1.28 \
          differs by case: silence, an exception or a crash.
          """,
        fix: "Use a key path that the compiler checks (`\\Account.balance`) instead of a text.",
        before: """
          account.addObserver(self, forKeyPath: "balanse")
          """,
        after: """
          token = account.observe(\\.balance) { … }
          """
      ),
      rule(
        .classChangedUnderObservation,
        "class-changed-under-observation",
        "class of an observed object was changed",
        .error,
        Consequences(.contained, .crash, .crash, .unknown, .unknown),
        hint: """
          find what changes the class of the {Subject} while it is observed, a call of object_setClass() or a library that \
          replaces methods of single objects: let it do that before the first observer is added, or remove all \
          observers before it and add them again after it
          """,
        happened: """
          At the removal the object was neither of the class that it had at the addition nor of \
          the subclass that observing made of it. The class of a Swift object cannot change: the rule judges \
          Objective-C programs, and logs of other writers that say so.
          """,
        matters: "Apple's runtimes keep their bookkeeping in the class, and crash.",
        fix: "Two libraries that both change classes do not mix: leave one of them out.",
        before: """
          object_setClass(account, Proxy.self)
          """,
        after: """
          let account = Proxy(Account())
          """
      ),
    ]
  }
}
