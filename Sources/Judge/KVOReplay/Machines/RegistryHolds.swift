import KVORules
import KVOTrace

/// Which registries hold which objects strongly: a self-observing object that one holds is never deallocated (KVO020).
struct RegistryHolds: Sendable {
  private var holders: [ObjectID: Holders] = [:]
  private var held: [ObjectID: Set<ObjectID>] = [:]

  /// A registry that holds `object` strongly.
  func holder(of object: ObjectID) -> ObjectRef? { holders[object]?.first }

  /// Adds a reference.
  ///
  /// - Returns: whether a registry begins to hold an object strongly.
  mutating func hold(_ reference: Reference) -> Bool {
    guard reference.from.kind == .registry, reference.strength == .strong,
      held[reference.from.id, default: []].insert(reference.to.id).inserted
    else { return false }
    holders[reference.to.id, default: Holders()].append(reference.from)
    return true
  }

  mutating func drop(_ reference: Reference) {
    guard reference.strength == .strong else { return }
    forget(reference.to.id, heldBy: reference.from.id)
    held[reference.from.id]?.remove(reference.to.id)
    if held[reference.from.id]?.isEmpty == true { held[reference.from.id] = nil }
  }

  mutating func forget(_ object: ObjectID) {
    for other in held.removeValue(forKey: object) ?? [] { forget(other, heldBy: object) }
    for holder in holders.removeValue(forKey: object)?.ids ?? [] {
      held[holder]?.remove(object)
    }
  }

  private mutating func forget(_ object: ObjectID, heldBy holder: ObjectID) {
    // In place: a copy would make it linear in the holders, of which an object may have thousands.
    holders[object]?.remove(holder)
    if holders[object]?.isEmpty == true { holders[object] = nil }
  }
}

/// The registries that hold one object, oldest first.
///
/// Complexity: O(1) amortized for every operation but `ids`.
private struct Holders: Sendable {
  /// Those that hold it no more are nil until half of the places are.
  private var places: [ObjectRef?] = []
  private var indexes: [ObjectID: Int] = [:]
  /// All places before it are nil.
  private var start = 0

  var first: ObjectRef? { start < places.count ? places[start] : nil }
  var isEmpty: Bool { indexes.isEmpty }
  var ids: [ObjectID] { Array(indexes.keys) }

  mutating func append(_ holder: ObjectRef) {
    guard indexes.updateValue(places.count, forKey: holder.id) == nil else { return }
    places.append(holder)
  }

  mutating func remove(_ holder: ObjectID) {
    guard let index = indexes.removeValue(forKey: holder) else { return }
    places[index] = nil
    if indexes.count < places.count / 2 { close() }
    while start < places.count, places[start] == nil { start += 1 }
  }

  private mutating func close() {
    places.removeAll { $0 == nil }
    start = 0
    for (index, holder) in places.enumerated() {
      if let holder { indexes[holder.id] = index }
    }
  }
}
