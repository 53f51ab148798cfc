extension RuleCatalogue {
  /// KVO038 to KVO040: faults that depend on an Objective-C Foundation's implementation.
  static var native: [Entry] {
    [
      rule(
        .displacedRegistration,
        "displaced-registration",
        "observation under another context displaced",
        .error,
        Consequences(.none, .none, .none, .wrong, .none),
        hint: """
          let two observers observe "{keyPath}", one for each context: GNUstep 1.28 keeps one \
          observation of an observer and a key path
          """,
        happened: """
          An observer that observed a key path of an object was added to it once more under another \
          context. The runtime kept the second observation alone.
          """,
        matters: """
          On Apple's runtimes, and on GNUstep since 1.31 with libobjc2, both are there. On GNUstep 1.28 the \
          callback for the first context is silently never called again, and either removal ends \
          both.
          """,
        fix: "Give each of the two an observer object of its own, such as a small controller.",
        before: """
          [account addObserver: self forKeyPath: @"balance" options: 0 context: &list];
          [account addObserver: self forKeyPath: @"balance" options: 0 context: &total];
          """,
        after: """
          [account addObserver: lister forKeyPath: @"balance" options: 0 context: &list];
          [account addObserver: adder forKeyPath: @"balance" options: 0 context: &total];
          """
      ),
      rule(
        .callbackRaised,
        "callback-raised",
        "exception left a callback",
        .warning,
        Consequences(.unknown, .unknown, .unknown, .wrong, .unknown),
        hint: """
          catch the exception inside `-observeValueForKeyPath:ofObject:change:context:` of {raiser}
          """,
        happened: """
          An observer's callback raised an exception and did not catch it: the exception passed through the \
          runtime, in the middle of a notification.
          """,
        matters: """
          GNUstep 1.28 holds its locks for ever then. After an exception out of an initial callback every \
          addition on another thread hangs; after one out of the callback of a change no observer is notified of \
          that key of the object again, and other threads hang where they change it.
          """,
        fix: "Catch in the callback all exceptions that may be raised in it.",
        before: """
          - (void) observeValueForKeyPath: … { [self parse: [object text]]; }
          """,
        after: """
          - (void) observeValueForKeyPath: …
          {
            @try { [self parse: [object text]]; } @catch (NSException *exception) { … }
          }
          """
      ),
      rule(
        .ignoredDependency,
        "ignored-dependency",
        "dependent keys that the runtime ignores",
        .warning,
        Consequences(.none, .none, .none, .wrong, .none),
        hint: """
          say it also as GNUstep 1.28 reads it, in `+initialize` of {SubjectClass}: `[self setKeys:[[self \
          keyPathsForValuesAffectingValueForKey:@"{keyPath}"] allObjects] \
          triggerChangeNotificationsForDependentKey:@"{keyPath}"];`
          """,
        happened: """
          A key was observed for which the class has a method `+keyPathsForValuesAffecting…`, and the \
          runtime never calls that.
          """,
        matters: """
          Apple's runtimes, and GNUstep since 1.31 with libobjc2, notify observers of the key when one of those \
          changes. GNUstep 1.28 does not.
          """,
        fix: "Call +setKeys:triggerChangeNotificationsForDependentKey: as well.",
        before: """
          + (NSSet *) keyPathsForValuesAffectingTotal { return [NSSet setWithObject: @"balance"]; }
          """,
        after: """
          + (void) initialize
          {
            [self setKeys: [NSArray arrayWithObject: @"balance"]
              triggerChangeNotificationsForDependentKey: @"total"];
          }
          """
      ),
    ]
  }
}
