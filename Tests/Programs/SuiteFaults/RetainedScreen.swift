import Foundation
import KVOSafety

/// A screen that tests assert to be released, in the state that the environment names.
///
/// One suite shows every state, each in a process of its own.
package enum RetainedScreen: String, CaseIterable, Sendable {
  /// Nothing keeps it.
  case released
  /// Its own observation keeps it (KVO019).
  case observing
  /// A closure that observes nothing keeps it, which breaks no rule.
  case handling
  /// Both do.
  case both

  /// Names the state; without it, the screen is released.
  package static let variable = "KVO_SAFETY_SUITE_RETAINED"

  /// The class of the screens.
  package static let type: AnyObject.Type = Screen.self

  /// A screen in the state that the environment names.
  package static func open(otherwise state: RetainedScreen = .released) -> AnyObject {
    SuiteFault.collectLiveReports()
    let name = ProcessInfo.processInfo.environment[variable]
    return (name.flatMap(RetainedScreen.init) ?? state).open()
  }

  private func open() -> AnyObject {
    let screen = Screen()
    let account = Account()
    screen.account = account
    switch self {
    case .observing, .both:
      screen.token = account.observe(\.balance) { _, _ in screen.count += 1 }
    case .released, .handling:
      screen.token = account.observe(\.balance) { [weak screen] _, _ in screen?.count += 1 }
    }
    if self == .handling || self == .both { screen.handler = { screen.count += 1 } }
    return screen
  }

  /// Breaks every cycle that keeps `screen`.
  package static func close(_ screen: AnyObject) {
    guard let screen = screen as? Screen else { return }
    screen.token?.invalidate()
    screen.token = nil
    screen.handler = nil
  }
}
