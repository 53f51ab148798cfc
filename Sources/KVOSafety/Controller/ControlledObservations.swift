internal import KVOTrace

/// One observation that a controller holds.
struct ControlledObservation: @unchecked Sendable {
  // Sendable: immutable; `storage` is weak and cleared atomically; `object` is only kept alive here.
  let id: RegistrationID
  private(set) weak var storage: SubjectStorage?
  let keyPath: String
  let object: AnyObject?
}

/// The observations of one controller, by observed object.
///
/// Complexity: adding is O(1) amortized, removing O(observations of the object), however many
/// objects there are.
struct ControlledObservations: Sendable {
  private var bySubject: [ObjectID: [ControlledObservation]] = [:]
  /// Above this number of objects, those that have been deallocated are dropped.
  private var sweepLimit = 16

  /// Adds an observation of `subject`.
  ///
  /// Releases nothing that a program can notice: dropped entries retain no object.
  mutating func add(_ observation: ControlledObservation, of subject: ObjectID) {
    bySubject[subject, default: []].append(observation)
    guard bySubject.count > sweepLimit else { return }
    bySubject = bySubject.filter { $0.value.contains { $0.storage != nil } }
    sweepLimit = max(16, 2 * bySubject.count)
  }

  /// All observations, oldest first.
  var all: [ControlledObservation] {
    bySubject.values.flatMap(\.self).sorted { $0.id.rawValue < $1.id.rawValue }
  }

  /// Removes and returns the matching observations of `subject`, oldest first.
  mutating func remove(
    of subject: ObjectID,
    where isMeant: (ControlledObservation) -> Bool
  ) -> [ControlledObservation] {
    let known = bySubject[subject] ?? []
    let rest = known.filter { !isMeant($0) }
    bySubject[subject] = rest.isEmpty ? nil : rest
    return known.filter(isMeant)
  }

  /// Removes and returns all observations, oldest first.
  mutating func removeAll() -> [ControlledObservation] {
    defer { bySubject = [:] }
    return all
  }
}
