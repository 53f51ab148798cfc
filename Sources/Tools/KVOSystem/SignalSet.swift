package import Glibc

/// A set of signals of this process, which at the time has one thread.
package struct SignalSet {
  package private(set) var set = sigset_t()

  /// Makes a set of signals by their numbers.
  package init(_ numbers: [Int32]) {
    sigemptyset(&set)
    for number in numbers { sigaddset(&set, number) }
  }

  private init(set: sigset_t) { self.set = set }

  /// Blocks them, and gives what was blocked before.
  package func block() -> SignalSet {
    var previous = sigset_t()
    var set = set
    sigprocmask(SIG_BLOCK, &set, &previous)
    return SignalSet(set: previous)
  }

  /// Lets them come; those that wait come before this returns.
  package func unblock() {
    var set = set
    sigprocmask(SIG_UNBLOCK, &set, nil)
  }

  /// Makes them what is blocked.
  package func restore() {
    var set = set
    sigprocmask(SIG_SETMASK, &set, nil)
  }

  /// Takes those of the set that wait, and does nothing with them.
  package func forgetPending() {
    var set = set
    var now = timespec()
    while sigtimedwait(&set, nil, &now) > 0 {}
  }

  /// Whether a signal waits that is blocked.
  package static func isPending(_ number: Int32) -> Bool {
    var pending = sigset_t()
    sigpending(&pending)
    return sigismember(&pending, number) == 1
  }
}
