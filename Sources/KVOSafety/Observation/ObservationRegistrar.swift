internal import KVORecorder
internal import Synchronization

/// The registrations on one object: one word until the first of them.
///
/// Store it in the object, as a `let`. When the object dies, so does the registrar, and the layer
/// ends what is still registered and reports it (KVO006).
public struct ObservationRegistrar: ~Copyable, Sendable {
  // Written once, by whichever thread observes first: AtomicLazyReference keeps the first.
  private let reference = AtomicLazyReference<SubjectStorage>()

  /// A registrar without registrations.
  public init() {}

  deinit { reference.load()?.subjectDied() }

  /// The registrations, or nil where the object was never observed.
  var storage: SubjectStorage? { reference.load() }

  /// The registrations of `subject`, whose registrar this is.
  func storage(of subject: AnyObject) -> SubjectStorage {
    if let storage = reference.load() { return storage }
    let record = ObjectTable.shared.record(of: subject)
    let storage = reference.storeIfNil(SubjectStorage(record: record))
    record.subject = storage
    return storage
  }
}

// Through an existential the compiler does not borrow a property that cannot be copied; through the
// generic receiver of an extension it does.
extension KeyValueObservable {
  /// The registrations on this object, or nil where it was never observed.
  var knownStorage: SubjectStorage? { observationRegistrar.storage }

  /// The registrations on this object.
  var storage: SubjectStorage { observationRegistrar.storage(of: self) }
}
