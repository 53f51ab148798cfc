internal import CKVOObjectiveC
internal import KVORecorder
internal import KVOSafety
internal import KVOTrace

/// The observations that are registered with the Foundation, and their observed objects.
///
/// The timeline of one:
/// 1. `add`: it is added to the library's table, then here, then to the Foundation's. Its observer there has only its
///    number.
/// 2. The Foundation notifies the observer, on any thread; the number is looked up, and the change is delivered by the
///    library, which knows whether the registration still exists.
/// 3. It ends in the library, by its token, its owner or its object, on any thread; the code that ended it removes it
///    here and, if the object is alive, from the Foundation.
/// 4. The observer's memory is kept for a while: another thread may have read the Foundation's list before.
final class NativeObservations: Sendable {
  // State: `state`, under its own lock. No object is messaged and nothing is released under it.
  private let state = GuardedState(State())

  private struct State {
    /// The representation of an object, from its first observation to its deallocation.
    var subjects: [UInt: ForeignObject] = [:]
    var observations: [UInt64: NativeObservation] = [:]
  }

  static let shared = NativeObservations()

  private init() {}

  // MARK: The runtime

  /// The missing part; nil: none.
  static var problem: ObjectiveCError? {
    var callbacks = KVOSObjectiveCCallbacks(
      notified: { number, change in NativeObservations.shared.notified(number, change.pointee) },
      deallocated: { NativeObservations.shared.deallocated(UInt(bitPattern: $0)) }
    )
    return ObjectiveCError(kvos_begin_objective_c(&callbacks))
  }

  static var isReady: Bool { problem == nil }

  // MARK: Objects

  /// The representation of the object, created when it is first observed.
  func subject(_ pointer: UnsafeMutableRawPointer) -> ForeignObject {
    let made = ForeignObject(className: String(cString: kvos_object_class_name(pointer)))
    let known = state.withLock { state in
      let known = state.subjects[UInt(bitPattern: pointer)]
      if known == nil { state.subjects[UInt(bitPattern: pointer)] = made }
      return known
    }
    if known == nil { kvos_watch_object(pointer) }
    return known ?? made
  }

  /// The same; nil if it is not observed.
  func known(_ pointer: UnsafeMutableRawPointer) -> ForeignObject? {
    state.withLock { $0.subjects[UInt(bitPattern: pointer)] }
  }

  private func deallocated(_ address: UInt) {
    let subject = state.withLock { $0.subjects.removeValue(forKey: address) }
    guard let subject, let pointer = UnsafeRawPointer(bitPattern: address) else { return }
    kvos_unwatch_object(pointer)
    subject.didDeallocate()
  }

  // MARK: Observations

  /// Registers with the library and with the Foundation.
  func add(
    _ request: ForeignRequest,
    on pointer: UnsafeMutableRawPointer,
    _ keyPath: String,
    _ options: ObservingOptions,
    _ handler: @escaping (ObjectiveCObject, ObservedChange<ObjectiveCObject>) -> Void
  ) throws(ObjectiveCError) -> ForeignRegistration {
    let number = KVO.nextNumber()
    guard let observer = kvos_make_observer(number) else {
      throw ObjectiveCError(code: .outOfMemory)
    }
    let subject = subject(pointer)
    return ForeignRegistration(
      request,
      handler: { handler(ObjectiveCObject(pointer), $0) },
      didEnd: { self.end(number) },
      adding: { registration in
        let observation = NativeObservation(
          registration: registration,
          subject: subject,
          subjectAddress: UInt(bitPattern: pointer),
          observerAddress: UInt(bitPattern: observer),
          keyPath: keyPath,
          options: options,
          adder: Recorder.currentThread
        )
        state.withLock { $0.observations[number] = observation }
        kvos_add_observer(pointer, observer, keyPath, options.rawValue)
        finishAdding(number)
      }
    )
  }

  private func finishAdding(_ number: UInt64) {
    let hasEnded = state.withLock { state in
      state.observations[number]?.adder = nil
      return state.observations[number]?.hasEnded ?? false
    }
    if hasEnded { end(number) }
  }

  /// Removes the observation, unless it is being added: then the adding thread does.
  private func end(_ number: UInt64) {
    let (ended, isAlive) = state.withLock { state -> (NativeObservation?, Bool) in
      guard let observation = state.observations[number] else { return (nil, false) }
      guard observation.adder == nil else {
        state.observations[number]?.hasEnded = true
        return (nil, false)
      }
      state.observations[number] = nil
      return (observation, state.subjects[observation.subjectAddress] === observation.subject)
    }
    guard let ended, let observer = UnsafeMutableRawPointer(bitPattern: ended.observerAddress),
      let subject = UnsafeMutableRawPointer(bitPattern: ended.subjectAddress)
    else { return }
    if isAlive { kvos_remove_observer(subject, observer, ended.keyPath) }
    // The Foundation continues to observe the other objects of a path for a deallocated object.
    kvos_retire_observer(observer, !isAlive && ended.keyPath.contains("."))
  }

  /// Called when the Foundation notifies an observer.
  private func notified(_ number: UInt64, _ change: KVOSNotifiedChange) {
    let thread = Recorder.currentThread
    let (observation, isInitial) = state.withLock { state -> (NativeObservation?, Bool) in
      guard let observation = state.observations[number] else { return (nil, false) }
      let isInitial = observation.awaitsInitial && observation.adder == thread
      if isInitial { state.observations[number]?.awaitsInitial = false }
      return (observation, isInitial)
    }
    guard let observation else { return }
    observation.deliver(change, isInitial: isInitial)
  }
}

/// One registration with the Foundation.
private struct NativeObservation: Sendable {
  let registration: ForeignRegistration
  let subject: ForeignObject
  let subjectAddress: UInt
  let observerAddress: UInt
  let keyPath: String
  let options: ObservingOptions
  /// The thread that is adding it; nil once it is added.
  var adder: ThreadID?
  /// Whether it ended while it was being added.
  var hasEnded = false
  /// Whether the initial notification is still pending.
  var awaitsInitial: Bool

  init(
    registration: ForeignRegistration,
    subject: ForeignObject,
    subjectAddress: UInt,
    observerAddress: UInt,
    keyPath: String,
    options: ObservingOptions,
    adder: ThreadID
  ) {
    self.registration = registration
    self.subject = subject
    self.subjectAddress = subjectAddress
    self.observerAddress = observerAddress
    self.keyPath = keyPath
    self.options = options
    self.adder = adder
    awaitsInitial = options.contains(.initial)
  }

  func deliver(_ change: KVOSNotifiedChange, isInitial: Bool) {
    func value(_ pointer: UnsafeMutableRawPointer?) -> Any? { pointer.map { ObjectiveCObject($0) } }
    registration.deliver(
      isInitial ? .initial : change.isPrior ? .prior : .after,
      ObservedChangeKind(rawValue: UInt(change.kind)) ?? .setting,
      old: options.contains(.old) ? .some(value(change.oldValue)) : nil,
      new: options.contains(.new) ? .some(value(change.newValue)) : nil,
      indexes: change.indexes.map(Self.indexes)
    )
  }

  private static func indexes(_ set: UnsafeMutableRawPointer) -> RangeSet<Int> {
    var indexes = RangeSet<Int>()
    var index = kvos_first_index(set)
    while index >= 0 {
      indexes.insert(contentsOf: index..<(index + 1))
      index = kvos_index_above(set, index)
    }
    return indexes
  }
}
