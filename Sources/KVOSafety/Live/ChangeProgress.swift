package import KVOTrace

/// Whether an object was being changed at one moment.
package struct ChangeProgress: Sendable {
  /// The greatest order of its events then.
  package var order: UInt64
  /// Whether a recorded change of it was open, on any thread.
  package var isOpen: Bool

  package init(order: UInt64, isOpen: Bool) {
    self.order = order
    self.isOpen = isOpen
  }

  /// Whether a change that ends with `event` may have begun before that moment.
  package func mayContainBeginning(ofChangeEndedBy event: Event) -> Bool {
    isOpen || (event.order ?? 0) <= order
  }
}
