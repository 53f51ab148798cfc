extension RuleCatalogue {
  /// KVO005, KVO018, KVO020 to KVO022 and KVO031: additions, and registrations that never end.
  static var registrations: [Entry] {
    [
      rule(
        .duplicateRegistration,
        "duplicate-registration",
        "the same observation made twice",
        .warning,
        isLive: true,
        .everywhere(.wrong),
        hint: """
          add the observation of "{keyPath}" once (in init rather than in viewWillAppear), or remove \
          the first one before adding again
          """,
        happened: """
          An observation was added while an equal one (same object, observer, key path and \
          context) was live. Two additions by name from different lines are KVO018, whose contexts \
          could tell them apart. Tokens and streams have a handler each, and are never equal.
          """,
        matters: """
          The observer is notified twice of each change, and two removals are needed. GNUstep 1.28 \
          overwrites instead, so that one removal ends both: code that relies on either breaks on \
          the other.
          """,
        fix: "Pair each addition with one removal, at the same level of the life cycle.",
        before: """
          func viewWillAppear() { account.addObserver(self, forKeyPath: "balance") }
          """,
        after: """
          func viewWillAppear() { token = account.observe(\\.balance) { … } }  // replaces the old one
          """
      ),
      rule(
        .contextCollision,
        "context-collision",
        "observed from two call sites under one context",
        .warning,
        isLive: true,
        .everywhere(.wrong),
        hint: """
          give each class its own context: `static let ownContext = ObservationContext()`
          """,
        happened: """
          Two registrations of the same objects and key path, made by different types or at \
          different places, share their context; nil is shared by all.
          """,
        matters: """
          Neither can tell whose notification arrives, and either may remove the other's.
          """,
        fix: "Use a context object of your own in every class.",
        before: """
          account.addObserver(self, forKeyPath: "balance", context: nil)  // here and in a superclass
          """,
        after: """
          account.addObserver(self, forKeyPath: "balance", context: Self.balanceContext)
          """
      ),
      rule(
        .selfObservation,
        "self-observation",
        "an object observes itself",
        .note,
        isLive: true,
        .everywhere(.unknown),
        hint: """
          use `didSet` on {keyPath}, or make sure that nothing which {observer} owns holds it strongly
          """,
        happened: "Observer and observed object are the same object.",
        matters: """
          It works as long as nothing keeps the registration's observer alive. A registry that \
          holds its observed objects strongly makes the object immortal.
          """,
        fix: "A property observer does the same without a registration.",
        before: """
          addObserver(self, forKeyPath: "balance")
          """,
        after: """
          var balance = 0.0 { didSet { balanceChanged() } }
          """
      ),
      rule(
        .leakedRegistration,
        "leaked-registration",
        "observation still live at the end of its scope",
        .error,
        .everywhere(.leak),
        hint: """
          end it where the scope ends: `token.invalidate()`, or \
          `{subject}.removeObserver(self, forKeyPath: "{keyPath}"{contextArgument})`; if it is meant to live, \
          say so with `expectedToLive: "why"`
          """,
        happened: """
          A registration that was made inside a scope (a test, a screen, a request) was live when \
          the scope ended, although it was not expected to be. Only an audited test and an audit of the log \
          find it: a running program does not say where its scopes end.
          """,
        matters: """
          Both objects' callbacks stay wired up. Leak checkers do not see it: the registration is \
          reachable.
          """,
        fix: "Find the owner that should have ended it; bind the token's life to that owner.",
        before: """
          tokens.append(account.observe(\\.balance) { … })  // a global array
          """,
        after: """
          self.token = account.observe(\\.balance) { … }    // released with self
          """
      ),
      rule(
        .registrationGrowth,
        "registration-growth",
        "more observations live after each run",
        .warning,
        .everywhere(.leak),
        hint: """
          end what each run adds: `token = {subject}.observe(keyPath: "{keyPath}") { _, _ in … }` replaces the \
          one before; or add it once, before the first run
          """,
        happened: """
          A scope was run three times or more, and each time more registrations of one line and \
          key path were live at its end.
          """,
        matters: "Memory and the cost of each change grow for as long as the program runs.",
        fix: "Look at the first line that registers: its removal is missing on the way out.",
        before: """
          func open(_ page: Page) { page.addObserver(self, forKeyPath: "title") }
          """,
        after: """
          func open(_ page: Page) { token = page.observe(\\.title) { … } }
          """
      ),
      rule(
        .tokenDropped,
        "token-dropped",
        "observation token dropped at once",
        .warning,
        .everywhere(.wrong),
        hint:
          "keep the token: `self.token = {subject}.observe(keyPath: \"{keyPath}\") { _, _ in … }`",
        happened: """
          A token was dropped where it was handed out, before anything was observed; the \
          observation ended with it.
          """,
        matters: "The handler is silently never called, on every runtime.",
        fix: "Store the token for as long as the observation should last.",
        before: """
          _ = account.observe(\\.balance) { … }
          """,
        after: """
          token = account.observe(\\.balance) { … }
          """
      ),
    ]
  }
}
