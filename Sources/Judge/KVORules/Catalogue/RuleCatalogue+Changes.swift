extension RuleCatalogue {
  /// KVO011 to KVO014, KVO024, KVO027 and KVO032: changes and their notifications.
  static var changes: [Entry] {
    [
      rule(
        .registrationRace,
        "registration-race",
        "change lost while the observation was made",
        .error,
        Consequences(.wrong, .wrong, .wrong, .unknown, .unknown),
        hint: """
          register while no change of "{keyPath}" is under way: on the thread that makes the changes, and not between \
          the two halves of one; a value that is read in the middle of a change may be the old one
          """,
        happened: """
          A change began before a registration and ended after it, and neither a notification nor \
          an initial value notified the new observer of it.
          """,
        matters: "The observer shows an old value until the next change.",
        fix: """
          Register on the thread that changes the value, before a change begins or after it has ended. The option \
          `.initial` is not enough: it reads the value when it registers, which may be before the change sets it.
          """,
        before: """
          queue.async { token = account.observe(\\.balance) { … } }  // the main queue changes it
          """,
        after: """
          DispatchQueue.main.async { token = account.observe(\\.balance) { … } }
          """
      ),
      rule(
        .unbalancedChange,
        "unbalanced-change",
        "the two halves of a change do not match",
        .error,
        isLive: true,
        Consequences(.wrong, .wrong, .wrong, .unknown, .wrong),
        hint: """
          bracket the change on one thread: `willChangeValue(forKey: "{keyPath}"); defer { \
          didChangeValue(forKey: "{keyPath}") }`
          """,
        happened: """
          A didChange came without its willChange or with another kind or other indexes, a willChange never \
          got its didChange, or a change was closed while a later one was open.
          """,
        matters: """
          Observers get no notification, or one with another change's old value, and the \
          bookkeeping of that thread is wrong from there on. Changes of different keys or objects that cross \
          are delivered; Apple's guide demands that they nest, so they are a warning.
          """,
        fix: "Write both halves in one function, the second in a defer.",
        before: """
          willChangeValue(forKey: "balance")
          guard amount > 0 else { return }
          balance += amount
          didChangeValue(forKey: "balance")
          """,
        after: """
          guard amount > 0 else { return }
          willChangeValue(forKey: "balance")
          defer { didChangeValue(forKey: "balance") }
          balance += amount
          """
      ),
      rule(
        .priorWithoutAfter,
        "prior-without-after",
        "notified before a change but not after it",
        .error,
        Consequences(.wrong, .wrong, .wrong, .unknown, .wrong),
        hint: """
          send the second half on every way out of the setter: `defer { didChangeValue(forKey: \
          "{key}") }`
          """,
        happened: """
          An observer was notified that a value is about to change, and never that it had changed.
          """,
        matters: "What the observer suspended for the change stays suspended.",
        fix: "Put didChange in a defer.",
        before: """
          willChangeValue(forKey: "rows"); try load(); didChangeValue(forKey: "rows")
          """,
        after: """
          willChangeValue(forKey: "rows"); defer { didChangeValue(forKey: "rows") }; try load()
          """
      ),
      rule(
        .mutationWithoutNotification,
        "mutation-without-notification",
        "observed value changed without a notification",
        .error,
        Consequences(.wrong, .wrong, .crash, .unknown, .wrong),
        hint: """
          set {keyPath} through its accessor, or bracket the write: \
          `willChangeValue(forKey: "{key}"); defer { didChangeValue(forKey: "{key}") }`
          """,
        happened: """
          A log has two different values of one key, as a probe saw them, and no change between them. \
          It counts even if the key was not observed at that time.
          """,
        matters: """
          Observers show an old value. In the middle of a key path the removal goes to the wrong \
          object, which raises an exception on Apple's runtimes.
          """,
        fix: "Write through the notifying setter, also inside the class itself.",
        before: """
          _balance = 10
          """,
        after: """
          balance = 10
          """
      ),
      rule(
        .concurrentChange,
        "concurrent-change",
        "one value changed on two threads at once",
        .error,
        Consequences(.contained, .crash, .crash, .unknown, .unknown),
        hint: "change {keyPath} on one actor or queue, such as the main actor",
        happened: """
          Two changes of one key, or of keys that a third depends on, overlapped on different threads.
          """,
        matters: """
          Observers get the values in either order, and the old values are wrong. The rule sees an overlap \
          that happened while the log was written, not one that could have: a setter is short, so that a race \
          shows in some runs and not in others. Of 14 shapes of race, run 200 times each on two cores in a debug \
          build, one with short blocks on a global queue was never seen, most in 20 to 70 of 100 runs, and one \
          with setters of 0.1 ms in 91 of 100 (Reports/race-likelihood.md). So silence proves nothing; \
          ThreadSanitizer judges what could have been.
          """,
        fix: "Confine the object to one actor, or serialize its setters.",
        before: """
          DispatchQueue.global().async { account.balance += 1 }
          """,
        after: """
          await account.deposit(1)  // an actor
          """
      ),
      rule(
        .reentrantChange,
        "re-entrant-change",
        "callback changes what it observes, again and again",
        .error,
        isLive: true,
        .everywhere(.crash),
        hint: """
          leave the callback early when {keyPath} is as it was: register a typed handler with \
          `options: [.old, .new]`, and begin it with `guard change.newValue != change.oldValue else { return }`
          """,
        happened: """
          A callback changed the key that it observes, was notified of that, and so on, more than \
          eight deep.
          """,
        matters: "The stack overflows.",
        fix: "Compare before you write, or write after the callback has returned.",
        before: """
          { account, _ in account.balance = max(0, account.balance) }
          """,
        after: """
          { account, _ in if account.balance < 0 { account.balance = 0 } }
          """
      ),
      rule(
        .missedDelivery,
        "missed-delivery",
        "observer not notified of a change",
        .error,
        Consequences(.wrong, .wrong, .wrong, .unknown, .unknown),
        hint: """
          look at what else happened to the observers of the {Subject}: do not add or remove one while another is \
          notified, and do not change the class of the {Subject} while it is observed; if none of that happened, report \
          it to whoever maintains the runtime
          """,
        happened: """
          A change began after a registration and ended while it was live, and its observer was \
          not notified.
          """,
        matters: "The observer shows an old value, for no reason in its own code.",
        fix: """
          Look for other removals or additions at that time: in known cases the removal of one \
          observer silenced another. GNUstep 1.28 does not notify of a change that is made while it notifies of the \
          same key: make it after that.
          """,
        before: """
          account.addObserver(first, …); account.addObserver(second, …)
          account.removeObserver(first, …)  // second is no longer notified
          """,
        after: """
          tokens = [account.observe(\\.balance) { … }, account.observe(\\.balance) { … }]
          """
      ),
    ]
  }
}
