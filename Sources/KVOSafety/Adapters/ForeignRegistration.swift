internal import KVORecorder
package import KVOTrace

/// A registration with another library, as the log, the census and the rules see it.
///
/// The adapter makes one beside the real one, delivers through it and ends it with the real one. It
/// keeps no object alive. Any thread may use it.
package final class ForeignRegistration: Sendable {
  // Sendable: the weak references are set once, in init; the runtime clears them atomically.
  private let id: RegistrationID
  private weak let observation: Observation?
  private nonisolated(unsafe) weak let subject: AnyObject?
  private let storage: SubjectStorage

  /// Registers what `request` describes.
  ///
  /// - Parameters:
  ///   - request: the subject, the observer, the key.
  ///   - handler: called by the deliveries with what they are given.
  ///   - didEnd: called once when it has ended, by whatever cause, with no lock held.
  ///   - adding: makes the real registration: changes that it reports are delivered from then on.
  package init<Value>(
    _ request: ForeignRequest,
    handler: @escaping (ObservedChange<Value>) -> Void,
    didEnd: (() -> Void)? = nil,
    adding: (ForeignRegistration) -> Void = { _ in }
  ) {
    let storage = ForeignSubjects.shared.storage(of: request.subject)
    let record = request.observer.map { ObjectTable.shared.watchedRecord(of: $0) }
    let observation = Observation(
      registration: request.registration(on: storage, observer: record?.ref),
      key: request.key,
      path: [],
      single: nil,
      observer: record,
      root: storage,
      valueType: nil,
      endsWithObject: request.endsWithSubject,
      tree: nil,
      expected: request.expected,
      didEnd: didEnd,
      deliver: { _, _, change in
        handler(ObservedChange<Value>(change))
        return nil
      }
    )
    id = observation.id
    self.observation = observation
    subject = request.subject
    self.storage = storage
    storage.add(observation, stack: Recorder.shared.captureStack())
    adding(self)
    storage.finishAdding(observation)
  }

  /// Registers that `subject` is observed; the parameters are those of ``ForeignRequest``.
  ///
  /// - Parameters:
  ///   - subject: what is observed.
  ///   - observer: on whose behalf.
  ///   - key: what of it.
  ///   - form: who ends it.
  ///   - endsWithSubject: whether it is meant to end with the subject.
  ///   - expectedToLive: why it is meant to outlive the test scope it is made in, if so.
  ///   - isolation: the actor that callbacks are expected on.
  ///   - fileID: where the call is.
  ///   - line: where the call is.
  ///   - function: where the call is.
  ///   - handler: called by ``deliver(_:isBefore:)`` with what it is given.
  package convenience init(
    on subject: AnyObject,
    observer: AnyObject?,
    key: String,
    form: Registration.Form,
    endsWithSubject: Bool = false,
    expectedToLive: String? = nil,
    isolation: (any Actor)?,
    fileID: StaticString,
    line: UInt,
    function: StaticString,
    handler: @escaping (Any?) -> Void
  ) {
    var request = ForeignRequest(
      on: subject,
      observer: observer,
      key: key,
      form: form,
      expectedToLive: expectedToLive,
      isolation: isolation,
      fileID: fileID,
      line: line,
      function: function
    )
    request.endsWithSubject = endsWithSubject
    self.init(request, handler: { (change: ObservedChange<Any>) in handler(change.newValue) })
  }

  /// Whether it is still registered.
  package var isActive: Bool { storage.contains(id) }

  /// A token that ends it when it is invalidated or deallocated.
  package var token: ObservationToken { ObservationToken(storage.observation(id)) }

  /// Calls the handler with `value`, unless the registration has ended.
  package func deliver(_ value: Any?, isBefore: Bool = false) {
    deliver(isBefore ? .prior : .after, .setting, new: .some(value))
  }

  /// Calls the handler with a change, unless the registration has ended.
  ///
  /// - Parameters:
  ///   - phase: which notification this is.
  ///   - kind: what happened to the value.
  ///   - old: the value before; nil if it was not requested.
  ///   - new: the value after; nil if it was not requested.
  ///   - indexes: which elements of a collection it concerns.
  package func deliver(
    _ phase: Delivery.Phase,
    _ kind: ObservedChangeKind,
    old: Any?? = nil,
    new: Any??,
    indexes: RangeSet<Int>? = nil
  ) {
    guard let observation, let subject else { return }
    let elements = indexes.map { ChangedElements($0) }
    observation.notify(subject, phase, of: nil, kind, old: old, new: new, elements: elements)
  }

  /// The life of a loop that takes its values; nil if it has ended.
  package func makeLife() -> ConsumerLife? { observation.map { ObservedSource($0).makeLife() } }

  /// The address of its observation, or nil if it has ended.
  var keptAddress: UInt? { storage.address(of: id) }

  /// Ends the registration; a second call does nothing.
  package func end(by cause: CancelCause) { storage.cancel(id, by: cause) }
}

extension ObservationToken {
  /// The token of an observation that was refused.
  package static var inactive: ObservationToken { ObservationToken(nil) }
}
