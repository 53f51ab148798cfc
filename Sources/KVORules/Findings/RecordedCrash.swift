/// The crash that a log ends with, with frames named as far as they can be.
///
/// A crash is no violation by itself: it is told beside the findings, which may explain it.
package struct RecordedCrash: Hashable, Sendable {
  /// The signal's name (`SIGSEGV`), or the exception's.
  package var name: String
  /// What the process or the system said of it; nil: nothing.
  package var reason: String?
  /// How many registrations were live; nil where that could not be told.
  package var liveCount: Int?
  /// Where it was, in the crashing thread.
  package var stack: Finding.Stack
  /// The index of the input that it is from.
  package var input: Int

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

  /// What it was, what was said of it and where, a phrase each.
  package var phrases: [String] { [name, reason, stack.threadPhrase].compactMap(\.self) }
}
