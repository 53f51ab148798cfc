extension RuleCatalogue {
  /// KVO006 to KVO008, KVO015, KVO016 and KVO019: objects that are deallocated too early, or never.
  static var lifetimes: [Entry] {
    [
      rule(
        .observedDeinitWhileObserved,
        "observed-deinit-while-observed",
        "observed object deallocated while observed",
        .error,
        isLive: true,
        Consequences(.contained, .leak, .crash, .none, .unknown),
        hint: """
          end the observation while the {Subject} is alive: \
          `{subject}.removeObserver(self, forKeyPath: "{keyPath}"{contextArgument})` before the last reference \
          goes, or let {observer} hold it
          """,
        tokenHint: """
          end the observation while the {Subject} is alive: `token.invalidate()` before the last reference \
          goes, or keep the {Subject} for as long as the token
          """,
        happened: "An object was deallocated while it was observed.",
        matters: """
          Before iOS 11 and macOS 10.13 this raises an exception. Since then automatic notifiers \
          are cleaned up and the observation is lost silently; manual ones may still crash. If a token or a \
          controller observes, nothing is lost that the program needs: it is a note, except on systems \
          that raise the exception. A stream ends with its object, and is not reported.
          """,
        fix: """
          The observer should keep what it observes alive, or stop observing when it lets go of it.
          """,
        before: """
          account.addObserver(self, forKeyPath: "balance")
          account = nil
          """,
        after: """
          account.removeObserver(self, forKeyPath: "balance")
          account = nil
          """
      ),
      rule(
        .observerDeinitWhileRegistered,
        "observer-deinit-while-registered",
        "observer deallocated while registered",
        .error,
        isLive: true,
        Consequences(.contained, .leak, .crash, .crash, .crash),
        hint: """
          add to {observer}: \
          `deinit { {subject}.removeObserver(self, forKeyPath: "{keyPath}"{contextArgument}) }` (`isolated deinit` \
          in a class of an actor), or use `token = {subject}.observe(keyPath: "{keyPath}") { _, _ in … }`, which ends by itself
          """,
        happened: """
          An observer was deallocated without having been removed; nothing in the classic form \
          does that for it.
          """,
        matters: """
          The next change is sent to freed memory on GNUstep 1.28 and before iOS 11; later systems \
          keep the registration for ever.
          """,
        fix: "Remove in deinit, or use a form that ends with its owner (token, controller).",
        before: """
          init(account: Account) { account.addObserver(self, forKeyPath: "balance") }
          """,
        after: """
          init(account: Account) { account.addObserver(self, forKeyPath: "balance") }
          deinit { account.removeObserver(self, forKeyPath: "balance") }
          """
      ),
      rule(
        .deliveryToDead,
        "delivery-to-dead",
        "notification sent to a deallocated observer",
        .error,
        Consequences(.contained, .wrong, .crash, .crash, .unknown),
        hint: """
          remove the observation of "{keyPath}" before {observer} is let go of, on the thread that \
          changes the {Subject}
          """,
        happened: "A callback was begun after the deallocation of its observer had begun.",
        matters: "The callback reads freed memory: a crash, or another object's method.",
        fix: """
          Removing in deinit is too late where another thread changes the value: end the \
          observation before the last reference goes.
          """,
        before: """
          deinit { account.removeObserver(self, forKeyPath: "balance") }  // changed elsewhere
          """,
        after: """
          func close() { token.invalidate() }  // before the last reference goes
          """
      ),
      rule(
        .deepPathIntermediateDeath,
        "deep-path-intermediate-death",
        "object in the middle of a key path was deallocated",
        .error,
        Consequences(.contained, .wrong, .crash, .unknown, .unknown),
        hint: """
          hold the objects along "{keyPath}" strongly, or replace one only between the willChangeValue and the \
          didChangeValue of its key
          """,
        happened: """
          An object in the middle of an observed key path was deallocated while the observation depended on it.
          """,
        matters: "The observation refers to freed memory, or stays silent forever.",
        fix: "Send willChange and didChange for every link of the path that can be replaced.",
        before: """
          unowned var owner: Person  // observed as "owner.name"
          """,
        after: """
          var owner: Person?         // strong, and notified when it is set
          """
      ),
      rule(
        .weakLinkSilentlyNil,
        "weak-link-silently-nil",
        "weak link of a key path became nil unnoticed",
        .warning,
        .everywhere(.wrong),
        hint: """
          set the weak link of "{keyPath}" to nil before its object is deallocated, through the accessor that \
          notifies, or hold it strongly
          """,
        happened: """
          An object in the middle of an observed key path, held weakly, was deallocated: the value became nil \
          without a notification.
          """,
        matters: "The observer goes on showing the last value.",
        fix: "Observe the end of the object too, or hold the link strongly.",
        before: """
          weak var owner: Person?    // observed as "owner.name"
          """,
        after: """
          var owner: Person?         // cleared through the notifying setter
          """
      ),
      rule(
        .observationRetainCycle,
        "observation-retain-cycle",
        "an observation keeps its owner alive",
        .error,
        isLive: true,
        .everywhere(.leak),
        hint:
          "capture weakly: `{subject}.observe(keyPath: \"{keyPath}\") { [weak self] _, _ in … }`",
        happened: """
          Strong references lead from an object through its token or the closure of an observation \
          back to itself.
          """,
        matters: "None of the objects on the cycle is ever freed, and the observation never ends.",
        fix: "Use the observer that the handler is given, or capture self weakly.",
        before: """
          token = account.observe(\\.balance) { _, _ in self.update() }
          """,
        after: """
          token = account.observe(\\.balance) { [weak self] _, _ in self?.update() }
          """
      ),
    ]
  }
}
