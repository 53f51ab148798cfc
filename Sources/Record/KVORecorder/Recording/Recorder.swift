public import CKVORecorder
internal import CKVOUnwind
package import KVOTrace
internal import Synchronization

/// The recorder of this process: it interns strings and stacks, and puts events into the log and into the memory of
/// tests.
///
/// Strings and stacks are interned whether or not anything is recorded, because a report made while
/// the program runs needs them too.
///
/// Any thread may call it. It never throws, blocks on user code, or ends the process; it counts the
/// events that it cannot write.
///
/// A value without storage, and not an object: every thread that records would retain and release
/// that one object, and threads that update one reference count wait for each other (two of them
/// spent twice as much on an event).
@usableFromInline
package struct Recorder: Sendable {
  private struct State {
    var memories: [EventMemory] = []
    /// The newest events of the memories; nil if there are none.
    var block: EventBlock?
    var isLogging = false
    var exitDuties: [@Sendable () -> Void] = []
    /// The last result of ``Recorder/names``.
    var names = TraceNames()
    /// The names of the threads whose events a memory took.
    var threadNames: [ThreadID: StringID] = [:]
  }

  // State:
  // - `state`: under its own lock. Nothing that takes the lock of the C half is called with it held.
  // - `uses`: the consumers of events, as bits: written under the lock of `state`, read without, so that a program that
  //   records nothing pays one load. relaxed: an event that races with the start of a recording may be in it or not.
  //   The registrations are queried after it is set, under the locks under which additions and ends read it: each later
  //   addition or end finds it set. Until the first query it is `unasked`, which is neither.
  // - `beginning`: made once, by the first thread that finds `unasked`; it starts the log of the
  //   environment.
  private static let state = GuardedState<State>(State())
  private static let uses = Atomic<UInt8>(unasked)

  private static let logUse: UInt8 = 1
  static let memoryUse: UInt8 = 2
  private static let unasked: UInt8 = 4
  /// The log has a budget: for each object it is asked whether it is recorded, and the time is measured.
  static let budgetUse: UInt8 = 8

  /// The recorder of this process.
  ///
  /// The first event, and the first query whether anything records, start the log that the environment variable
  /// `KVO_SAFETY_LOG` names.
  @inlinable package static var shared: Recorder {
    @inline(__always) get { Recorder() }
  }

  @inlinable
  @inline(__always)
  init() {}

  // Concurrent callers block: no event is lost between the beginning and the log.
  private static let beginning: Void = {
    kvos_on_exit { Recorder.shared.processEnds(status: Int($0)) }
    shared.startLogOfEnvironment()
    state.withLock { note($0) }
  }()

  /// Starts the log of the environment, if nothing has.
  static func begin() { _ = beginning }

  @inline(__always)
  static var present: UInt8 {
    let present = uses.load(ordering: .relaxed)
    return present & unasked == 0 ? present : presentAtLast
  }

  @inline(never)
  private static var presentAtLast: UInt8 {
    begin()
    return uses.load(ordering: .relaxed)
  }

  // MARK: Names

  /// The id of `string` in this process.
  ///
  /// Complexity: O(length), without a lock if it is known.
  package static func id(of string: String) -> StringID {
    var string = string
    return StringID(rawValue: string.withUTF8 { kvos_intern_string($0.baseAddress, $0.count) })
  }

  /// The id of `string` in this process.
  package func id(of string: String) -> StringID { Self.id(of: string) }

  /// The id of the stack of one frame that the compiler knows.
  package func id(ofLine line: UInt32, file: String, module: String, function: String) -> StackID {
    StackID(
      rawValue: kvos_intern_source_line(
        id(of: function).rawValue,
        id(of: module).rawValue,
        id(of: file).rawValue,
        line
      )
    )
  }

  /// The id of the stack whose only frame is the start of a function.
  package func id(ofCode address: UInt64) -> StackID {
    // Readers look one byte before a return address.
    withUnsafePointer(to: UInt(address) &+ 1) { StackID(rawValue: kvos_intern_stack($0, 1)) }
  }

  /// Nanoseconds on the clock of events.
  package static var now: UInt64 { kvos_monotonic_nanoseconds() }

  /// The string of `id`.
  package func text(of id: StringID) -> String { Self.text(of: id) }

  private static func text(of id: StringID) -> String {
    var count = 0
    let bytes = kvos_string(id.rawValue, &count)
    return String(decoding: UnsafeBufferPointer(start: bytes, count: count), as: UTF8.self)
  }

  private static func frames(of id: StackID) -> [Frame] {
    var count = 0
    let words = UnsafeBufferPointer(start: kvos_stack(id.rawValue, &count), count: count)
    guard words.count == 3, words[0] == 0 else { return words.map { Frame(address: UInt64($0)) } }
    let line = Frame(
      symbol: StringID(rawValue: UInt32(words[1] >> 32)),
      module: StringID(rawValue: UInt32(truncatingIfNeeded: words[1])),
      file: StringID(rawValue: UInt32(words[2] >> 32)),
      line: UInt32(truncatingIfNeeded: words[2])
    )
    return [line]
  }

  /// The values of all ids of this process so far: a snapshot that shares its storage.
  ///
  /// Complexity: O(names that are new since the last call).
  package var names: TraceNames {
    Self.state.withLock { state in
      let strings = kvos_string_count()
      let stacks = kvos_stack_count()
      while state.names.stringCount < Int(strings) {
        state.names.append(Self.text(of: StringID(rawValue: UInt32(state.names.stringCount + 1))))
      }
      while state.names.stackCount < Int(stacks) {
        state.names.append(Self.frames(of: StackID(rawValue: UInt32(state.names.stackCount + 1))))
      }
      return state.names
    }
  }

  /// The calling thread.
  package static var currentThread: ThreadID { ThreadID(kvos_thread_number()) }

  /// The system's name of the calling thread, as logs have it; none if it has no name.
  package static var currentThreadName: StringID {
    withUnsafeTemporaryAllocation(of: CChar.self, capacity: 32) { buffer in
      guard let start = buffer.baseAddress else { return .none }
      kvos_thread_name(start, buffer.count)
      return start.pointee == 0 ? .none : id(of: String(cString: start))
    }
  }

  /// The names of the threads whose events a memory took, as logs have them.
  package var threadNames: [ThreadID: StringID] { Self.state.withLock { $0.threadNames } }

  /// Whether full stacks use libunwind; otherwise they fall back to frame pointers.
  package static var hasUnwinder: Bool { kvos_open_unwinder() != 0 }

  /// The stack of the caller, as deep as recording allows for: full while something records.
  package func captureStack() -> StackID {
    let begin = Self.beginMeasuring()
    let stack = StackID(rawValue: kvos_capture_stack_id(isRecording))
    if begin != 0 { kvos_add_measured(begin) }
    return stack
  }

  // MARK: Events

  /// Whether anything consumes events.
  ///
  /// Costs one relaxed load.
  package var isRecording: Bool { Self.present != 0 }

  /// Records an event of the calling thread, now, in the scope of the current task.
  ///
  /// Does nothing if nothing records. Must not be called with a lock of the library held.
  ///
  /// - Parameters:
  ///   - body: what happened.
  ///   - order: its position among the events of the object.
  ///   - stack: the calls that led to it.
  ///   - subject: the observed object, if the event names only a registration on it.
  package func record(
    _ body: Event.Body,
    order: UInt64? = nil,
    stack: StackID = .none,
    of subject: @autoclosure () -> ObjectID? = nil
  ) {
    record(body, order, stack, subject()) {
      LogEvents.record(body, order: order, stack: stack, scope: $0)
    }
  }

  /// Records one half of a change, without a detour through ``Event/Body-swift.enum``.
  package func record(
    _ change: Change,
    isEnd: Bool,
    order: UInt64? = nil,
    stack: StackID = .none
  ) {
    record(isEnd ? .didChange(change) : .willChange(change), order, stack, nil) {
      LogEvents.record(change, isEnd: isEnd, order: order, stack: stack, scope: $0)
    }
  }

  /// Records the beginning or the end of a callback, likewise.
  package func record(
    _ delivery: Delivery,
    isEnd: Bool,
    order: UInt64?,
    stack: StackID = .none,
    of subject: @autoclosure () -> ObjectID? = nil
  ) {
    record(isEnd ? .notifyEnd(delivery) : .notify(delivery), order, stack, subject()) {
      LogEvents.record(delivery, isEnd: isEnd, order: order, stack: stack, scope: $0)
    }
  }

  /// Whether this many events would be lost, because only the log needs them and has no space.
  ///
  /// If so, they are counted as lost, and need not be recorded.
  package func loses(_ count: Int) -> Bool {
    Self.present & (Self.memoryUse | Self.unasked) == 0 && LogEvents.loses(UInt64(count))
  }

  /// Whether ``loses(_:)`` is worth asking: false until the log was refused space for the first time.
  ///
  /// Costs one relaxed load.
  @inlinable package static var mayLose: Bool {
    @inline(__always) get { kvos_may_lose_at_once() }
  }

  /// Records one half of a change by a setter, which has no stack: the shortest way into the log.
  ///
  /// - Parameters:
  ///   - key: the key that is set.
  ///   - subject: the object that has it.
  ///   - id: the number of the change.
  ///   - isEnd: which half it is.
  ///   - order: its position among the events of the object.
  package func recordSetting(
    of key: StringID,
    _ subject: ObjectRef,
    _ id: ChangeID,
    isEnd: Bool,
    order: UInt64
  ) {
    // A pattern: `==` of this enum calls a witness.
    guard Self.present == Self.logUse, case .object = subject.kind else {
      let change = Change(subject: subject, key: key, id: id)
      return record(change, isEnd: isEnd, order: order)
    }
    LogEvents.recordSetting(
      of: key,
      subject,
      id,
      isEnd: isEnd,
      order: order,
      scope: RecordingScope.currentNumber
    )
  }

  /// Records the beginning or the end of a callback that follows a change, likewise.
  package func recordDelivery(
    _ registration: RegistrationID,
    of change: ChangeID,
    isHandled: Bool? = nil,
    isEnd: Bool = false,
    order: UInt64,
    of subject: @autoclosure () -> ObjectID? = nil
  ) {
    guard Self.present == Self.logUse, isHandled == nil else {
      let delivery = Delivery(
        registration: registration,
        change: change,
        phase: .after,
        isHandled: isHandled
      )
      return record(delivery, isEnd: isEnd, order: order, of: subject())
    }
    LogEvents.recordPlainDelivery(
      registration,
      of: change,
      isEnd: isEnd,
      order: order,
      scope: RecordingScope.currentNumber
    )
  }

  /// Passes an event to its consumers: to the log by `log`, with the number of the scope, and to the memories as
  /// `body`, which is made only for them.
  @inline(__always)
  private func record(
    _ body: @autoclosure () -> Event.Body,
    _ order: UInt64?,
    _ stack: StackID,
    _ subject: @autoclosure () -> ObjectID?,
    log: (_ scope: UInt64) -> Void
  ) {
    let uses = Self.present
    guard uses != 0 else { return }
    if uses & Self.logUse != 0 { log(RecordingScope.currentNumber) }
    if uses & ~Self.logUse != 0 { recordElsewhere(body(), order, stack, subject(), uses) }
  }

  func remember(
    _ body: Event.Body,
    _ order: UInt64?,
    _ stack: StackID,
    _ scope: ScopeID?
  ) {
    let event = Event(
      body,
      time: kvos_monotonic_nanoseconds(),
      thread: Self.currentThread,
      order: order,
      stack: stack,
      scope: scope
    )
    let thread = Self.currentThread
    let isNamed = Self.state.withLock { state in
      if let block = state.block { state.block = block.take(event) }
      return state.threadNames[thread] != nil
    }
    if isNamed { return }
    let name = Self.currentThreadName
    Self.state.withLock { $0.threadNames[thread] = name }
  }

  // MARK: Memories

  /// Hands every event from now on to `memory` too.
  package func attach(_ memory: EventMemory) {
    Self.begin()
    Self.state.withLock { state in
      let block = state.block ?? EventBlock()
      state.block = block
      memory.begin(in: block)
      state.memories.append(memory)
      Self.note(state)
    }
  }

  /// Removes `memory`.
  ///
  /// An event that another thread is recording just now may still reach it.
  package func detach(_ memory: EventMemory) {
    Self.state.withLock { state in
      state.memories.removeAll { $0 === memory }
      if let block = state.block { memory.end(in: block) }
      if state.memories.isEmpty { state.block = nil }
      Self.note(state)
    }
  }

  /// Sets whether a log is written.
  func note(isLogging: Bool) {
    Self.state.withLock { state in
      state.isLogging = isLogging
      Self.note(state)
    }
  }

  private static func note(_ state: State) {
    let log = state.isLogging ? kvos_is_budgeted() ? budgetUse : logUse : 0
    uses.store(log | (state.memories.isEmpty ? 0 : memoryUse), ordering: .relaxed)
  }

  // MARK: The end

  /// Adds an action for a normal exit of the process, before the last event.
  package func atExit(_ duty: @escaping @Sendable () -> Void) {
    Self.begin()
    Self.state.withLock { $0.exitDuties.append(duty) }
  }

  private func processEnds(status: Int) {
    for duty in Self.state.withLock({ $0.exitDuties }) { duty() }
    // The child of a fork that recorded nothing has no log, and gets none for its exit.
    if logPath == nil || kvos_part_number() > 0 { record(.exit(status: status)) }
    stopLog()
  }
}
