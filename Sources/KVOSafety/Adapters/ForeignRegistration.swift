internal import KVORecorder
package import KVOTrace

/// A registration with another library, as it stands in the log, the census and the rules.
///
/// The adapter makes one beside the real one, delivers through it and ends it with the real one.
/// It keeps nobody alive. Any thread may use it.
package final class ForeignRegistration: Sendable {
  // Sendable: what is weak is set once, in init; the runtime clears it atomically.
  private let id: RegistrationID
  private weak let observation: Observation?
  private nonisolated(unsafe) weak let subject: AnyObject?
  private let storage: SubjectStorage

  /// Registers that `subject` is observed.
  ///
  /// - Parameters:
  ///   - subject: what is observed.
  ///   - observer: on whose behalf; two of one observer are a duplicate (KVO005).
  ///   - key: what of it, such as the name of a notification.
  ///   - form: who ends it: ``Registration/Form/classic`` is ended by hand alone, so that an observer
  ///     that dies before has forgotten it (KVO007).
  ///   - expectedToLive: why it is meant to outlive the test scope it is made in, if so.
  ///   - isolation: the actor that callbacks are expected on.
  ///   - fileID: where the call is.
  ///   - line: where the call is.
  ///   - function: where the call is.
  ///   - handler: called by ``deliver(_:)`` with what it is given.
  package init(
    on subject: AnyObject,
    observer: AnyObject?,
    key: String,
    form: Registration.Form,
    expectedToLive: String? = nil,
    isolation: (any Actor)?,
    fileID: StaticString,
    line: UInt,
    function: StaticString,
    handler: @escaping (Any?) -> Void
  ) {
    let storage = ForeignSubjects.shared.storage(of: subject)
    let record = observer.map { ObjectTable.shared.record(of: $0) }
    if let record, let observer { ObjectTable.shared.watch(record, of: observer) }
    let expected = ExpectedExecutor(isolation)
    let keyID = Recorder.id(of: key)
    let registration = Registration(
      id: RegistrationID(ObjectTable.shared.nextNumber()),
      subject: storage.record.ref,
      observer: record?.ref,
      keyPath: keyID,
      context: .null,
      options: [.new],
      form: form,
      site: CallSite(fileID: fileID, line: line, function: function).id,
      executor: expected?.name ?? .none,
      expectedToLive: expectedToLive.map { Recorder.id(of: $0) } ?? .none
    )
    let observation = Observation(
      registration: registration,
      key: keyID,
      path: [],
      declaration: nil,
      observer: record,
      root: storage,
      valueType: nil,
      tree: nil,
      expected: expected,
      deliver: { _, _, change in
        handler(ObservedChange<Any>(change).newValue)
        return nil
      }
    )
    id = observation.id
    self.observation = observation
    self.subject = subject
    self.storage = storage
    storage.add(observation, stack: Recorder.shared.captureStack())
    storage.finishAdding(observation)
  }

  /// Whether it has not ended, by whatever cause.
  package var isActive: Bool { storage.contains(id) }

  /// Calls the handler with `value`, unless the registration has ended.
  package func deliver(_ value: Any?, isBefore: Bool = false) {
    guard let observation, let subject else { return }
    observation.tell(
      subject,
      isBefore ? .prior : .after,
      of: nil,
      .setting,
      old: nil,
      new: .some(value)
    )
  }

  /// Where its observation is, or nil where it has ended.
  var keptAddress: UInt? { storage.address(of: id) }

  /// Ends it; a second call does nothing.
  package func end(by cause: CancelCause) { storage.cancel(id, by: cause) }
}
