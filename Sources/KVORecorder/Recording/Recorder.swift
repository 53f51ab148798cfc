internal import CKVOUnwind
internal import Glibc
package import KVOTrace
internal import Synchronization

/// The recorder of this process: it names strings and stacks, and hands events to its sinks.
///
/// Strings and stacks are interned whether or not anything is recorded, because a report made while
/// the program runs needs them too.
///
/// Any thread may call it. It never throws, blocks on user code, or ends the process; what it cannot
/// write is counted.
package final class Recorder: Sendable {
  private struct State {
    var names = TraceNames()
    var sinks: [any EventSink] = []
    var log: LogFileSink?
    var exitDuties: [@Sendable () -> Void] = []
  }
  // State:
  // - `state`: under its own lock. `take` of a sink runs under it, the writing does not.
  // - `hasSinks`: whether `state.sinks` is not empty; written under the lock, read without, so
  //   that a program that records nothing pays one load. relaxed: an event that races with the
  //   start of a recording may be in it or not.
  private let state = GuardedState<State>(State())
  private let hasSinks = Atomic<Bool>(false)

  /// The recorder of this process.
  ///
  /// Its first use starts the log that the environment variable `KVO_SAFETY_LOG` names.
  package static let shared: Recorder = {
    let recorder = Recorder()
    kvos_on_exit { Recorder.shared.processEnds(status: Int($0)) }
    if let path = getenv("KVO_SAFETY_LOG"), path.pointee != 0 {
      do {
        try recorder.startLog(path: String(cString: path), isComplete: true, live: { [] })
      } catch {
        StandardError.write("KVOSafety: \(error). The program runs on, unrecorded.\n")
      }
    }
    return recorder
  }()

  /// A recorder apart from the process's own, for tests.
  init() {}

  // MARK: Names

  /// The id of `string` in this process.
  ///
  /// Complexity: O(length), under a lock.
  package func id(of string: String) -> StringID { state.withLock { $0.names.id(of: string) } }

  /// The id of the stack that `frames` make, innermost first.
  package func id(of frames: [Frame]) -> StackID { state.withLock { $0.names.id(of: frames) } }

  /// What all ids of this process mean so far: a snapshot that shares its storage.
  package var names: TraceNames { state.withLock { $0.names } }

  /// The calling thread.
  package static var currentThread: ThreadID { ThreadID(kvos_thread_number()) }

  /// The stack of the caller, as deep as recording allows for: full while something records.
  package func captureStack() -> StackID {
    id(of: StackCapture.frames(isRecording ? .full : .shallow))
  }

  // MARK: Events

  /// Whether any sink wants events.
  ///
  /// One relaxed load.
  package var isRecording: Bool { hasSinks.load(ordering: .relaxed) }

  /// Records an event of the calling thread, now, in the scope of the current task.
  ///
  /// Does nothing where nothing records. Must not be called with a lock of the layer held.
  package func record(_ body: Event.Body, order: UInt64? = nil, stack: StackID = .none) {
    guard isRecording else { return }
    let event = Event(
      body,
      time: kvos_monotonic_nanoseconds(),
      thread: Self.currentThread,
      order: order,
      stack: stack,
      scope: RecordingScope.current
    )
    let writes = state.withLock { state in
      state.sinks.compactMap { $0.take(event, names: state.names) }
    }
    for write in writes { write() }
  }

  // MARK: Sinks

  /// Adds a sink: it is handed every event from now on.
  package func attach(_ sink: some EventSink) {
    state.withLock { state in
      state.sinks.append(sink)
      hasSinks.store(true, ordering: .relaxed)
    }
  }

  /// Removes a sink.
  ///
  /// An event that another thread is recording just now may still reach it.
  package func detach(_ sink: some EventSink) {
    state.withLock { state in
      state.sinks.removeAll { $0 === sink }
      hasSinks.store(!state.sinks.isEmpty, ordering: .relaxed)
    }
  }

  /// The path of the log that is being written, or nil.
  package var logPath: String? { state.withLock { $0.log?.file.path } }

  /// Starts a log at `path`, in which `%p` stands for the process id.
  ///
  /// A log that is already being written ends there.
  ///
  /// - Parameters:
  ///   - path: where to; must be a regular file or none yet.
  ///   - isComplete: whether nothing was observed before.
  ///   - live: tells the registrations that there are. Called without a lock, after the new log
  ///     takes events, so that none falls between.
  /// - Throws: ``LogFileError`` where the file cannot be opened; nothing has changed then.
  package func startLog(
    path: String,
    isComplete: Bool,
    live: () -> [Registration]
  ) throws(LogFileError) {
    let sink = LogFileSink(file: try LogFile(path: path))
    let process = ProcessInfo(
      pid: Int(getpid()),
      executable: Self.executablePath,
      runtime: .swift,
      os: "Linux",
      started: Self.now,
      isComplete: isComplete
    )
    let (former, write) = state.withLock { state in
      let former = state.log
      if let former { state.sinks.removeAll { $0 === former } }
      state.log = sink
      state.sinks.append(sink)
      hasSinks.store(true, ordering: .relaxed)
      return (former, sink.take(Event(.process(process)), names: state.names))
    }
    write?()
    if let former { Self.tellLoss(of: former.file) }
    for registration in live() { record(.live(registration)) }
  }

  /// Ends the log that is being written, if any, and says on standard error what it lost.
  package func stopLog() {
    let log = state.withLock { state in
      let log = state.log
      state.log = nil
      return log
    }
    if let log {
      detach(log)
      Self.tellLoss(of: log.file)
    }
  }

  /// Adds what is to be done when the process ends in order, before the last event.
  package func atExit(_ duty: @escaping @Sendable () -> Void) {
    state.withLock { $0.exitDuties.append(duty) }
  }

  private func processEnds(status: Int) {
    for duty in state.withLock({ $0.exitDuties }) { duty() }
    record(.exit(status: status))
    if let file = state.withLock({ $0.log?.file }) { Self.tellLoss(of: file) }
  }

  /// Says of a log that ends what it could not say itself.
  private static func tellLoss(of file: LogFile) {
    let count = file.lostCount
    guard count > 0 else { return }
    StandardError.write("KVOSafety: \(count) events could not be written to \"\(file.path)\"\n")
  }

  private static var executablePath: String? {
    withUnsafeTemporaryAllocation(of: CChar.self, capacity: Int(PATH_MAX) + 1) { buffer in
      guard let base = buffer.baseAddress else { return nil }
      let count = readlink("/proc/self/exe", base, Int(PATH_MAX))
      guard count > 0 else { return nil }
      buffer[count] = 0
      return String(cString: base)
    }
  }

  /// The time of day in ISO 8601, UTC, in seconds.
  private static var now: String {
    var seconds = time(nil)
    var parts = tm()
    guard gmtime_r(&seconds, &parts) != nil else { return "" }
    return withUnsafeTemporaryAllocation(of: CChar.self, capacity: 32) { buffer in
      guard let base = buffer.baseAddress,
        strftime(base, buffer.count, "%Y-%m-%dT%H:%M:%SZ", &parts) > 0
      else { return "" }
      return String(cString: base)
    }
  }
}
