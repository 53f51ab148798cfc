internal import KVORecorder
public import Synchronization

/// The registrations on one object: one word until the first of them.
///
/// Store it in the object, as a `let`. When the object is deallocated, so is the registrar, and the
/// library ends what is still registered and reports it (KVO006).
public struct ObservationRegistrar: ~Copyable, Sendable {
  /// The address of the object's storage, which the registrar owns; 0 if it was never observed.
  ///
  /// Written once, by whichever thread observes first. A reader reads it in the object, which lives
  /// as long as that call.
  @usableFromInline let word = Atomic<UInt>(0)

  /// A registrar without registrations.
  public init() {}

  deinit {
    guard let held = heldStorage else { return }
    held.takeRetainedValue().subjectDeallocated()
  }

  /// The registrations, which live as long as the object does; nil if it was never observed.
  ///
  /// The caller retains the object.
  @usableFromInline
  var heldStorage: Unmanaged<SubjectStorage>? {
    // acquire: pairs with the exchange in `storage(of:)`.
    UnsafeRawPointer(bitPattern: word.load(ordering: .acquiring)).map(Unmanaged.fromOpaque)
  }

  /// The registrations, or nil if the object was never observed.
  var storage: SubjectStorage? { heldStorage?.takeUnretainedValue() }

  /// The registrations of `subject`, whose registrar this is.
  func storage(of subject: any KeyValueObservable) -> SubjectStorage {
    if let storage { return storage }
    let record = ObjectTable.shared.record(ofObserved: subject)
    let made = SubjectStorage(record: record, keys: type(of: subject).observableKeys)
    let address = UInt(bitPattern: Unmanaged.passRetained(made).toOpaque())
    // release: pairs with the acquire in `heldStorage`.
    let outcome = word.compareExchange(
      expected: 0,
      desired: address,
      ordering: .acquiringAndReleasing
    )
    guard outcome.exchanged else {
      Unmanaged.passUnretained(made).release()
      // Another thread stored it first.
      return storage ?? made
    }
    record.subject = made
    return made
  }
}

// Through an existential the compiler does not borrow a property that cannot be copied; through the
// generic receiver of an extension it does.
extension KeyValueObservable {
  /// The registrations on this object, or nil if it was never observed.
  var knownStorage: SubjectStorage? { observationRegistrar.storage }

  /// The registrations on this object.
  var storage: SubjectStorage { observationRegistrar.storage(of: self) }
}
