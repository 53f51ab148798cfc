import KVOTrace

// What is noted of a registration while it is live.
extension RegistrationLedger {
  package mutating func mark(_ slot: Int, isNumbered: Bool, isScoped: Bool) {
    slots[slot].isNumbered = isNumbered
    slots[slot].isScoped = isScoped
  }

  /// No scope is responsible for the registration any longer.
  package mutating func unmarkScoped(_ slot: Int) { slots[slot].isScoped = false }

  /// The registration at `slot` has ended, unless the event concerned another one that the log lacks.
  package mutating func markEndGuessed(_ slot: Int) { slots[slot].isEndGuessed = true }

  /// Whether it is unknown if the registration at `slot` ended, or an equal one.
  package mutating func mark(_ slot: Int, isEndShared: Bool) {
    slots[slot].isEndShared = isEndShared
  }

  /// The object may have registrations that the ledger lacks, and those that it has may have ended.
  package mutating func forgetPast(of subject: Int) { subjects[subject].hasUnknownPast = true }

  /// A callback of the registration begins; it stays in its slot until ``endCallback(_:)``.
  @inlinable package mutating func beginCallback(_ slot: Int) {
    Self.beginCallback(&slots[slot])
  }

  // One access to the slot for both marks.
  @inlinable @inline(__always) static func beginCallback(_ slot: inout Slot) {
    slot.wasNotified = true
    slot.callbackCount &+= 1
  }

  /// A callback of the registration began and returned: as ``beginCallback(_:)`` and ``endCallback(_:)``.
  @inlinable package mutating func noteNotified(_ slot: Int) {
    // Most were notified before, and reading the mark is cheaper than writing it.
    if !slots[slot].wasNotified { slots[slot].wasNotified = true }
  }

  /// A callback of the registration returned, or is no longer tracked.
  @inlinable package mutating func endCallback(_ slot: Int) {
    slots[slot].callbackCount -= 1
    if slots[slot].callbackCount == 0, slots[slot].state == .forgotten { freeIfUnused(slot) }
  }

  /// The addition has returned.
  package mutating func finishAdding(_ slot: Int) {
    slots[slot].isBeingAdded = false
    slots[slot].isDeliveringInitial = false
  }

  /// The initial delivery of a registration that is being added begins.
  package mutating func beginInitial(_ slot: Int, at evidence: Evidence) {
    guard slots[slot].isBeingAdded else { return }
    slots[slot].later = evidence
    slots[slot].isDeliveringInitial = true
  }

  package mutating func endInitial(_ slot: Int) { slots[slot].isDeliveringInitial = false }
}
