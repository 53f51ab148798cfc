/// A removal by name, as `remove` and `removeEnd` describe it.
@usableFromInline
package struct Removal: Hashable, Sendable {
  // In this order the last one ends at a whole word: see ``Registration``.
  @usableFromInline var registrationWord: OptionalIdentifier<RegistrationTag>
  package var subject: ObjectRef
  /// Whether the log states that the removal matched no registration.
  ///
  /// False if ``registration`` is the match, and if the log does not state it.
  package var isUnmatched: Bool
  /// Nil if the removal named no observer, or nil.
  package var observer: ObjectRef?
  /// ``Context/unspecified`` for the form without a context.
  package var context: Context
  package var keyPath: StringID
  /// The source line of the call if the compiler gave it: the only location if the program is stripped.
  package var site: StringID

  /// The registration that it matched; nil: none (``isUnmatched``), or the log does not state it.
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

/// The cause of the end of a registration that was not removed by name.
@usableFromInline
package enum CancelCause: String, Hashable, Sendable, CaseIterable {
  /// The program cancelled its token, or stopped its controller.
  case user
  /// The controller, or the owner that it belongs to, was deallocated.
  case owner
  /// The library cleaned up after an observed object that was deallocated.
  case subject
  /// The token was dropped without being invalidated.
  case token
  /// The library cleaned up after an observer that was deallocated.
  case observer
  /// The runtime ended a registration that the program did not remove: GNUstep 1.28 does when the same observer is
  /// added again, or removed under another context. Other runtimes would not.
  case runtime
}

/// Why an add or a removal was not carried out.
@usableFromInline
package enum RefusalReason: String, Hashable, Sendable, CaseIterable {
  case nilKeyPath
  case emptyKeyPath
  case unknownKey
  case throughCollection
  case readOnly
  case notObservable
  /// An exception of the program ended the addition.
  case raised
}
