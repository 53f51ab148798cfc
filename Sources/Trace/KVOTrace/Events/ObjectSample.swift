/// The objects whose events are recorded while the recorder samples.
///
/// All events of an object are recorded or none, so that what the log says of it stays whole. The choice depends on the
/// object's number alone: a reader knows it for every object, and the objects of a smaller share are among those of a
/// larger one.
@usableFromInline
package struct ObjectSample: Hashable, Sendable {
  /// The share of all objects.
  package static let all: UInt64 = 1_024

  /// How many objects of 1,024 are in the sample.
  package var share: UInt64

  /// The sample of that share; shares above ``all`` count as ``all``.
  package init(share: UInt64) { self.share = min(share, Self.all) }

  /// Whether the events of `object` are recorded.
  ///
  /// An object whose id is not a number is of another writer, which does not sample.
  package func contains(_ object: ObjectID) -> Bool {
    guard object.rawValue >> 62 == 0 else { return true }
    return object.rawValue &* 0x9E37_79B9_7F4A_7C15 >> 54 < share
  }
}
