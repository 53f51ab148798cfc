/// One half of a change, as `willChange` and `didChange` describe it.
@usableFromInline
package struct Change: Hashable, Sendable {
  /// What happens to the value.
  ///
  /// The raw values are the names in the log.
  package enum Kind: String, Hashable, Sendable, CaseIterable {
    case setting
    case insertion
    case removal
    case replacement
  }

  // In this order the properties leave the fewest gaps.
  @usableFromInline var idWord: OptionalIdentifier<ChangeTag>
  package var subject: ObjectRef
  package var kind: Kind
  package var key: StringID

  /// Shared by both halves; nil where the writer does not number its changes.
  @inlinable package var id: ChangeID? {
    get { idWord.value }
    set { idWord.value = newValue }
  }

  package init(subject: ObjectRef, key: StringID, id: ChangeID?, kind: Kind = .setting) {
    self.subject = subject
    self.key = key
    idWord = OptionalIdentifier(id)
    self.kind = kind
  }
}

/// A callback, as `notify` and `notifyEnd` describe it.
@usableFromInline
package struct Delivery: Hashable, Sendable {
  /// Which of the callbacks of a registration this is.
  package enum Phase: String, Hashable, Sendable, CaseIterable {
    /// The present value, told while the registration is being made.
    case initial
    /// Before the change.
    case prior
    /// After the change.
    case after
  }

  package var registration: RegistrationID
  @usableFromInline var changeWord: OptionalIdentifier<ChangeTag>
  /// What ran the callback, or the exception that left it: the size of a delivery counts, and an end has no
  /// use for both.
  @usableFromInline var word: StringID
  package var phase: Phase
  @usableFromInline var hasException = false
  /// On the end: whether the observer said that the notification was its own; nil: not said.
  package var isHandled: Bool?

  /// What the callback ran on; ``StringID/none`` where nobody says, and for one that an exception left.
  @inlinable package var executor: StringID {
    get { hasException ? .none : word }
    set { if !hasException { word = newValue } }
  }

  /// On the end: the exception that left the callback, by its name; ``StringID/none``: it returned, or
  /// nobody says.
  @inlinable package var exception: StringID { hasException ? word : .none }

  /// The change that is told of; nil for ``Phase/initial``.
  @inlinable package var change: ChangeID? {
    get { changeWord.value }
    set { changeWord.value = newValue }
  }

  package init(
    registration: RegistrationID,
    change: ChangeID?,
    phase: Phase,
    executor: StringID = .none,
    isHandled: Bool? = nil,
    exception: StringID = .none
  ) {
    self.registration = registration
    changeWord = OptionalIdentifier(change)
    self.phase = phase
    hasException = exception != .none
    word = exception == .none ? executor : exception
    self.isHandled = isHandled
  }
}
