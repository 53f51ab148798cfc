import Foundation

/// How much of a test that gains by repetition is run.
///
/// `make test` runs the short form, and `make long-forms`, a part of `make check`, ten times as much:
/// `KVO_SAFETY_ROUNDS=10`.
package enum Rounds {
  private static let factor = max(1, Int(setting ?? "") ?? 1)
  private static let setting = ProcessInfo.processInfo.environment["KVO_SAFETY_ROUNDS"]

  /// Whether this is the long form.
  package static var areMany: Bool { factor >= 10 }

  /// Whether a case belongs to this form: each does to the long one, and every `step`th to the short one.
  package static func includes(_ index: Int, every step: Int) -> Bool {
    areMany || index % step == 0
  }

  /// `short` in the short form, and `KVO_SAFETY_ROUNDS` times as much in a longer one.
  package static func count(_ short: Int) -> Int { short * factor }
}
