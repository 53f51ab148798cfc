/// One half of a change, as `willChange` and `didChange` describe it.
@usableFromInline
package struct Change: Hashable, Sendable {
  /// The kind of the change.
  ///
  /// The raw values are the names in the log.
  @usableFromInline
  package enum Kind: String, Hashable, Sendable, CaseIterable {
    case setting
    case insertion
    case removal
    case replacement
  }

  // In this order the properties need the least padding.
  @usableFromInline var idWord: OptionalIdentifier<ChangeTag>
  @usableFromInline package var subject: ObjectRef
  @usableFromInline package var kind: Kind
  @usableFromInline package var key: StringID

  /// Shared by both halves; nil if the writer does not number its changes.
  @inlinable package var id: ChangeID? {
    get { idWord.value }
    set { idWord.value = newValue }
  }

  @inlinable
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
  @usableFromInline
  package enum Phase: String, Hashable, Sendable, CaseIterable {
    /// The current value, delivered while the registration is being made.
    case initial
    /// Before the change.
    case prior
    /// After the change.
    case after
  }

  @usableFromInline package var registration: RegistrationID
  @usableFromInline var changeWord: OptionalIdentifier<ChangeTag>
  /// The executor of the callback, or the exception that it raised: one property for both keeps deliveries small, and
  /// an end never needs both.
  @usableFromInline var word: StringID
  @usableFromInline package var phase: Phase
  @usableFromInline var hasException = false
  /// On the end: whether the observer recognized the notification; nil: not said.
  @usableFromInline package var isHandled: Bool?

  /// The executor of the callback; ``StringID/none`` if the log does not state it, or if an exception left the
  /// callback.
  @inlinable package var executor: StringID {
    @_transparent get { hasException ? .none : word }
    set { if !hasException { word = newValue } }
  }

  /// On the end: the exception that left the callback, by its name; ``StringID/none``: it returned, or the log does not
  /// state it.
  @_transparent
  @usableFromInline
  package var exception: StringID { hasException ? word : .none }

  /// The change that is delivered; nil for ``Phase/initial``.
  @inlinable package var change: ChangeID? {
    @_transparent get { changeWord.value }
    set { changeWord.value = newValue }
  }

  @inlinable
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
