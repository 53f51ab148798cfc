internal import KVOTrace

/// A change as a program that calls both halves itself describes it in each of them; the descriptions must be equal.
struct AnnouncedChange: Equatable {
  var kind: Change.Kind
  /// The elements of an ordered collection; nil for a setting, and for a set.
  var positions: ChangedElements?
  /// How a set is combined with another; nil for every other change.
  var mutation: ObservedSetMutation?

  /// A change of the whole value.
  static let setting = AnnouncedChange(kind: .setting)

  private init(kind: Change.Kind) { self.kind = kind }

  /// A change of the elements at `positions`, which a setting has none of.
  init(_ kind: ObservedChangeKind, at positions: ChangedElements) {
    self.kind = Change.Kind(kind)
    if kind != .setting { self.positions = positions }
  }

  /// A change of a set; the kind is that of `mutation`.
  init(_ mutation: ObservedSetMutation) {
    kind = Change.Kind(mutation.kind)
    self.mutation = mutation
  }

  static func == (left: AnnouncedChange, right: AnnouncedChange) -> Bool {
    left.kind == right.kind && left.mutation == right.mutation
      && left.positions?.ranges == right.positions?.ranges
  }
}
