import Foundation
import KVOSafety

/// A fault that an example suite commits, or its correct twin.
///
/// The environment says which, so that one suite shows every fault, each in a process of its own.
package enum SuiteFault: String, CaseIterable, Sendable {
  /// An observer is removed twice (KVO001).
  case doubleRemoval
  /// An observer is deallocated while it is registered (KVO007).
  case forgottenRemoval
  /// A screen is kept alive by its own observation (KVO019), which outlives the test (KVO021).
  case strongCapture
  /// An observation outlives the test (KVO021).
  case leak
  /// An observer is called while a lock is held (KVO026).
  case callbackUnderLock

  /// Names the fault that the process commits; without it, each suite runs the correct twins.
  package static let variable = "KVO_SAFETY_SUITE_FAULT"
  /// Names the file that live reports are appended to.
  package static let liveVariable = "KVO_SAFETY_SUITE_LIVE"

  /// Commits the fault that the environment names, or runs every correct twin.
  package static func commitCurrent() {
    collectLiveReports()
    let environment = ProcessInfo.processInfo.environment
    if let fault = environment[variable].flatMap(SuiteFault.init) { return fault.commit() }
    for fault in allCases { fault.avoid() }
  }

  /// Appends live reports to the file that the environment names, instead of suppressing them in a test.
  static func collectLiveReports() {
    guard let path = ProcessInfo.processInfo.environment[liveVariable] else { return }
    KVO.policy.setAll(
      .call { violation in
        guard let file = fopen(path, "a") else { fatalError("cannot write \(path)") }
        fputs(violation.report, file)
        fclose(file)
      }
    )
  }

  /// Commits the fault.
  package func commit() {
    let (account, screen) = (Account(), Screen())
    switch self {
    case .doubleRemoval:
      account.addObserver(screen, forKeyPath: "balance")
      account.removeObserver(screen, forKeyPath: "balance")
      account.removeObserver(screen, forKeyPath: "balance")
    case .forgottenRemoval:
      account.addObserver(Screen(), forKeyPath: "balance")
      account.balance = 1
    case .strongCapture:
      screen.account = account
      screen.token = account.observe(\.balance) { _, _ in screen.count += 1 }
    case .leak:
      account.addObserver(screen, forKeyPath: "balance")
      Kept.add(account, screen)
    case .callbackUnderLock:
      account.addObserver(screen, forKeyPath: "balance")
      NotedMutex(0, name: "cache").withLock {
        $0 = 1; account.balance = 1
      }
      account.removeObserver(screen, forKeyPath: "balance")
    }
  }

  private func avoid() {
    let (account, screen) = (Account(), Screen())
    switch self {
    case .doubleRemoval, .forgottenRemoval:
      account.addObserver(screen, forKeyPath: "balance")
      account.balance = 1
      account.removeObserver(screen, forKeyPath: "balance")
    case .strongCapture:
      screen.account = account
      screen.token = account.observe(\.balance) { [weak screen] _, _ in screen?.count += 1 }
      account.balance = 1
    case .leak:
      account.addObserver(screen, forKeyPath: "balance")
      account.removeObserver(screen, forKeyPath: "balance")
      Kept.add(account, screen)
    case .callbackUnderLock:
      account.addObserver(screen, forKeyPath: "balance")
      NotedMutex(0, name: "cache").withLock { $0 = 1 }
      account.balance = 1
      account.removeObserver(screen, forKeyPath: "balance")
    }
  }
}
