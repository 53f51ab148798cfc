internal import KVORecorder
internal import KVORules
internal import KVOTrace

/// The registrations on objects that another library observes: a notification center, a model of
/// Observation, a publisher.
///
/// Such an object has no registrar to keep them in. They are kept here until the hook of its class
/// reports its deallocation; if the class cannot be hooked, until the process ends.
final class ForeignSubjects: Sendable {
  static let shared = ForeignSubjects()

  // State: `storages`, under its own lock; nothing is judged or released while it is held.
  private let storages = GuardedState<[ObjectID: SubjectStorage]>([:])

  private init() {}

  func storage(of subject: AnyObject) -> SubjectStorage {
    if let observable = subject as? any KeyValueObservable { return observable.storage }
    // A `ForeignObject` is notified by the other runtime's adapter instead.
    let record =
      subject is ForeignObject
      ? ObjectTable.shared.record(of: subject) : ObjectTable.shared.watchedRecord(of: subject)
    let storage = storages.withLock { storages in
      if let known = storages[record.ref.id] { return known }
      let made = SubjectStorage(record: record, keys: ObservableKeyTable())
      storages[record.ref.id] = made
      return made
    }
    record.subject = storage
    return storage
  }

  /// The objects and the addresses of their registrations, in no particular order.
  ///
  /// Retains no registrations beyond the locked section.
  var addresses: [(subject: ObjectRecord, storage: UInt)] {
    storages.withLock { storages in
      storages.values.map { ($0.record, ObjectTable.address(of: $0)) }
    }
  }

  /// Judges the registrations on a deallocated object, and drops them.
  func forget(_ subject: ObjectID) {
    guard let storage = storages.withLock({ $0.removeValue(forKey: subject) }) else { return }
    storage.finishDeallocation(at: Recorder.shared.captureStack())
  }
}
