/// A number that identifies an entity in one log: an object, a registration, a change, a scope, a thread.
///
/// Writers may use decimal numbers or any text. A decimal number stands for itself; any other text is interned, and the
/// identifier holds its ``StringID`` under the top bit. Two identifiers are equal exactly when the log spelled them
/// alike, and `TraceNames.text(of:)` returns the spelling. The one exception are the numbers that a reader gives to
/// objects known by address alone (``init(generation:)``): they equal no identifier that a log spells.
///
/// What recording calls for each event is transparent: a debug build inlines it, too, and needs no metadata of the generic
/// type, which took half of the instructions of an event there.
@usableFromInline
package struct Identifier<Tag>: Hashable, Sendable {
  @usableFromInline package let rawValue: UInt64

  @_transparent
  @usableFromInline
  package static func == (left: Identifier, right: Identifier) -> Bool {
    left.rawValue == right.rawValue
  }

  @inlinable
  package func hash(into hasher: inout Hasher) { hasher.combine(rawValue) }

  /// The identifier that has this raw value: one that was taken from an identifier.
  @_transparent
  @usableFromInline
  init(rawValue: UInt64) { self.rawValue = rawValue }

  @_transparent
  @usableFromInline
  static var textBit: UInt64 { 1 << 63 }
  private static var generationBit: UInt64 { 1 << 62 }

  /// The identifier written as the decimal number `number`, which must be below 2^63.
  ///
  /// Numbers from 2^62 on are those of ``init(generation:)``.
  @_transparent
  @usableFromInline
  package init(_ number: UInt64) {
    precondition(number & Self.textBit == 0, "identifier \(number) does not fit 63 bits")
    rawValue = number
  }

  /// An identifier that a reader assigned: it is shown as the decimal number `number` (below 2^62), but differs from
  /// the identifier with that spelling in a log.
  package init(generation number: UInt64) {
    precondition(number >> 62 == 0, "generation \(number) does not fit 62 bits")
    rawValue = Self.generationBit | number
  }

  /// The identifier spelled as the interned text `name`.
  package init(named name: StringID) {
    rawValue = Self.textBit | UInt64(name.rawValue)
  }

  /// The interned spelling, if the identifier is not a decimal number.
  package var name: StringID? {
    rawValue & Self.textBit == 0 ? nil : StringID(rawValue: UInt32(truncatingIfNeeded: rawValue))
  }

  /// The decimal number that the identifier is spelled as, or nil if it is a text.
  package var number: UInt64? {
    rawValue & Self.textBit == 0 ? rawValue & ~Self.generationBit : nil
  }

  /// The number that a reader assigned, if the identifier is of ``init(generation:)``.
  package var generation: UInt64? {
    rawValue >> 62 == 1 ? rawValue & ~Self.generationBit : nil
  }
}

/// An identifier or none, in the eight bytes of an identifier.
///
/// `Identifier?` takes nine, which its neighbors round up to sixteen. No identifier has the raw
/// value that means none: above 2^63 there are only the 2^32 interned texts.
@usableFromInline
package struct OptionalIdentifier<Tag>: Hashable, Sendable {
  @usableFromInline var rawValue: UInt64

  @_transparent
  @usableFromInline
  package init(_ identifier: Identifier<Tag>?) { rawValue = identifier?.rawValue ?? .max }

  @inlinable package var value: Identifier<Tag>? {
    @_transparent get { rawValue == .max ? nil : Identifier(rawValue: rawValue) }
    set { rawValue = newValue?.rawValue ?? .max }
  }

  @_transparent
  @usableFromInline
  package static func == (left: OptionalIdentifier, right: OptionalIdentifier) -> Bool {
    left.rawValue == right.rawValue
  }

  @inlinable
  package func hash(into hasher: inout Hasher) { hasher.combine(rawValue) }
}

/// An object: unique for the life of the log, even if an address is used again.
@usableFromInline package typealias ObjectID = Identifier<ObjectTag>
/// One registration, from `register` to its end.
@usableFromInline package typealias RegistrationID = Identifier<RegistrationTag>
/// The two halves of one change.
@usableFromInline package typealias ChangeID = Identifier<ChangeTag>
/// A test, a screen, a request.
@usableFromInline package typealias ScopeID = Identifier<ScopeTag>
/// A thread of the recorded process.
@usableFromInline package typealias ThreadID = Identifier<ThreadTag>
/// A lock that was reported to the log.
@usableFromInline package typealias LockID = Identifier<LockTag>
/// A task that takes values, from `consumerBegin` to its end.
@usableFromInline package typealias ConsumerID = Identifier<ConsumerTag>

@usableFromInline package enum ObjectTag {}
@usableFromInline package enum RegistrationTag {}
@usableFromInline package enum ChangeTag {}
@usableFromInline package enum ScopeTag {}
@usableFromInline package enum ThreadTag {}
@usableFromInline package enum LockTag {}
@usableFromInline package enum ConsumerTag {}

/// An interned string of one ``TraceNames``; 0 is the empty string and means "not said".
@usableFromInline
package struct StringID: RawRepresentable, Hashable, Sendable {
  @usableFromInline package let rawValue: UInt32
  @_transparent
  @usableFromInline
  package init(rawValue: UInt32) { self.rawValue = rawValue }

  // Implemented here because the comparison of RawRepresentable is generic.
  @_transparent
  @usableFromInline
  package static func == (left: StringID, right: StringID) -> Bool {
    left.rawValue == right.rawValue
  }
  @_transparent
  @usableFromInline
  package static var none: StringID { StringID(rawValue: 0) }
}

/// An interned stack of one ``TraceNames``; 0 means "no stack".
@usableFromInline
package struct StackID: RawRepresentable, Hashable, Sendable {
  @usableFromInline package let rawValue: UInt32
  @_transparent
  @usableFromInline
  package init(rawValue: UInt32) { self.rawValue = rawValue }

  @inlinable
  package static func == (left: StackID, right: StackID) -> Bool {
    left.rawValue == right.rawValue
  }
  @inlinable package static var none: StackID { StackID(rawValue: 0) }
}
