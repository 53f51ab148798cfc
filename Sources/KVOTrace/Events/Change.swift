/// One half of a change, as `willChange` and `didChange` describe it.
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

  package var subject: ObjectRef
  package var key: StringID
  /// Shared by both halves; nil where the writer does not number its changes.
  package var id: ChangeID?
  package var kind: Kind

  package init(subject: ObjectRef, key: StringID, id: ChangeID?, kind: Kind = .setting) {
    self.subject = subject
    self.key = key
    self.id = id
    self.kind = kind
  }
}

/// A callback, as `notify` and `notifyEnd` describe it.
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
  /// The change that is told of; nil for ``Phase/initial``.
  package var change: ChangeID?
  package var phase: Phase
  package var executor: StringID
  /// On the end: whether the observer said that the notification was its own; nil: not said.
  package var isHandled: Bool?

  package init(
    registration: RegistrationID,
    change: ChangeID?,
    phase: Phase,
    executor: StringID = .none,
    isHandled: Bool? = nil
  ) {
    self.registration = registration
    self.change = change
    self.phase = phase
    self.executor = executor
    self.isHandled = isHandled
  }
}
