internal import CKVORecorder
internal import CKVOUnwind
package import KVOTrace
internal import Synchronization

/// The recorder of this process: it names strings and stacks, and puts events into the log and into
/// the memory of tests.
///
/// Strings and stacks are interned whether or not anything is recorded, because a report made while
/// the program runs needs them too.
///
/// Any thread may call it. It never throws, blocks on user code, or ends the process; what it cannot
/// write is counted.
package final class Recorder: Sendable {
  private struct State {
    var memories: [EventMemory] = []
    var isLogging = false
    var exitDuties: [@Sendable () -> Void] = []
    /// What ``Recorder/names`` gave last.
    var names = TraceNames()
  }

  /// The log that is being written.
  struct Log {
    var files: LogFiles
    /// Which images the present part was told of.
    var images = ImageList()
  }

  // State:
  // - `state`: under its own lock. Nothing that takes the lock of the C half is called with it held;
  //   the other way round the hooks do.
  // - `log`: under its own lock, likewise. Static, because the recorder's own initialiser starts the
  //   log that the environment asks for, and the hooks may not wait for it.
  // - `uses`: what wants events, as bits: written under the lock of `state`, read without, so that a
  //   program that records nothing pays one load. relaxed: an event that races with the start of a
  //   recording may be in it or not.
  private let state = GuardedState<State>(State())
  static let log = GuardedState<Log?>(nil)
  private let uses = Atomic<UInt8>(0)

  private static let logUse: UInt8 = 1
  private static let memoryUse: UInt8 = 2

  /// The recorder of this process.
  ///
  /// Its first use starts the log that the environment variable `KVO_SAFETY_LOG` names.
  package static let shared: Recorder = {
    let recorder = Recorder()
    kvos_on_exit { Recorder.shared.processEnds(status: Int($0)) }
    recorder.startLogOfEnvironment()
    return recorder
  }()

  /// A recorder apart from the process's own, for tests: it may have memories, but no log.
  init() {}

  // MARK: Names

  /// The id of `string` in this process.
  ///
  /// Complexity: O(length), without a lock where it is known.
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

  /// The string behind `id`.
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

  /// What all ids of this process mean so far: a snapshot that shares its storage.
  ///
  /// Complexity: O(names that are new since the last call).
  package var names: TraceNames {
    state.withLock { state in
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

  /// Whether full stacks have libunwind to work with, or fall back to frame pointers.
  package static var hasUnwinder: Bool { kvos_has_unwinder() != 0 }

  /// The stack of the caller, as deep as recording allows for: full while something records.
  package func captureStack() -> StackID {
    StackID(rawValue: kvos_capture_stack_id(isRecording))
  }

  // MARK: Events

  /// Whether anything wants events.
  ///
  /// One relaxed load.
  package var isRecording: Bool { uses.load(ordering: .relaxed) != 0 }

  /// Records an event of the calling thread, now, in the scope of the current task.
  ///
  /// Does nothing where nothing records. Must not be called with a lock of the layer held.
  package func record(_ body: Event.Body, order: UInt64? = nil, stack: StackID = .none) {
    record(body, order, stack) {
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
    record(isEnd ? .didChange(change) : .willChange(change), order, stack) {
      LogEvents.record(change, isEnd: isEnd, order: order, stack: stack, scope: $0)
    }
  }

  /// Records the beginning or the end of a callback, likewise.
  package func record(
    _ delivery: Delivery,
    isEnd: Bool,
    order: UInt64?,
    stack: StackID = .none
  ) {
    record(isEnd ? .notifyEnd(delivery) : .notify(delivery), order, stack) {
      LogEvents.record(delivery, isEnd: isEnd, order: order, stack: stack, scope: $0)
    }
  }

  /// Hands an event to whatever wants it: to the log by `log`, with the number of the scope, and to the
  /// memories as `body`, which is made for them alone.
  @inline(__always)
  private func record(
    _ body: @autoclosure () -> Event.Body,
    _ order: UInt64?,
    _ stack: StackID,
    log: (_ scope: UInt64) -> Void
  ) {
    let uses = uses.load(ordering: .relaxed)
    guard uses != 0 else { return }
    if uses & Self.logUse != 0 { log(RecordingScope.currentNumber) }
    if uses & Self.memoryUse != 0 { remember(body(), order, stack, RecordingScope.current) }
  }

  private func remember(
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
    state.withLock { state in
      for memory in state.memories { memory.take(event) }
    }
  }

  // MARK: Memories

  /// Hands every event from now on to `memory` too.
  package func attach(_ memory: EventMemory) {
    state.withLock { state in
      state.memories.append(memory)
      note(state)
    }
  }

  /// Takes `memory` out.
  ///
  /// An event that another thread is recording just now may still reach it.
  package func detach(_ memory: EventMemory) {
    state.withLock { state in
      state.memories.removeAll { $0 === memory }
      note(state)
    }
  }

  /// Says whether a log is written.
  func note(isLogging: Bool) {
    state.withLock { state in
      state.isLogging = isLogging
      note(state)
    }
  }

  private func note(_ state: State) {
    let log = state.isLogging ? Self.logUse : 0
    uses.store(log | (state.memories.isEmpty ? 0 : Self.memoryUse), ordering: .relaxed)
  }

  // MARK: The end

  /// Adds what is to be done when the process ends in order, before the last event.
  package func atExit(_ duty: @escaping @Sendable () -> Void) {
    state.withLock { $0.exitDuties.append(duty) }
  }

  private func processEnds(status: Int) {
    for duty in state.withLock({ $0.exitDuties }) { duty() }
    // The child of a fork that recorded nothing has no log, and gets none for its end.
    if logPath == nil || kvos_part_number() > 0 { record(.exit(status: status)) }
    stopLog()
  }
}
