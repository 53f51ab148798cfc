internal import CKVORecorder
internal import Glibc
package import KVOTrace

// Starting and ending the log of the process.
extension Recorder {
  /// How many bytes of events a log keeps by default.
  package static let defaultByteLimit = Int(KVOS_DEFAULT_BYTE_LIMIT)

  /// The path of the log that is being written, or nil.
  package var logPath: String? {
    Self.begin()
    return Self.take(kvos_copy_log_path())
  }

  /// Starts a log at `path`, in which `%p` is replaced by the process id.
  ///
  /// If a log is already being written, it ends. A log in which more than `byteLimit` bytes of events were written
  /// loses its oldest quarter.
  ///
  /// - Parameters:
  ///   - path: the file; must be a regular file or not exist yet. A folder, or a path that ends in a slash, stands for
  ///     `<program>-<process id>.kvolog` in it.
  ///   - byteLimit: how many bytes of events are kept at the most.
  ///   - isComplete: whether nothing was observed before.
  ///   - keepReasons: the reasons to keep a flight recording; nil: the log is not one, and always kept.
  ///   - budget: what the recorder may use.
  ///   - live: returns the current registrations. Called twice, without a lock: after the new log
  ///     takes events, so that none falls between, and when those are listed.
  /// - Throws: ``LogFileError`` if the file cannot be opened, or the library for Objective-C
  ///   programs writes the log of this process; nothing has changed then.
  package func startLog(
    path: String,
    byteLimit: Int = Recorder.defaultByteLimit,
    isComplete: Bool,
    keepReasons: KeepReasons? = nil,
    budget: RecorderBudget = RecorderBudget(),
    live: () -> [Registration]
  ) throws(LogFileError) {
    Self.begin()
    try openLog(
      path: path,
      byteLimit: byteLimit,
      isComplete: isComplete,
      keepReasons: keepReasons?.union(.call) ?? [],
      budget: budget.setting
    )
    list(live)
  }

  private func list(_ live: () -> [Registration]) {
    let listed = live()
    for registration in listed { record(.live(registration)) }
    // The end of a registration may have been recorded before it was listed: a crash would list it forever.
    let there = Set(live().lazy.compactMap(\.id))
    for id in listed.lazy.compactMap(\.id) where !there.contains(id) { LogEvents.forget(id) }
  }

  private func openLog(
    path: String,
    byteLimit: Int,
    isComplete: Bool,
    keepReasons: KeepReasons,
    budget: KVOSBudget
  ) throws(LogFileError) {
    guard !path.isEmpty else { throw LogFileError(code: .emptyPath, path: path) }
    var failure = KVOSLogFailure()
    let code = path.withCString { pattern in
      var request = KVOSLogRequest(
        pattern: pattern,
        byteLimit: UInt64(max(byteLimit, 0)),
        runtime: ProcessInfo.Runtime.swift.binaryNumber,
        isComplete: isComplete,
        keepReasons: keepReasons.rawValue,
        budget: budget
      )
      return kvos_open_log(&request, &failure)
    }
    guard code == 0 else {
      // If files could not be opened, the previous log continues; if a log file could not be begun, it has ended.
      note(isLogging: kvos_is_recording() && code != KVOS_RECORDED_ELSEWHERE)
      throw LogFileError(failure, wanted: path)
    }
    note(isLogging: true)
  }

  /// Ends the log that is being written, if any, and reports on standard error what it lost.
  package func stopLog() {
    note(isLogging: false)
    kvos_close_log()
  }

  /// Starts the log that the environment asks for, and reports on standard error if it cannot.
  func startLogOfEnvironment() {
    guard let path = getenv("KVO_SAFETY_LOG"), path.pointee != 0 else { return }
    do {
      try openLogOfEnvironment(path: String(cString: path), isComplete: true)
    } catch {
      let rest = error.code == .recordedAlready ? "" : " The program runs on, unrecorded."
      StandardError.say("KVOSafety: \(error).\(rest)\n")
    }
  }

  /// Starts a log at `path` with the settings of the environment, as
  /// ``startLog(path:byteLimit:isComplete:keepReasons:budget:live:)`` does with others.
  ///
  /// - Throws: ``LogFileError``, likewise.
  package func startLogOfEnvironment(
    path: String,
    isComplete: Bool,
    live: () -> [Registration]
  ) throws(LogFileError) {
    Self.begin()
    try openLogOfEnvironment(path: path, isComplete: isComplete)
    list(live)
  }

  private func openLogOfEnvironment(path: String, isComplete: Bool) throws(LogFileError) {
    let reasons = KeepReasons(rawValue: kvos_keep_reasons_of_environment())
    let otherwise = reasons.isEmpty ? KVOS_DEFAULT_BYTE_LIMIT : KVOS_DEFAULT_FLIGHT_BYTE_LIMIT
    try openLog(
      path: path,
      byteLimit: Int(kvos_byte_limit_of_environment(UInt64(otherwise))),
      isComplete: isComplete,
      keepReasons: reasons,
      budget: kvos_budget_of_environment()
    )
  }

  /// The text from the C half, which is freed.
  static func take(_ text: UnsafeMutablePointer<CChar>?) -> String? {
    defer { free(text) }
    return text.map { String(cString: $0) }
  }
}
