/// Why a finding is suppressed, and until when.
package struct SuppressionNote: Hashable, Sendable {
  package var reason: String
  /// The last day on which it is, `2027-01-31`.
  package var until: String
  /// The file and line of the suppression.
  package var location: String

  package init(reason: String, until: String, location: String) {
    self.reason = reason
    self.until = until
    self.location = location
  }
}
