internal import KVORecorder
internal import KVORules
internal import KVOTrace

extension KVO {
  /// An observation: its observer, what it observes, and where it was registered.
  ///
  /// A snapshot: it does not keep the objects alive and does not change.
  public struct ObservationRecord: Hashable, Sendable {
    /// The observed object, as reports name it: `Account#12`.
    public let subject: String
    /// The observer, or nil for a token's closure.
    public let observer: String?
    /// The key path as it was registered.
    public let keyPath: String
    /// The options it was registered with.
    public let options: ObservingOptions
    /// The source line that registered it: `Screen.swift:12`.
    public let site: String
    /// Why it is meant to outlive its scope, if that was stated.
    public let expectedToLive: String?
  }

  /// The observations of `object`, oldest first.
  public static func census(of object: any KeyValueObservable) -> [ObservationRecord] {
    DeallocationHook.settle()
    return object.knownStorage.map(records) ?? []
  }

  /// The observations of all objects, by object in the order in which they were first observed.
  ///
  /// - Complexity: O(objects + observations). Other threads may run concurrently: each object's observations are a
  ///   consistent snapshot, but all of them together are not.
  public static func census() -> [ObservationRecord] {
    DeallocationHook.settle()
    return ObjectTable.shared.subjects.flatMap(records)
  }

  static func records(of storage: SubjectStorage) -> [ObservationRecord] {
    let registrations = storage.registrations
    let names = Recorder.shared.names
    func text(_ object: ObjectRef) -> String {
      "\(names[object.className])#\(names.text(of: object.id))"
    }
    return registrations.map { registration in
      let reason = names[registration.expectedToLive]
      return ObservationRecord(
        subject: text(registration.subject),
        observer: registration.observer.map(text),
        keyPath: names[registration.keyPath],
        options: ObservingOptions(registration.options),
        site: names.site(registration.site)?.location ?? "",
        expectedToLive: reason.isEmpty ? nil : reason
      )
    }
  }
}

extension ObservingOptions {
  init(_ options: Registration.Options) {
    self = []
    if options.contains(.new) { insert(.new) }
    if options.contains(.old) { insert(.old) }
    if options.contains(.initial) { insert(.initial) }
    if options.contains(.prior) { insert(.prior) }
  }
}
