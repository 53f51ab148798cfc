extension RuleCatalogue {
  /// KVO001 to KVO004 and KVO025: removals.
  static var removals: [Entry] {
    [
      rule(
        .doubleRemove,
        "double-remove",
        "observation removed twice",
        .error,
        isLive: true,
        Consequences(.contained, .crash, .crash, .none, .crash),
        hint: """
          remove it in one place only, or keep a token, \
          `token = {subject}.observe(keyPath: "{keyPath}") { _, _ in … }`, and end it by \
          `token?.invalidate(); token = nil`, which may be done twice
          """,
        happened: """
          A removal matched nothing, because the same observation of the same object and key path \
          had been removed before and was not made again in between.
          """,
        matters: """
          Apple's runtimes and GNUstep since 1.31 raise an exception, which is usually not caught. \
          GNUstep 1.28 takes it in silence. This library swallows the removal and reports it.
          """,
        fix: """
          Let one place own the observation. Two callbacks that both clean up \
          (viewDidDisappear and deinit) are the usual cause: a token that is set to nil ends it once.
          """,
        before: """
          func viewDidDisappear() { account.removeObserver(self, forKeyPath: "balance") }
          deinit { account.removeObserver(self, forKeyPath: "balance") }
          """,
        after: """
          func viewDidDisappear() { token?.invalidate(); token = nil }
          // deinit: nothing to do, the token is released with its owner
          """
      ),
      rule(
        .removeUnregistered,
        "remove-unregistered",
        "removal of an observation that was never made",
        .error,
        isLive: true,
        Consequences(.contained, .crash, .crash, .none, .crash),
        hint: """
          add `{subject}.addObserver(self, forKeyPath: "{keyPath}")` on every path that leads \
          here, or remove only what was added; a token needs no such care
          """,
        happened: "A removal matched nothing, and nothing of the kind had ever been registered.",
        matters: """
          Apple's runtimes and GNUstep since 1.31 raise an exception; GNUstep 1.28 takes it in \
          silence. Something that should have been observed was not.
          """,
        fix: """
          Look for an early return before the addition, a changed key path, or an object that was \
          replaced after the addition: the removal then goes to the new one.
          """,
        before: """
          init(account: Account?) { account?.addObserver(self, forKeyPath: "balance") }
          deinit { Account.current.removeObserver(self, forKeyPath: "balance") }
          """,
        after: """
          init(account: Account?) { token = account?.observe(\\.balance) { … } }
          // the token belongs to the object that it observes
          """
      ),
      rule(
        .removeWrongContext,
        "remove-wrong-context",
        "removal under a context that was not registered",
        .error,
        isLive: true,
        Consequences(.contained, .crash, .crash, .crash, .crash),
        hint: """
          pass the context of the addition: \
          `{subject}.removeObserver(self, forKeyPath: "{keyPath}", context: {context})`
          """,
        happened: """
          A removal named a context under which the pair was never registered, while the same \
          observer observes the same key path under another.
          """,
        matters: """
          Apple's runtimes raise an exception; GNUstep 1.28 has no method with a context at all. \
          The observation that was meant stays, and outlives its observer.
          """,
        fix: "Use one constant for the addition and the removal.",
        before: """
          account.addObserver(self, forKeyPath: "balance", context: Self.balanceContext)
          account.removeObserver(self, forKeyPath: "balance", context: nil)
          """,
        after: """
          account.addObserver(self, forKeyPath: "balance", context: Self.balanceContext)
          account.removeObserver(self, forKeyPath: "balance", context: Self.balanceContext)
          """
      ),
      rule(
        .ambiguousRemove,
        "ambiguous-remove",
        "removal without context where several match",
        .warning,
        isLive: true,
        Consequences(.wrong, .wrong, .wrong, .unknown, .unknown),
        hint: """
          say which one, for instance \
          `{subject}.removeObserver(self, forKeyPath: "{keyPath}", context: {context})`
          """,
        happened: """
          A removal without a context found several registrations of the pair under different \
          contexts, and took the newest.
          """,
        matters: """
          Apple's header says that the runtime has to guess. Where a superclass observes the same \
          key path, a subclass may take the wrong one away.
          """,
        fix: "Use the form with a context wherever a class may have subclasses.",
        before: """
          account.removeObserver(self, forKeyPath: "balance")
          """,
        after: """
          account.removeObserver(self, forKeyPath: "balance", context: Self.balanceContext)
          """
      ),
      rule(
        .concurrentRemoval,
        "concurrent-removal",
        "observation removed on two threads at once",
        .error,
        Consequences(.contained, .crash, .crash, .unknown, .unknown),
        hint: """
          remove the observation of "{keyPath}" on one thread, or through one token: \
          `token.invalidate()` may be called twice, and at once
          """,
        happened: """
          Two removals of one registration overlapped on different threads, or one overlapped the \
          deallocation of the observed object.
          """,
        matters: "Apple's runtimes crash in their own tables, far from the code that did it.",
        fix: "Give the registration one owner, or use a token: its end is idempotent and atomic.",
        before: """
          queue.async { account.removeObserver(self, forKeyPath: "balance") }  // and in deinit
          """,
        after: """
          queue.async { token.invalidate() }  // any number of times, on any thread
          """
      ),
    ]
  }
}
