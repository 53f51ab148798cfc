/// How bad a finding is, in ascending order.
package enum Severity: String, Hashable, Sendable, CaseIterable, Comparable {
  case note
  case warning
  case error

  package static func < (left: Severity, right: Severity) -> Bool {
    left.rank < right.rank
  }

  /// One step lower, as for a finding without a consequence; a note stays a note.
  package var lowered: Severity { self == .error ? .warning : .note }

  private var rank: Int {
    switch self {
    case .note: 0
    case .warning: 1
    case .error: 2
    }
  }
}

/// What a finding does to the program under one profile.
package enum Consequence: String, Hashable, Sendable, CaseIterable {
  /// The layer took the fault and the program runs on.
  case contained
  case crash
  /// The program runs on with values or notifications that are wrong.
  case wrong
  case leak
  case hang
  /// The runtime takes it without harm.
  case none
  /// Nobody has measured it.
  case unknown
}

/// Whether the evidence allows one reading or two.
package enum Confidence: String, Hashable, Sendable, CaseIterable {
  case high
  case low
}

/// The runtime that a log is judged as.
///
/// The raw values are the names on the command line.
package enum Profile: String, Hashable, Sendable, CaseIterable {
  /// This layer.
  case swift
  /// iOS 11, macOS 10.13 and later.
  case appleModern = "apple-modern"
  case appleLegacy = "apple-legacy"
  case gnustep128 = "gnustep-1.28"
  /// GNUstep base 1.31 and later.
  case gnustepModern = "gnustep-modern"
}
