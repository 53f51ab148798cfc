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

/// The effect of a finding on the program under one profile.
package enum Consequence: String, Hashable, Sendable, CaseIterable {
  /// The library contains the fault and the program continues.
  case contained
  case crash
  /// The program continues with wrong values or notifications.
  case wrong
  case leak
  case hang
  /// The runtime tolerates it.
  case none
  /// It has not been measured.
  case unknown
}

/// Whether the evidence is unambiguous.
package enum Confidence: String, Hashable, Sendable, CaseIterable {
  case high
  case low
}

/// The runtime that a log is judged as.
///
/// The raw values are the names on the command line.
package enum Profile: String, Hashable, Sendable, CaseIterable {
  /// This library.
  case swift
  /// iOS 11, macOS 10.13 and later.
  case appleModern = "apple-modern"
  case appleLegacy = "apple-legacy"
  case gnustep128 = "gnustep-1.28"
  /// GNUstep base 1.31 and later.
  case gnustepModern = "gnustep-modern"
}
