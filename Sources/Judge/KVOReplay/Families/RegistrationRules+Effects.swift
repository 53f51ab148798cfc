import KVORules
import KVOTrace

// What additions and removals did, for the other families.
extension RegistrationRules {
  /// The effect of an addition.
  struct Added: Sendable {
    var slot: Int
    /// The slot of the registration that it replaced, which ended; -1: none.
    var displaced: Int
    /// The observed object in the ledger.
    var subject: Int
    /// Whether the registration's number is from the log.
    var isNumbered: Bool
  }

  /// The effect of a removal.
  struct Removed: Sendable {
    /// The slot of the registration that it ended; -1: none.
    var slot: Int
    /// The observed object in the ledger.
    var subject: Int
    var matching: SubjectLedger.Matching
    /// The slots of those that it may have ended instead, and its own; empty: there are none.
    var doubtful: [Int]
    /// The slots of equal registrations, its own included, any of which it may have ended; empty: there are none.
    var copies: [Int]
    /// How many verdicts there were before it.
    var firstVerdict: Int
  }
}
