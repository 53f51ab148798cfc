internal import CKVOObjectiveC
internal import KVORecorder
internal import KVOSafety
internal import KVOTrace

/// The observations that are registered with the Foundation, and the objects that they are on.
///
/// The timeline of one:
/// 1. `add`: it is in the layer's table, then here, then the Foundation's. Its observer there knows
///    nothing but its number.
/// 2. The Foundation tells the observer, on any thread; the number is looked up, and the change is
///    delivered by the layer, which knows whether the registration still is.
/// 3. It ends in the layer, by its token, its owner or its object, on any thread; whoever ended it takes it
///    out here and, where the object lives, out of the Foundation.
/// 4. The observer's memory stays for a while: another thread may have read the Foundation's list before.
final class NativeObservations: Sendable {
  // State: `state`, under its own lock. No object is messaged and nothing is released under it.
  private let state = GuardedState(State())

  private struct State {
    /// What stands for an object, from its first observation to its death.
    var subjects: [UInt: ForeignObject] = [:]
    var observations: [UInt64: NativeObservation] = [:]
  }

  static let shared = NativeObservations()

  private init() {}

  // MARK: The runtime

  /// What is missing; nil: nothing.
  static var problem: ObjectiveCError? {
    var callbacks = KVOSObjectiveCCallbacks(
      told: { number, change in NativeObservations.shared.told(number, change.pointee) },
      died: { NativeObservations.shared.died(UInt(bitPattern: $0)) }
    )
    return ObjectiveCError(kvos_begin_objective_c(&callbacks))
  }

  static var isReady: Bool { problem == nil }

  // MARK: Objects

  /// What stands for the object, made where it is observed for the first time.
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

  /// The same; nil where it is not observed.
  func known(_ pointer: UnsafeMutableRawPointer) -> ForeignObject? {
    state.withLock { $0.subjects[UInt(bitPattern: pointer)] }
  }

  private func died(_ address: UInt) {
    let subject = state.withLock { $0.subjects.removeValue(forKey: address) }
    guard let subject, let pointer = UnsafeRawPointer(bitPattern: address) else { return }
    kvos_unwatch_object(pointer)
    subject.die()
  }

  // MARK: Observations

  /// Registers with the layer and with the Foundation.
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

  /// Takes the observation out, unless it is being added: then whoever adds it does.
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
    // The other objects of a path are observed on, by the Foundation, for an object that is gone.
    kvos_retire_observer(observer, !isAlive && ended.keyPath.contains("."))
  }

  /// The Foundation tells an observer.
  private func told(_ number: UInt64, _ change: KVOSToldChange) {
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
  /// The thread that is adding it; nil when it is added.
  var adder: ThreadID?
  /// Whether it ended while it was being added.
  var hasEnded = false
  /// Whether the initial notification is still to come.
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

  func deliver(_ change: KVOSToldChange, isInitial: Bool) {
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
