/// A reference between two objects, as `hold` and `drop` describe it.
@usableFromInline
package struct Reference: Hashable, Sendable {
  package enum Strength: String, Hashable, Sendable, CaseIterable {
    case strong
    case weak
    case unowned
  }

  package enum Certainty: String, Hashable, Sendable, CaseIterable {
    /// Read from the layout of the type.
    case proven
    /// A word that looks like a reference.
    case suspected
  }

  /// The ends of a reference whose kind the log does not state; they count as ordinary objects until their kind becomes
  /// known otherwise.
  package struct Ends: OptionSet, Hashable, Sendable {
    package let rawValue: UInt8
    package init(rawValue: UInt8) { self.rawValue = rawValue }
    package static let from = Ends(rawValue: 1)
    package static let to = Ends(rawValue: 2)
  }

  package var from: ObjectRef
  package var to: ObjectRef
  /// How a programmer would name the edge: a property, `capture of self`.
  package var label: StringID
  package var strength: Strength
  package var certainty: Certainty
  /// Where a closure was formed.
  package var site: StringID
  /// The ends whose ``ObjectRef/kind`` is not stated.
  package var unsaidKinds: Ends

  package init(
    from: ObjectRef,
    to: ObjectRef,
    label: StringID,
    strength: Strength = .strong,
    certainty: Certainty = .proven,
    site: StringID = .none,
    unsaidKinds: Ends = []
  ) {
    self.from = from
    self.to = to
    self.label = label
    self.strength = strength
    self.certainty = certainty
    self.site = site
    self.unsaidKinds = unsaidKinds
  }
}

/// A deep key path that attaches to, or detaches from, an intermediate object.
@usableFromInline
package struct Attachment: Hashable, Sendable {
  package var registration: RegistrationID
  /// The index in the key path, 0 for the observed object itself.
  package var depth: Int
  package var key: StringID
  package var object: ObjectRef
  package var strength: Reference.Strength

  package init(
    registration: RegistrationID,
    depth: Int,
    key: StringID,
    object: ObjectRef,
    strength: Reference.Strength = .strong
  ) {
    self.registration = registration
    self.depth = depth
    self.key = key
    self.object = object
    self.strength = strength
  }
}
