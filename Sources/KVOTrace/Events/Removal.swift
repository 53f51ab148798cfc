/// A removal by name, as `remove` and `removeEnd` describe it.
@usableFromInline
package struct Removal: Hashable, Sendable {
  // In this order the properties leave the fewest gaps.
  @usableFromInline var registrationWord: OptionalIdentifier<RegistrationTag>
  package var subject: ObjectRef
  package var keyPath: StringID
  /// The source line of the call where the compiler gave it: what is left where the program is
  /// stripped.
  package var site: StringID
  /// Nil where the removal named no observer, or nil.
  package var observer: ObjectRef?
  /// ``Context/unspecified`` for the form without a context.
  package var context: Context

  /// Whether the log says that the removal matched no registration.
  ///
  /// False where ``registration`` says what it matched, and where the log says nothing about it.
  package var isUnmatched: Bool

  /// The registration that it matched; nil: none (``isUnmatched``), or the log does not say.
  @inlinable package var registration: RegistrationID? {
    get { registrationWord.value }
    set { registrationWord.value = newValue }
  }

  package init(
    subject: ObjectRef,
    observer: ObjectRef?,
    keyPath: StringID,
    context: Context = .unspecified,
    registration: RegistrationID? = nil,
    isUnmatched: Bool = false,
    site: StringID = .none
  ) {
    self.subject = subject
    self.observer = observer
    self.keyPath = keyPath
    self.context = context
    registrationWord = OptionalIdentifier(registration)
    self.isUnmatched = isUnmatched && registration == nil
    self.site = site
  }
}

/// Who ended a registration that was not removed by name.
package enum CancelCause: String, Hashable, Sendable, CaseIterable {
  /// The program cancelled its token, or told its controller to stop.
  case user
  /// The controller, or the owner that it lives with, died.
  case owner
  /// The layer cleaned up behind an observed object that died.
  case subject
  /// The token was dropped without being invalidated.
  case token
  /// The layer cleaned up behind an observer that died.
  case observer
  /// The runtime ended what the program did not ask it to end: GNUstep 1.28 does where the same observer
  /// is added again, or removed under another context. Another runtime would not have.
  case runtime
}

/// Why an add or a removal was not carried out.
package enum RefusalReason: String, Hashable, Sendable, CaseIterable {
  case nilKeyPath
  case emptyKeyPath
  case unknownKey
  case throughCollection
  case readOnly
  case notObservable
}
