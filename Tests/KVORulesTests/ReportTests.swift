import KVORules
import Testing

/// The whole text report of every firing log, in the order of ``FiringLog/all``.
@Suite("Whole reports")
struct ReportTests {
  @Test("the report of each firing log", arguments: Array(FiringLog.all.enumerated()))
  func report(number: Int, firing: FiringLog) {
    #expect(firing.log.report() == Self.reports[number])
  }

  @Test("there is a report for each firing log")
  func count() { #expect(Self.reports.count == FiringLog.all.count) }

  @Test("changes that cross are told apart: of one key, of another key, and of another object")
  func crossing() {
    func report(_ object: String, _ key: String) -> String {
      SampleLog {
        $0.will(change: "1")
        $0.will(object, key, change: "2")
        $0.did(change: "1")
        $0.did(object, key, change: "2")
        $0.exit()
      }.report()
    }
    func expected(_ other: String, _ grade: String) -> String {
      """
      WARNING: KVOSafety: the two halves of a change do not match (KVO012 unbalanced-change)
        A change of "balance" of Account#12 ended while \(other), begun later, was open, on thread 1 (main)
        > #0 Account.deposit(_:)   Account.swift:9
        Changed at, on thread 1 (main)
        > #0 Account.deposit(_:)   Account.swift:7
        Changed at, on thread 1 (main)
        > #0 Account.deposit(_:)   Account.swift:7
        Fix: bracket the change on one thread: `willChangeValue(forKey: "balance"); defer { \
      didChangeValue(forKey: "balance") }`
        Signature: 2:ee7d75555e · seen once · event 3 · \(grade)

      """
    }
    #expect(
      report("Account#12", "balance") == expected("another change of it", "error, wrong")
    )
    #expect(
      report("Account#12", "name") == expected("a change of \"name\"", "warning, none")
    )
    #expect(
      report("Account#13", "balance")
        == expected("a change of \"balance\" of Account#13", "warning, none")
    )
  }

  private static let reports = firstReports + laterReports

  private static let firstReports = [
    #"""
    WARNING: KVOSafety: observation removed twice (KVO001 double-remove)
      Screen#3 removed its observation of "balance" from Account#12 a second time, on thread 1 \#
    (main)
      > #0 Screen.deinit           Screen.swift:41
      Previously removed at, on thread 1 (main)
      > #0 Screen.close()          Screen.swift:29
      Registered at, on thread 1 (main)
      > #0 Screen.init(account:)   Screen.swift:12
      Fix: remove it in one place only, or keep a token, `token = account.observe(keyPath: \#
    "balance") { _, _ in … }`, and end it by `token?.invalidate(); token = nil`, which may be \#
    done twice
      Signature: 2:623bc7cd9d · seen once · event 4 · error, contained

    """#,
    #"""
    WARNING: KVOSafety: removal of an observation that was never made (KVO002 remove-unregistered)
      Screen#3 removed an observation of "balance" from Account#12 that was not registered, on \#
    thread 1 (main)
      > #0 Screen.close()   Screen.swift:29
      Fix: add `account.addObserver(self, forKeyPath: "balance")` on every path that leads here, \#
    or remove only what was added; a token needs no such care
      Signature: 2:40f1de4e3f · seen once · event 2 · error, contained

    """#,
    #"""
    WARNING: KVOSafety: removal under a context that was not registered (KVO003 \#
    remove-wrong-context)
      Screen#3 removed its observation of "balance" from Account#12 under context b, but it is \#
    registered under context a, on thread 1 (main)
      > #0 Screen.close()          Screen.swift:29
      Registered at, on thread 1 (main)
      > #0 Screen.init(account:)   Screen.swift:12
      Fix: pass the context of the addition: `account.removeObserver(self, forKeyPath: \#
    "balance", context: a)`
      Signature: 2:138a48fca9 · seen once · event 2 · error, contained

    """#,
    #"""
    WARNING: KVOSafety: removal without context where several match (KVO004 ambiguous-remove)
      Screen#3 removed its observation of "balance" from Account#12 without saying which: it is \#
    registered under context b and context a, and the first of these was taken, on thread 1 (main)
      > #0 Screen.close()          Screen.swift:29
      Registered at, on thread 1 (main)
      > #0 Screen.init(account:)   Screen.swift:12
      Registered at, on thread 1 (main)
      > #0 Screen.init(account:)   Screen.swift:12
      Fix: say which one, for instance `account.removeObserver(self, forKeyPath: "balance", context: \#
    b)`
      Signature: 2:d2d548f086 · seen once · event 3 · warning, wrong

    """#,
    #"""
    WARNING: KVOSafety: the same observation made twice (KVO005 duplicate-registration)
      Screen#3 observes "balance" of Account#12 twice under the same context, on thread 1 (main)
      > #0 Screen.init(account:)   Screen.swift:12
      Registered at, on thread 1 (main)
      > #0 Screen.init(account:)   Screen.swift:12
      Fix: add the observation of "balance" once (in init rather than in viewWillAppear), or \#
    remove the first one before adding again
      Signature: 2:8b1d41d6fd · seen once · event 2 · warning, wrong

    """#,
    #"""
    WARNING: KVOSafety: observation removed inside its own initial notification (KVO010 \#
    remove-during-initial)
      Screen#3 removed its observation of "balance" from Account#12 inside its own initial \#
    notification, on thread 1 (main)
      > #0 Screen.close()          Screen.swift:29
      Registered at, on thread 1 (main)
      > #0 Screen.init(account:)   Screen.swift:12
      Fix: look at balance of the Account yourself before you register, or remove after the \#
    addition has returned
      Signature: 2:9ecdb41556 · seen once · event 3 · error, contained

    """#,
    #"""
    NOTE: KVOSafety: an object observes itself (KVO020 self-observation)
      Account#12 observes its own "balance", on thread 1 (main)
      > #0 Screen.init(account:)   Screen.swift:12
      Fix: use `didSet` on balance, or make sure that nothing which Account owns holds it strongly
      Signature: 2:df6294f814 · seen once · event 1 · note, unknown

    """#,
    #"""
    WARNING: KVOSafety: key path that cannot be observed (KVO029 uncompliant-path)
      Screen#3 asked for "balanse" of Account#12, but there is no key "balanse", on thread 1 \#
    (main)
      > #0 Screen.init(account:)   Screen.swift:12
      Fix: correct "balanse", or give Account an observable property "balanse": the macro covers the \#
    properties of the class that it is attached to, and a subclass needs its own
      Signature: 2:caa44d9cc6 · seen once · event 1 · error, contained

    """#,
    #"""
    WARNING: KVOSafety: observation token dropped at once (KVO031 token-dropped)
      The token of an observation of "balance" of Account#12 was dropped before it observed \#
    anything, on thread 1 (main)
        (no stack, event 4)
      Registered at, on thread 1 (main)
      > #0 Screen.init(account:)   Screen.swift:12
      Fix: keep the token: `self.token = account.observe(keyPath: "balance") { _, _ in … }`
      Signature: 2:4aefa850db · seen once · event 4 · warning, wrong

    """#,
    #"""
    WARNING: KVOSafety: observed object deallocated while observed (KVO006 \#
    observed-deinit-while-observed)
      Account#12 was deallocated while Screen#3 observed its "balance", on thread 1 (main)
      > #0 Bank.close()            Bank.swift:8
      Registered at, on thread 1 (main)
      > #0 Screen.init(account:)   Screen.swift:12
      Fix: end the observation while the Account is alive: `account.removeObserver(self, \#
    forKeyPath: "balance")` before the last reference goes, or let Screen hold it
      Signature: 2:9ecc8bff9a · seen once · event 4 · error, contained

    """#,
    #"""
    WARNING: KVOSafety: observer deallocated while registered (KVO007 \#
    observer-deinit-while-registered)
      Screen#3 was deallocated while it observed "balance" of Account#12, on thread 1 (main)
      > #0 Screen.deinit           Screen.swift:41
      Registered at, on thread 1 (main)
      > #0 Screen.init(account:)   Screen.swift:12
      Fix: add to Screen: `deinit { account.removeObserver(self, forKeyPath: "balance") }` \#
    (`isolated deinit` in a class of an actor), or use `token = account.observe(keyPath: "balance") { _, _ in … }`, which ends by itself
      Signature: 2:c4751fda22 · seen once · event 3 · error, contained

    """#,
    #"""
    WARNING: KVOSafety: notification sent to a deallocated observer (KVO008 delivery-to-dead)
      Screen#3 was notified of "balance" of Account#12 after its deallocation had begun, on thread \#
    1 (main)
        (no stack, event 4)
      Deallocated at, on thread 1 (main)
      > #0 Screen.deinit           Screen.swift:41
      Registered at, on thread 1 (main)
      > #0 Screen.init(account:)   Screen.swift:12
      Fix: remove the observation of "balance" before Screen is let go of, on the thread that \#
    changes the Account
      Signature: 2:608a1f7fa1 · seen once · event 4 · error, contained

    """#,
    #"""
    WARNING: KVOSafety: the two halves of a change do not match (KVO012 unbalanced-change)
      A change of "balance" of Account#12 ended that had not begun, on thread 1 (main)
      > #0 Account.deposit(_:)   Account.swift:9
      Fix: bracket the change on one thread: `willChangeValue(forKey: "balance"); defer { \#
    didChangeValue(forKey: "balance") }`
      Signature: 2:ee7d75555e · seen once · event 3 · error, wrong

    """#,
    #"""
    WARNING: KVOSafety: the two halves of a change do not match (KVO012 unbalanced-change)
      A change of "balance" of Account#12 began and never ended, on thread 1 (main)
      > #0 Account.deposit(_:)   Account.swift:7
      Fix: bracket the change on one thread: `willChangeValue(forKey: "balance"); defer { \#
    didChangeValue(forKey: "balance") }`
      Signature: 2:ee7d75555e · seen once · event 2 · error, wrong

    """#,
    #"""
    WARNING: KVOSafety: the two halves of a change do not match (KVO012 unbalanced-change)
      A change of "balance" of Account#12 ended while a change of "name", begun later, was \#
    open, on thread 1 (main)
      > #0 Account.deposit(_:)   Account.swift:9
      Changed at, on thread 1 (main)
      > #0 Account.deposit(_:)   Account.swift:7
      Changed at, on thread 1 (main)
      > #0 Account.deposit(_:)   Account.swift:7
      Fix: bracket the change on one thread: `willChangeValue(forKey: "balance"); defer { \#
    didChangeValue(forKey: "balance") }`
      Signature: 2:ee7d75555e · seen once · event 3 · warning, none

    """#,
    #"""
    WARNING: KVOSafety: notification that the observer did not handle (KVO017 \#
    unhandled-notification)
      Screen#3 did not handle a notification of "balance" of Account#12, on thread 1 (main)
      > #0 Screen.observe(_:)      Screen.swift:52
      Notified at, on thread 1 (main)
      > #0 Screen.observe(_:)      Screen.swift:50
      Registered at, on thread 1 (main)
      > #0 Screen.init(account:)   Screen.swift:12
      Fix: handle it in Screen, and say so, `if keyPath == "balance" { return .handled }`, or \#
    do not register for it
      Signature: 2:25e2c26614 · seen once · event 5 · error, contained

    """#,
    #"""
    WARNING: KVOSafety: observer not notified of a change (KVO032 missed-delivery)
      Screen#4 was not notified of a change of "balance" of Account#12, on thread 1 (main)
      > #0 Account.deposit(_:)     Account.swift:9
      Changed at, on thread 1 (main)
      > #0 Account.deposit(_:)     Account.swift:7
      Registered at, on thread 1 (main)
      > #0 Screen.init(account:)   Screen.swift:12
      Fix: look at what else happened to the observers of the Account: do not add or remove one \#
    while another is notified, and do not change the class of the Account while it is observed; if \#
    none of that happened, report it to whoever maintains the runtime
      Signature: 2:ed3ab0ef32 · seen once · event 4 · error, wrong

    """#,
    #"""
    WARNING: KVOSafety: observation still live at the end of its scope (KVO021 leaked-registration)
      Screen#3 still observed "balance" of Account#12 at the end of "testBalance", on thread 1 \#
    (main)
        (no stack, event 4)
      Registered at, on thread 1 (main)
      > #0 Screen.init(account:)   Screen.swift:12
      Fix: end it where the scope ends: `token.invalidate()`, or `account.removeObserver(self, \#
    forKeyPath: "balance")`; if it is meant to live, say so with `expectedToLive: "why"`
      Signature: 2:698be4d868 · seen once · event 4 · error, leak

    """#,
  ]
}
