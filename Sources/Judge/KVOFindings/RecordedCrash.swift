package import KVORules

/// The crash that a log ends with, with frames symbolicated as far as possible.
///
/// A crash is not a violation by itself: it is reported beside the findings, which may explain it.
package struct RecordedCrash: Hashable, Sendable {
  /// The signal's name (`SIGSEGV`), or the exception's.
  package var name: String
  /// The message of the process or the system about it, or nil.
  package var reason: String?
  /// How many registrations were live; nil if that is not known.
  package var liveCount: Int?
  /// The stack of the crashing thread.
  package var stack: Finding.Stack
  /// The index of the input that it is from.
  package var input: Int
  /// How many findings there are in the process that crashed; nil: a report of an earlier version does not say it.
  package var findingCount: Int?

  package init(
    name: String,
    reason: String?,
    liveCount: Int?,
    stack: Finding.Stack,
    input: Int = 0
  ) {
    self.name = name
    self.reason = reason
    self.liveCount = liveCount
    self.stack = stack
    self.input = input
  }

  /// The crash, its message and its location, a phrase each.
  package var phrases: [String] { [name, reason, stack.threadPhrase].compactMap(\.self) }
}
