extension RuleCatalogue {
  /// KVO009, KVO010, KVO017, KVO023 and KVO026: callbacks.
  static var deliveries: [Entry] {
    [
      rule(
        .deliveryAfterRemove,
        "delivery-after-remove",
        "notification sent after the removal",
        .error,
        Consequences(.contained, .wrong, .crash, .unknown, .none),
        hint: """
          let the callback of "{keyPath}" look whether its owner is still open, `guard isOpen else { \
          return }`, or end it by `token.invalidateAndWait()` before you free what it uses
          """,
        happened: "A callback was begun after the removal of its registration had returned.",
        matters: "The callback finds what its owner has already torn down.",
        fix: "Let the callback check that its owner is still open.",
        before: """
          account.removeObserver(self, forKeyPath: "balance"); buffer.deallocate()
          """,
        after: """
          token.invalidateAndWait(); buffer.deallocate()
          """
      ),
      rule(
        .removeDuringInitial,
        "remove-during-initial",
        "observation removed inside its own initial notification",
        .error,
        isLive: true,
        Consequences(.contained, .crash, .crash, .unknown, .unknown),
        hint: """
          look at {keyPath} of the {Subject} yourself before you register, or remove after the addition \
          has returned
          """,
        happened: """
          The callback with the initial value removed the registration that was still being made, by name. A \
          token, a controller or a stream may be ended there.
          """,
        matters: "Apple's runtimes crash in the addition when it goes on.",
        fix: "Read the value first, and observe only if it is not there yet.",
        before: """
          account.addObserver(self, forKeyPath: "owner", options: .initial)  // removes itself
          """,
        after: """
          if account.owner == nil { account.addObserver(self, forKeyPath: "owner") }
          """
      ),
      rule(
        .unhandledNotification,
        "unhandled-notification",
        "notification that the observer did not handle",
        .error,
        isLive: true,
        Consequences(.contained, .crash, .crash, .crash, .crash),
        hint: """
          handle it in {observer}, and say so, `if keyPath == "{keyPath}" { return .handled }`, or do not \
          register for it
          """,
        happened: """
          An observer was notified of a change and said that the notification was not its own.
          """,
        matters: """
          The root class's implementation raises an exception, on Apple's runtimes and on GNUstep.
          """,
        fix: "Compare with the context that was registered, and pass on only what is not yours.",
        before: """
          if context == Self.nameContext { … }  // registered with balanceContext
          """,
        after: """
          if context == Self.balanceContext { … }
          """
      ),
      rule(
        .offExecutorDelivery,
        "off-executor-delivery",
        "notification on another executor than expected",
        .warning,
        isLive: true,
        .everywhere(.wrong),
        hint: """
          change {keyPath} where it is observed, let the changes come over, `token = \
          {subject}.observeOnMainActor(\\.{key}) { hopped in … }`, or register with `isolation: nil` what \
          may be called anywhere
          """,
        happened: """
          A callback ran on another actor, queue or thread than its registration expected.
          """,
        matters: "User interfaces break, and unsynchronized state is read and written at once.",
        fix: """
          Change the value where it is observed, observe with `observeOnMainActor` or `observe(_:on:)`, or \
          register a handler that may run anywhere with `isolation: nil`. A task that the handler starts comes too \
          late: the handler itself was called elsewhere.
          """,
        before: """
          queue.async { account.balance = 1 }   // observed by a screen
          """,
        after: """
          await MainActor.run { account.balance = 1 }
          """
      ),
      rule(
        .callbackUnderLock,
        "callback-under-lock",
        "callback while a lock is held",
        .error,
        isLive: true,
        .everywhere(.hang),
        hint: """
          compute under the lock and act after it: `let new = lock.withLock { … }`, and only then change, \
          add or remove {keyPath}
          """,
        happened: """
          A callback, an addition or a removal ran between the lock and the unlock of one thread. Only locks \
          that are reported to the log are seen: by `KVO.note(lock:)`, by a `NotedMutex`, or by another writer. The running program reports it while it is \
          recorded, or in an audited test.
          """,
        matters: "The callback may wait for the same lock: a freeze in the field.",
        fix: "Collect under the lock, act after it.",
        before: """
          lock.withLock { account.balance = 1 }
          """,
        after: """
          let new = lock.withLock { compute() }
          account.balance = new
          """
      ),
    ]
  }
}
