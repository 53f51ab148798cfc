internal import KVOTrace

/// A change as a program that calls both halves itself describes it in each of them; the descriptions must be equal.
///
/// An object, so that a change that the library makes itself has a nil word to copy.
final class AnnouncedChange: Equatable, Sendable {
  let kind: Change.Kind
  /// The elements of an ordered collection; nil for a setting, and for a set.
  let positions: ChangedElements?
  /// How a set is combined with another; nil for every other change.
  let mutation: ObservedSetMutation?

  /// A change of the whole value.
  static let setting = AnnouncedChange(.setting, nil, nil)

  private init(
    _ kind: Change.Kind,
    _ positions: ChangedElements?,
    _ mutation: ObservedSetMutation?
  ) {
    (self.kind, self.positions, self.mutation) = (kind, positions, mutation)
  }

  /// A change of the elements at `positions`, which a setting has none of.
  convenience init(_ kind: ObservedChangeKind, at positions: ChangedElements) {
    self.init(Change.Kind(kind), kind == .setting ? nil : positions, nil)
  }

  /// A change of a set; the kind is that of `mutation`.
  convenience init(_ mutation: ObservedSetMutation) {
    self.init(Change.Kind(mutation.kind), nil, mutation)
  }

  static func == (left: AnnouncedChange, right: AnnouncedChange) -> Bool {
    left === right
      || left.kind == right.kind && left.mutation == right.mutation
        && left.positions?.ranges == right.positions?.ranges
  }
}
