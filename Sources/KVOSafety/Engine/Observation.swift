internal import KVORules
internal import KVOTrace

/// One registration: what it asks for, and how to tell its observer.
///
/// The observed object's storage holds it until it ends; nobody else does for longer than a call.
final class Observation: @unchecked Sendable {
  // Sendable: every property is set in init and never again, but for `chain`, which has a lock, and
  // `root`, which the runtime clears atomically. `read` and `deliver` need not be Sendable: they run
  // on the thread that makes a change, as KVO's callbacks do.

  /// What is known of the observation when it is registered.
  let registration: Registration
  /// The keys of the path, the observed object's first.
  let keys: [StringID]
  /// The observer whose death ends the observation; nil in the token form.
  let observer: ObjectRecord?
  /// The observed object's registrations, which hold this one.
  private(set) weak var root: SubjectStorage?
  /// Reads the observed value: the end of the path, from the observed object on.
  let read: (_ subject: AnyObject) -> Any?
  /// Calls the observer.
  ///
  /// Returns whether it knew what to do, or nil where it cannot say.
  let deliver: Callback
  /// The intermediate objects of a deep path; nil for a single key.
  let chain: IntermediateChain?

  /// Calls an observer, which is nil in the token form.
  typealias Callback = (_ subject: AnyObject, _ observer: AnyObject?, _ change: Change) -> Bool?

  /// A change as it is delivered, with values as far as they were asked for.
  struct Change {
    var kind: ObservedChangeKind
    var old: Any?
    var new: Any?
    var isPrior: Bool
  }

  init(
    registration: Registration,
    keys: [StringID],
    observer: ObjectRecord?,
    root: SubjectStorage,
    read: @escaping (AnyObject) -> Any?,
    deliver: @escaping Callback
  ) {
    self.registration = registration
    self.keys = keys
    self.observer = observer
    self.root = root
    self.read = read
    self.deliver = deliver
    chain = keys.count > 1 ? IntermediateChain(length: keys.count - 1) : nil
  }

  /// The number of the registration.
  ///
  /// The layer numbers all of its registrations; one without a number was refused before this.
  var id: RegistrationID { registration.id ?? RegistrationID(0) }

  var options: Registration.Options { registration.options }
}

/// A place where an observation listens: a key of one object on its path.
struct ObservationLink: Sendable {
  let observation: Observation
  /// The place in the path, 0 for the observed object itself.
  let depth: Int

  var key: StringID { observation.keys[depth] }
  /// Whether a change here replaces an object that the rest of the path hangs on.
  var isIntermediate: Bool { depth < observation.keys.count - 1 }
}
