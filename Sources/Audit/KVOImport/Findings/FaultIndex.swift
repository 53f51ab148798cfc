import KVORules

/// Faults in words by their objects, so that the one which a sentence repeats is found without comparing all.
struct FaultIndex {
  /// What two sentences about one event have in common if both have all of it.
  private struct Key: Hashable {
    var kind: Complaint.Kind
    var code: RuleCode
    var keyPath: String?
    var observer: UInt64?
    var subject: UInt64?

    /// The key of a sentence that has all that its kind states; nil: it has not, and may repeat several others.
    init?(_ complaint: Complaint) {
      func isWhole(_ object: Operand) -> Bool { object.address != nil && !object.isAddressCut }
      let (hasObserver, hasSubject) = (isWhole(complaint.observer), isWhole(complaint.subject))
      let isComplete =
        switch complaint.kind {
        case .removal, .unhandled, .silentChange:
          complaint.keyPath != nil && hasObserver && hasSubject
        case .deallocation:
          complaint.keyPath == nil && !complaint.observer.isKnown && hasSubject
        case .deadReceiver:
          complaint.keyPath == nil && hasObserver && !complaint.subject.isKnown
        default: false
        }
      guard isComplete else { return nil }
      (kind, code, keyPath) = (complaint.kind, complaint.code, complaint.keyPath)
      (observer, subject) = (complaint.observer.address, complaint.subject.address)
    }
  }

  private var numbers: [Key: [Int]] = [:]
  /// Faults without a key.
  private var others: [Int] = []

  /// Adds the fault with this number, which is greater than those before.
  mutating func add(_ complaint: Complaint, _ number: Int) {
    if let key = Key(complaint) {
      numbers[key, default: []].append(number)
    } else {
      others.append(number)
    }
  }

  /// The numbers of the faults that `complaint` may repeat, ascending; nil: of all.
  func candidates(for complaint: Complaint) -> [Int]? {
    Key(complaint).map { ((numbers[$0] ?? []) + others).sorted() }
  }
}
