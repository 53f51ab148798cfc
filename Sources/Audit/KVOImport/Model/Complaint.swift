import KVORules

/// The content of one sentence of a runtime, or the fault that a stack shows by itself.
struct Complaint: Sendable {
  /// One line of a list of registrations.
  struct Observance: Hashable, Sendable {
    var observer = Operand()
    var keyPath: String?
    /// As the runtime lists them: `New: YES, Old: NO, Prior: NO`.
    var options: String?
    var context: String?
  }

  /// The kind of the sentence.
  ///
  /// Rules may share a kind, and a kind may be one rule or another.
  enum Kind: Hashable, Sendable {
    case removal
    case deallocation
    case unhandled
    /// A notification came to the memory of a deallocated observer; a zombie still has the observer's class.
    case deadReceiver(isZombie: Bool)
    /// A value changed without a notification; found while removing, or while notifying.
    case silentChange(whileRemoving: Bool)
    case undefinedKey
    case unsupportedCollection
    case uncompliantObject
    case classPair
    /// The notice that a setter is not replaced, because of its return or argument types.
    case setterNotice(returnsValue: Bool)
    case keyPathTrap
    case notObservable
    case missingRemovalMethod
    /// No sentence: the top of the stack of a crash.
    case deliveryOnTop
    case registrationOnTop
    case deallocationOnTop
    case classPairOnTop
    /// No sentence: a callback that is in the stack again and again until it is full.
    case recursionInStack

    /// Whether the stack of a crash shows it, without words.
    var isOnTop: Bool {
      switch self {
      case .deliveryOnTop, .registrationOnTop, .deallocationOnTop, .classPairOnTop,
        .recursionInStack:
        true
      default: false
      }
    }
  }

  var kind: Kind
  var code: RuleCode
  var observer = Operand()
  var subject = Operand()
  var keyPath: String?
  var context: String?
  /// The key that is wrong, if it is a part of the key path.
  var part: String?
  var observances: [Observance] = []
  var confidence = Confidence.high
  /// Where in the text it begins and ends.
  var range: Range<Int>
  /// The family of runtimes with this wording.
  var runtime = Runtime.apple
  /// Whether the words alone prove that an exception was raised.
  var isException = true

  enum Runtime: Sendable {
    case apple
    case gnustep
  }

  /// Whether nothing failed yet: the runtime says what will not work from now on.
  var isNotice: Bool {
    switch kind {
    case .classPair, .setterNotice: true
    default: false
    }
  }

  /// Whether both report one event, printed twice.
  func isSame(as other: Complaint) -> Bool {
    guard kind == other.kind, code == other.code else { return false }
    if let keyPath, let otherPath = other.keyPath, keyPath != otherPath { return false }
    return observer.agrees(with: other.observer) && subject.agrees(with: other.subject)
  }

  /// Whether ``isSame(as:)`` answers alike for both.
  func hasWords(of other: Complaint) -> Bool {
    kind == other.kind && code == other.code && keyPath == other.keyPath
      && observer == other.observer && subject == other.subject
  }

  /// Adds the information that only the second printing of the same event has.
  mutating func complete(from other: Complaint) {
    observer.complete(from: other.observer)
    subject.complete(from: other.subject)
    keyPath = keyPath ?? other.keyPath
    context = context ?? other.context
    let isPoorer =
      !observances.contains(where: \.observer.isKnown)
      && other.observances.contains(where: \.observer.isKnown)
    if isPoorer || observances.count < other.observances.count { observances = other.observances }
    if other.confidence == .high { confidence = .high }
    isException = isException || other.isException
  }
}
