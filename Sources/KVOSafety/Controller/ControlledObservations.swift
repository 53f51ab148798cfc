internal import KVOTrace

/// One observation that a controller holds.
///
/// An object, so that few words are copied with it.
final class ControlledObservation: @unchecked Sendable {
  // Sendable: immutable; `object` is only kept alive here.
  let id: RegistrationID
  /// The registrations on the observed object.
  ///
  /// A weak reference would make each of their reference counts take the slow path. Those of a deallocated object are kept
  /// until as many others are observed (`sweepLimit`), or the controller is deallocated; they retain nothing of the program.
  let storage: SubjectStorage
  let keyPath: String
  let object: AnyObject?

  init(id: RegistrationID, storage: SubjectStorage, keyPath: String, object: AnyObject?) {
    self.id = id
    self.storage = storage
    self.keyPath = keyPath
    self.object = object
  }
}

/// The observations of one controller, by observed object.
///
/// Complexity: adding is O(1) amortized, removing O(observations of the object), however many
/// objects there are.
struct ControlledObservations: Sendable {
  private var bySubject = SmallMap<ObjectID, ShortList<ControlledObservation>>()
  /// Above this number of objects, those that have been deallocated are dropped.
  private var sweepLimit = 16

  /// Adds an observation of `subject`.
  ///
  /// - Returns: what is dropped, for the caller to release without a lock; it retains no object of the program.
  mutating func add(
    _ observation: ControlledObservation,
    of subject: ObjectID
  ) -> [ControlledObservation] {
    if let position = bySubject.position(of: subject) {
      bySubject.update(at: position) { $0.append(observation) }
      return []
    }
    bySubject.insert(ShortList(observation), forKey: subject)
    return bySubject.entries.count > sweepLimit ? sweep() : []
  }

  private mutating func sweep() -> [ControlledObservation] {
    var dropped: [ControlledObservation] = []
    for (subject, observations) in bySubject.entries
    where !observations.contains(where: { $0.storage.isInUse }) {
      dropped += observations.all
      _ = bySubject.removeValue(forKey: subject)
    }
    sweepLimit = max(16, 2 * bySubject.entries.count)
    return dropped
  }

  /// All observations, oldest first.
  var all: [ControlledObservation] {
    bySubject.entries.flatMap(\.value.all).sorted { $0.id.rawValue < $1.id.rawValue }
  }

  /// Removes and returns the matching observations of `subject`, oldest first.
  mutating func remove(
    of subject: ObjectID,
    where isMeant: (ControlledObservation) -> Bool
  ) -> ShortList<ControlledObservation> {
    guard let position = bySubject.position(of: subject) else { return ShortList() }
    var removed = ShortList<ControlledObservation>()
    var isLast = false
    bySubject.update(at: position) { observations in
      removed = observations.extract(isMeant)
      isLast = observations.isEmpty
    }
    if isLast { _ = bySubject.removeValue(forKey: subject) }
    return removed
  }

  /// Removes and returns all observations, oldest first.
  mutating func removeAll() -> [ControlledObservation] {
    defer { bySubject = SmallMap() }
    return all
  }
}
