import KVORules
import KVOTrace

/// Which registries hold which objects strongly: a self-observing object that one holds is never deallocated (KVO020).
struct RegistryHolds: Sendable {
  private var holders: [ObjectID: [ObjectRef]] = [:]
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
    holders[reference.to.id, default: []].append(reference.from)
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
    for holder in holders.removeValue(forKey: object) ?? [] {
      held[holder.id]?.remove(object)
    }
  }

  private mutating func forget(_ object: ObjectID, heldBy holder: ObjectID) {
    guard var left = holders[object] else { return }
    left.removeAll { $0.id == holder }
    holders[object] = left.isEmpty ? nil : left
  }
}
