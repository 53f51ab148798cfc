/// What the firing logs of ``FiringLog/deliveries`` and the families after it give.
extension ReportTests {
  static let laterReports = [
    #"""
    WARNING: KVOSafety: notification sent after the removal (KVO009 delivery-after-remove)
      Screen#3 was notified of "balance" of Account#12 after that observation had ended, on \#
    thread 1 (main)
        (no stack, event 6)
      Previously removed at, on thread 2
      > #0 Screen.close()          Screen.swift:29
      Registered at, on thread 1 (main)
      > #0 Screen.init(account:)   Screen.swift:12
      Fix: let the callback of "balance" look whether its owner is still open, `guard isOpen else \#
    { return }`, or end it by `token.invalidateAndWait()` before you free what it uses
      Signature: 2:620f9f65e9 · seen once · event 6 · low confidence · error, contained

    """#,
    #"""
    WARNING: KVOSafety: notification on another executor than expected (KVO023 \#
    off-executor-delivery)
      Screen#3 was notified of "balance" of Account#12 on Worker instead of MainActor, on thread 2
        (no stack, event 4)
      Registered at, on thread 1 (main)
      > #0 Screen.init(account:)   Screen.swift:12
      Fix: change balance where it is observed, let the changes come over, `token = \#
    account.observeOnMainActor(\.balance) { hopped in … }`, or register with `isolation: nil` what may be \#
    called anywhere
      Signature: 2:c51ec5aae0 · seen once · event 4 · warning, wrong

    """#,
    #"""
    WARNING: KVOSafety: notification on another executor than expected (KVO023 \#
    off-executor-delivery)
      Screen#3 was notified of "balance" of Account#12 on thread worker instead of main, on thread 2
        (no stack, event 4)
      Registered at, on thread 1 (main)
      > #0 Screen.init(account:)   Screen.swift:12
      Fix: change balance where it is observed, let the changes come over, `token = \#
    account.observeOnMainActor(\.balance) { hopped in … }`, or register with `isolation: nil` what may be \#
    called anywhere
      Signature: 2:c51ec5aae0 · seen once · event 4 · warning, wrong

    """#,
    #"""
    WARNING: KVOSafety: callback while a lock is held (KVO026 callback-under-lock)
      Screen#3 was notified of "balance" of Account#12 while its thread held lock L, on thread 1 \#
    (main)
        (no stack, event 3)
      Locked at, on thread 1 (main)
      > #0 Bank.update()           Bank.swift:15
      Registered at, on thread 1 (main)
      > #0 Screen.init(account:)   Screen.swift:12
      Fix: compute under the lock and act after it: `let new = lock.withLock { … }`, and only \#
    then change, add or remove balance
      Signature: 2:5abad0a27d · seen once · event 3 · error, hang

    """#,
    #"""
    WARNING: KVOSafety: callback while a lock is held (KVO026 callback-under-lock)
      Screen#3 began to observe "balance" of Account#12 while its thread held lock L, on \#
    thread 1 (main)
      > #0 Screen.init(account:)   Screen.swift:12
      Locked at, on thread 1 (main)
      > #0 Bank.update()           Bank.swift:15
      Fix: compute under the lock and act after it: `let new = lock.withLock { … }`, and only \#
    then change, add or remove balance
      Signature: 2:5abad0a27d · seen once · event 2 · error, hang

    """#,
    #"""
    WARNING: KVOSafety: callback while a lock is held (KVO026 callback-under-lock)
      Screen#3 removed its observation of "balance" from Account#12 while its thread held \#
    lock L, on thread 1 (main)
      > #0 Screen.close()          Screen.swift:29
      Locked at, on thread 1 (main)
      > #0 Bank.update()           Bank.swift:15
      Registered at, on thread 1 (main)
      > #0 Screen.init(account:)   Screen.swift:12
      Fix: compute under the lock and act after it: `let new = lock.withLock { … }`, and only \#
    then change, add or remove balance
      Signature: 2:5abad0a27d · seen once · event 3 · error, hang

    """#,
    #"""
    WARNING: KVOSafety: callback changes what it observes, again and again (KVO027 \#
    re-entrant-change)
      Screen#3 was notified of "balance" of Account#12 inside its own callback, 9 deep, on thread \#
    1 (main)
      > #0 Screen.observe(_:)      Screen.swift:50
      Notified at, on thread 1 (main)
      > #0 Screen.observe(_:)      Screen.swift:50
      Registered at, on thread 1 (main)
      > #0 Screen.init(account:)   Screen.swift:12
      Fix: leave the callback early when balance is as it was: register a typed handler with \#
    `options: [.old, .new]`, and begin it with `guard change.newValue != change.oldValue else { return }`
      Signature: 2:fd0c01158f · seen once · event 28 · error, crash

    """#,
    #"""
    WARNING: KVOSafety: change lost while the observation was made (KVO011 registration-race)
      Screen#3 was not notified of a change of "balance" of Account#12 that overlapped its \#
    registration, on thread 2
      > #0 Account.deposit(_:)     Account.swift:9
      Changed at, on thread 2
      > #0 Account.deposit(_:)     Account.swift:7
      Registered at, on thread 1 (main)
      > #0 Screen.init(account:)   Screen.swift:12
      Fix: register while no change of "balance" is under way: on the thread that makes the changes, \#
    and not between the two halves of one; a value that is read in the middle of a change may be the old one
      Signature: 2:3f9cf55884 · seen once · event 4 · low confidence · error, wrong

    """#,
    #"""
    WARNING: KVOSafety: notified before a change but not after it (KVO013 prior-without-after)
      Screen#3 was notified before a change of "balance" of Account#12, but not after it, on \#
    thread 1 (main)
      > #0 Account.deposit(_:)     Account.swift:9
      Changed at, on thread 1 (main)
      > #0 Account.deposit(_:)     Account.swift:7
      Registered at, on thread 1 (main)
      > #0 Screen.init(account:)   Screen.swift:12
      Fix: look at what else happened to the observers of the Account: do not add or remove one \#
    while another is notified, and do not change the class of the Account while it is observed; if \#
    none of that happened, report it to whoever maintains the runtime
      Signature: 2:fe8f2bd79d · seen once · event 5 · error, wrong

    """#,
    #"""
    WARNING: KVOSafety: observed value changed without a notification (KVO014 \#
    mutation-without-notification)
      "balance" of Account#12 was another value than before, without a change in between, on \#
    thread 1 (main)
      > #0 Account.reset()         Account.swift:31
      Seen before at, on thread 1 (main)
      > #0 Account.reset()         Account.swift:30
      Registered at, on thread 1 (main)
      > #0 Screen.init(account:)   Screen.swift:12
      Fix: set balance through its accessor, or bracket the write: `willChangeValue(forKey: \#
    "balance"); defer { didChangeValue(forKey: "balance") }`
      Signature: 2:feca4c416b · seen once · event 3 · error, wrong

    """#,
    #"""
    WARNING: KVOSafety: observed value changed without a notification (KVO014 \#
    mutation-without-notification)
      "owner.name" of Account#12, observed by Screen#3, led through Person#5, and Person#6 \#
    was found in its place, without a change in between, on thread 1 (main)
        (no stack, event 5)
      Registered at, on thread 1 (main)
      > #0 Screen.init(account:)   Screen.swift:12
      Fix: set owner.name through its accessor, or bracket the write: \#
    `willChangeValue(forKey: "…"); defer { didChangeValue(forKey: "…") }`
      Signature: 2:6d3f30d859 · seen once · event 5 · error, wrong

    """#,
    #"""
    WARNING: KVOSafety: object in the middle of a key path was deallocated (KVO015 \#
    deep-path-intermediate-death)
      Person#5 was deallocated while "owner.name" of Account#12, observed by Screen#3, led \#
    through it, on thread 1 (main)
      > #0 Bank.close()            Bank.swift:8
      Registered at, on thread 1 (main)
      > #0 Screen.init(account:)   Screen.swift:12
      Fix: hold the objects along "owner.name" strongly, or replace one only between the \#
    willChangeValue and the didChangeValue of its key
      Signature: 2:6c17a4d99a · seen once · event 3 · error, contained

    """#,
    #"""
    WARNING: KVOSafety: weak link of a key path became nil unnoticed (KVO016 \#
    weak-link-silently-nil)
      Person#5, held weakly, was deallocated: "owner.name" of Account#12, observed by \#
    Screen#3, became nil without a notification, on thread 1 (main)
      > #0 Bank.close()            Bank.swift:8
      Registered at, on thread 1 (main)
      > #0 Screen.init(account:)   Screen.swift:12
      Fix: set the weak link of "owner.name" to nil before its object is deallocated, through the \#
    accessor that notifies, or hold it strongly
      Signature: 2:6c28ff442d · seen once · event 3 · warning, wrong

    """#,
    #"""
    WARNING: KVOSafety: one value changed on two threads at once (KVO024 concurrent-change)
      "balance" of Account#12 was changed while another thread changed it too, on thread 2
      > #0 Account.deposit(_:)   Account.swift:7
      Changed at, on thread 1 (main)
      > #0 Account.deposit(_:)   Account.swift:7
      Fix: change balance on one actor or queue, such as the main actor
      Signature: 2:b6efaa3a2e · seen once · event 2 · error, contained

    """#,
    #"""
    WARNING: KVOSafety: one value changed on two threads at once (KVO024 concurrent-change)
      "tax" of Account#12 was changed while another thread changed "gross", and both affect \#
    the value of one key, on thread 2
      > #0 Account.deposit(_:)   Account.swift:7
      Changed at, on thread 1 (main)
      > #0 Account.deposit(_:)   Account.swift:7
      Fix: change tax on one actor or queue, such as the main actor
      Signature: 2:eb6b6b8ddd · seen once · event 3 · low confidence · error, contained

    """#,
    #"""
    WARNING: KVOSafety: observation removed on two threads at once (KVO025 concurrent-removal)
      Screen#3 removed its observation of "balance" from Account#12 while another thread did \#
    so too, on thread 2
      > #0 Screen.close()          Screen.swift:29
      Previously removed at, on thread 1 (main)
      > #0 Screen.close()          Screen.swift:29
      Registered at, on thread 1 (main)
      > #0 Screen.init(account:)   Screen.swift:12
      It leads to
        Screen#3 removed its observation of "balance" from Account#12 a second time, on \#
    thread 2 (KVO001 double-remove, 2:9d05413e27, seen once)
      Fix: remove the observation of "balance" on one thread, or through one token: \#
    `token.invalidate()` may be called twice, and at once
      Signature: 2:d0e3c54726 · seen once · event 3 · error, contained

    """#,
    #"""
    WARNING: KVOSafety: observation removed on two threads at once (KVO025 concurrent-removal)
      Screen#3 removed its observation of "balance" from Account#12 while another thread \#
    deallocated the object, on thread 2
      > #0 Screen.close()          Screen.swift:29
      Deallocated at, on thread 1 (main)
      > #0 Bank.close()            Bank.swift:8
      Registered at, on thread 1 (main)
      > #0 Screen.init(account:)   Screen.swift:12
      Fix: end the observation of "balance" before the last reference to the Account goes, on \#
    the thread that lets it go, or let the code that ends it hold the Account
      Signature: 2:d0e3c54726 · seen once · event 3 · low confidence · error, contained

    """#,
    #"""
    WARNING: KVOSafety: observation removed on two threads at once (KVO025 concurrent-removal)
      Screen#3 removed its observation of "balance" from Account#12 while another thread \#
    deallocated the object, on thread 2
      > #0 Screen.close()          Screen.swift:29
      Deallocated at, on thread 1 (main)
      > #0 Bank.close()            Bank.swift:8
      Registered at, on thread 1 (main)
      > #0 Screen.init(account:)   Screen.swift:12
      Fix: end the observation of "balance" before the last reference to the Account goes, on \#
    the thread that lets it go, or let the code that ends it hold the Account
      Signature: 2:d0e3c54726 · seen once · event 2 · low confidence · error, contained

    """#,
    #"""
    WARNING: KVOSafety: class of an observed object was changed (KVO030 \#
    class-changed-under-observation)
      Screen#3 removed its observation of "balance" from Account#12 after its class had \#
    changed from Account to Account_Aspects, on thread 1 (main)
      > #0 Screen.close()          Screen.swift:29
      Changed at, on thread 1 (main)
      > #0 swizzle(_:)             Aspects.swift:4
      Registered at, on thread 1 (main)
      > #0 Screen.init(account:)   Screen.swift:12
      Fix: find what changes the class of the Account while it is observed, a call of \#
    object_setClass() or a library that replaces methods of single objects: let it do that before \#
    the first observer is added, or remove all observers before it and add them again after it
      Signature: 2:48dba7f4a2 · seen once · event 4 · error, contained

    """#,
    #"""
    WARNING: KVOSafety: observed from two call sites under one context (KVO018 context-collision)
      Screen#3 observes "balance" of Account#12 from two call sites under the NULL context, on \#
    thread 1 (main)
      > #0 Screen.init(account:)   Screen.swift:12
      Registered at, on thread 1 (main)
      > #0 Base.init()             Base.swift:9
      Fix: give each class its own context: `static let ownContext = ObservationContext()`
      Signature: 2:89c795ae3b · seen once · event 2 · warning, wrong

    """#,
    #"""
    WARNING: KVOSafety: an observation keeps its owner alive (KVO019 observation-retain-cycle)
      Screen#3 is kept alive by its own observation of "balance" of Account#12, on thread 1 (main)
      > #0 (call)                  Screen.swift:14
      Registered at, on thread 1 (main)
      > #0 Screen.init(account:)   Screen.swift:12
      The cycle
        Screen#3
          ↓ token
        Token#9
          ↓ handler
        handler#10
          ↓ capture of self
            ~~~~~~~~~~~~~~~ make this weak
        Screen#3
      Fix: capture weakly: `account.observe(keyPath: "balance") { [weak self] _, _ in … }`
      Signature: 2:ac57797d21 · seen once · event 6 · error, leak

    """#,
    #"""
    WARNING: KVOSafety: an observation keeps its owner alive (KVO019 observation-retain-cycle)
      Screen#3 is kept alive by an observation of its own, on thread 1 (main)
        (no stack, event 2)
      The cycle
        Screen#3
          ↓ controller
        Controller#4
          ↓ observed
            ~~~~~~~~ make this weak
        Screen#3
      Fix: make the reference "observed" of Controller to Screen weak, or drop it when the \#
    observation is no longer needed
      Signature: 2:57654628fd · seen once · event 2 · error, leak

    """#,
    #"""
    NOTE: KVOSafety: keys that depend on each other in a cycle (KVO028 dependency-cycle)
      "gross" of Account is affected by "net", which is affected by "gross"
        (no stack, event 2)
      Fix: let gross depend on stored keys only
      Signature: 2:1a7eb4c91b · seen once · event 2 · note, none

    """#,
    #"""
    WARNING: KVOSafety: more observations live after each run (KVO022 registration-growth)
      Each of 3 runs of "open page" ended with more observations of "title" of Page by Screen \#
    than the one before: 1, 2, 3
        (no stack, event 9)
      Registered at, on thread 1 (main)
      > #0 Screen.init(account:)   Screen.swift:12
      Fix: end what each run adds: `token = page.observe(keyPath: "title") { _, _ in … }` \#
    replaces the one before; or add it once, before the first run
      Signature: 2:bbee9b102a · seen once · event 9 · warning, leak

    """#,
    #"""
    WARNING: KVOSafety: observation under another context displaced (KVO038 displaced-registration)
      Screen#3 began to observe "balance" of Account#12 under context b, and the runtime let go of \#
    its observation under context a, on thread 1 (main)
      > #0 Screen.appear()         Screen.swift:20
      Registered at, on thread 1 (main)
      > #0 Screen.init(account:)   Screen.swift:12
      Fix: let two observers observe "balance", one for each context: GNUstep 1.28 keeps one \#
    observation of an observer and a key path
      Signature: 2:4baf1facb1 · seen once · event 3 · warning, none

    """#,
    #"""
    WARNING: KVOSafety: exception left a callback (KVO039 callback-raised)
      The exception Brittle left the callback that notified Screen#3 of "balance" of Account#12, on \#
    thread 1 (main)
      > #0 Screen.told()           Screen.swift:30
      Registered at, on thread 1 (main)
      > #0 Screen.init(account:)   Screen.swift:12
      Fix: catch the exception inside `-observeValueForKeyPath:ofObject:change:context:` of Screen
      Signature: 2:142ac95b9e · seen once · event 5 · warning, unknown

    """#,
    #"""
    NOTE: KVOSafety: dependent keys that the runtime ignores (KVO040 ignored-dependency)
      "balance" of Account is observed, and the runtime does not ask the class which keys it depends \#
    on: no observer is notified when those change
        (no stack, event 2)
      Fix: say it also as GNUstep 1.28 reads it, in `+initialize` of Account: `[self setKeys:[[self \#
    keyPathsForValuesAffectingValueForKey:@"balance"] allObjects] \#
    triggerChangeNotificationsForDependentKey:@"balance"];`
      Signature: 2:2036e38616 · seen once · event 2 · note, none

    """#,
    #"""
    WARNING: KVOSafety: task waits for a sequence that nobody can continue (KVO041 parked-consumer)
      A task waited for "prices" at the end of "open", and whatever could resume it had been released
      > #0 show()   Feed.swift:12
      Fix: finish the continuation before it is released, for example in the deinit of the object \#
    that owns it; or cancel the task where the scope ends
      Signature: 2:e215ee615b · seen once · event 3 · error, leak

    """#,
    #"""
    WARNING: KVOSafety: every run leaves more tasks that wait (KVO042 consumer-growth)
      Each of 3 runs of "open" ended with more tasks that wait for "prices" than the one before: 1, 2, 3
      > #0 show()   Feed.swift:12
      Fix: cancel the task of the run before, or bind its loop to what the run ends
      Signature: 2:2ce639b8ac · seen once · event 12 · warning, leak

    """#,
    #"""
    WARNING: KVOSafety: continuation was never resumed (KVO043 continuation-dropped)
      The continuation "reply" was released without being resumed: its task waits for ever
      > #0 show()   Feed.swift:12
      Fix: resume the continuation on every path, also on those that fail or are cancelled
      Signature: 2:ee6eddd3ac · seen once · event 2 · error, hang

    """#,
    #"""
    WARNING: KVOSafety: continuation was resumed twice (KVO044 continuation-resumed-twice)
      The continuation "reply" was resumed a second time, on thread 1 (main)
      > #0 Client.close()     Client.swift:41
      Previously resumed at, on thread 1 (main)
      > #0 Client.receive()   Client.swift:30
      Fix: resume the continuation once: remove it from where it is kept before it is resumed
      Signature: 2:19ba9adc2f · seen once · event 3 · error, contained

    """#,
  ]
}
