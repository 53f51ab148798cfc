internal import KVORecorder
package import KVOTrace

/// A registration with another library, before it is made.
package struct ForeignRequest {
  var subject: AnyObject
  var observer: AnyObject?
  var key: StringID
  var form: Registration.Form
  var options: ObservingOptions
  var expectedToLive: StringID
  var expected: ExpectedExecutor?
  var site: CallSite
  /// Whether the registration is meant to end with the subject, which is then not reported (KVO006).
  var endsWithSubject = false

  /// Describes the requested registration.
  ///
  /// - Parameters:
  ///   - subject: what is observed.
  ///   - observer: on whose behalf; in the classic form, two of one observer are a duplicate (KVO005).
  ///   - key: what of it, such as the name of a notification.
  ///   - form: who ends it: ``Registration/Form/classic`` is ended only by an explicit removal; an observer that is
  ///     deallocated before has forgotten to remove it (KVO007).
  ///   - options: what notifications carry, and when they come.
  ///   - expectedToLive: why it is meant to outlive the test scope it is made in, if so.
  ///   - isolation: the actor that callbacks are expected on.
  ///   - fileID: where the call is.
  ///   - line: where the call is.
  ///   - function: where the call is.
  package init(
    on subject: AnyObject,
    observer: AnyObject?,
    key: String,
    form: Registration.Form,
    options: ObservingOptions = .new,
    expectedToLive: String?,
    isolation: (any Actor)?,
    fileID: StaticString,
    line: UInt,
    function: StaticString
  ) {
    self.subject = subject
    self.observer = observer
    self.key = Recorder.id(of: key)
    self.form = form
    self.options = options
    self.expectedToLive = expectedToLive.map { Recorder.id(of: $0) } ?? .none
    expected = ExpectedExecutor.of(isolation, .reported)
    site = CallSite(fileID: fileID, line: line, function: function)
  }

  /// Reports that the registration cannot be made (KVO029).
  package func refuse(_ reason: RefusalReason, part: String) {
    let record = observer.map { ObjectTable.shared.watchedRecord(of: $0) }
    let storage = ForeignSubjects.shared.storage(of: subject)
    storage.refuse(registration(on: storage, observer: record?.ref), reason: reason, part: part)
  }

  /// The registration as events describe it, with a new number.
  func registration(on storage: SubjectStorage, observer: ObjectRef?) -> Registration {
    Registration(
      id: RegistrationID(ObjectTable.shared.nextNumber()),
      subject: storage.record.ref,
      observer: observer,
      keyPath: key,
      context: .null,
      options: Registration.Options(options),
      form: form,
      site: site.id,
      executor: expected?.name ?? .none,
      expectedToLive: expectedToLive
    )
  }
}
