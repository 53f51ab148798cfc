import KVORules
import KVOTrace

/// The values of observed keys as last seen by a probe (KVO014).
///
/// Two sightings of different values need a change between them, or around the second. Memory is
/// bounded by the living objects and their keys.
///
/// Complexity: O(1) for every input.
struct ValueProbes: Sendable {
  /// The last observation.
  struct Sighting: Sendable {
    var fingerprint: StringID
    var seen: Evidence
    /// When it was, by ``KeyChanges``.
    var moment: Int
    /// Whether a change of the key began or ended since.
    var wasChanged = false
  }

  private var sightings: [ObjectID: [StringID: Sighting]] = [:]

  var isEmpty: Bool { sightings.isEmpty }
  /// How many seen objects are live.
  var count: Int { sightings.count }

  /// The probe sees a value.
  ///
  /// - Parameters:
  ///   - fingerprint: represents the value.
  ///   - key: whose value it is.
  ///   - object: the object that has the key.
  ///   - isChanging: whether a change of the key is open on any thread.
  ///   - moment: when it is seen, by ``KeyChanges``.
  ///   - evidence: where it was seen.
  /// - Returns: the previous sighting, if the value differs without a change.
  mutating func see(
    _ fingerprint: StringID,
    of key: StringID,
    on object: ObjectID,
    isChanging: Bool,
    at moment: Int,
    _ evidence: Evidence
  ) -> Sighting? {
    let new = Sighting(fingerprint: fingerprint, seen: evidence.as(.seen), moment: moment)
    guard let before = sightings[object, default: [:]].updateValue(new, forKey: key),
      before.fingerprint != fingerprint, !before.wasChanged, !isChanging
    else { return nil }
    return before
  }

  /// A half of a change of `key` on `object`, and of keys that depend on it.
  mutating func change(_ key: StringID, dependents: Set<StringID>, on object: ObjectID) {
    guard sightings[object] != nil else { return }
    sightings[object]?[key]?.wasChanged = true
    for dependent in dependents { sightings[object]?[dependent]?.wasChanged = true }
  }

  /// A half of a change on `object` of a key that any other may depend on.
  mutating func changeAll(on object: ObjectID) {
    guard let keys = sightings[object]?.keys else { return }
    for key in keys { sightings[object]?[key]?.wasChanged = true }
  }

  mutating func forget(_ object: ObjectID) { sightings[object] = nil }
}
