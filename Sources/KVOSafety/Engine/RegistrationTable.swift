internal import KVOTrace

/// The observations of one object by the number of their registration.
///
/// A few are found by walking them, which is faster than hashing and is what almost every object has.
///
/// Complexity: O(1).
struct RegistrationTable: Sendable {
  static let walkLimit = 8

  /// In no particular order; empty while `many` is used.
  private var few: [Observation] = []
  private var many: [RegistrationID: Observation] = [:]

  var count: Int { few.count + many.count }

  /// All of them, in no particular order.
  var all: [Observation] { few + many.values }

  subscript(id: RegistrationID) -> Observation? {
    many.isEmpty ? few.first { $0.id == id } : many[id]
  }

  /// Adds an observation, which is not there yet.
  mutating func insert(_ observation: Observation) {
    if many.isEmpty, few.count < Self.walkLimit { return few.append(observation) }
    for other in few { many[other.id] = other }
    few.removeAll()
    many[observation.id] = observation
  }

  mutating func remove(_ id: RegistrationID) -> Observation? {
    guard many.isEmpty else { return many.removeValue(forKey: id) }
    guard let place = few.firstIndex(where: { $0.id == id }) else { return nil }
    few.swapAt(place, few.count - 1)
    return few.removeLast()
  }
}
