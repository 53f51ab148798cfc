internal import KVORecorder

extension KVO {
  /// Starts a log of what happens from here on, as the environment variable `KVO_SAFETY_LOG` does
  /// from the first observation on.
  ///
  /// Existing registrations are listed at its beginning. If a log is being written, it ends. `kvo-audit PATH` reads it,
  /// also while it is written or after a crash.
  ///
  /// The log keeps its newest events: `path` is the newest of its log files, `path.1` the one before, and so on. When
  /// the process crashes, the crash and the live registrations are recorded, before the installed handlers run.
  ///
  /// If a process starts a log at the same path again, the previous log is kept: `path` is the first, then come
  /// `path.<pid>`, `path.<pid>-2` and so on. From the ninth on, each replaces the oldest that has ended.
  ///
  /// With `keep`, the log is a flight recording: a ring of `byteLimit` bytes, 64 MB by default. When one of the reasons
  /// occurs, its files are set aside as `path.kept-1`, `path.kept-2` and so on, of which a path has eight at the most,
  /// and the recording goes on in a new file. What is not kept is deleted when the recording ends in an orderly way; a
  /// process that crashes or is killed leaves it.
  ///
  /// A process has one log. If libKVOSafetyPreload.so writes one already, Swift observations are not in it, and no log
  /// is started.
  ///
  /// - Parameters:
  ///   - path: the file; `%p` in it is replaced by the process id. A folder, or a path that ends in a slash, stands for
  ///     `<program>-<process id>.kvolog` in it.
  ///   - byteLimit: how many bytes of events are kept at the most, in all log files together; less
  ///     than a megabyte counts as one. Nil: a gigabyte, or 64 megabytes of a flight recording.
  ///   - keep: the reasons to keep a flight recording; nil: every recording is kept.
  ///   - budget: what the recorder may use; nil: as much as it needs.
  /// - Throws: ``RecordingError`` if the file cannot be opened. Nothing has changed then.
  public static func startRecording(
    to path: String,
    byteLimit: Int? = nil,
    keep: RecordingKeepReasons? = nil,
    budget: RecordingBudget? = nil
  ) throws {
    do {
      try Recorder.shared.startLog(
        path: path,
        byteLimit: byteLimit
          ?? (keep == nil ? Recorder.defaultByteLimit : Recorder.defaultFlightByteLimit),
        isComplete: ObjectTable.shared.isUntouched,
        keepReasons: keep?.reasons,
        budget: budget?.setting ?? RecorderBudget()
      ) {
        liveRegistrations
      }
      recordParked()
    } catch {
      throw RecordingError(code: RecordingError.Code(error.code), path: path, message: "\(error)")
    }
  }

  /// Starts a log at `path` with the settings of the environment.
  static func startRecordingOfEnvironment(to path: String) throws(LogFileError) {
    try Recorder.shared.startLogOfEnvironment(
      path: path,
      isComplete: ObjectTable.shared.isUntouched
    ) {
      liveRegistrations
    }
    recordParked()
  }

  /// Ends the log.
  ///
  /// The file is kept. A flight recording (see ``startRecording(to:byteLimit:keep:budget:)``) is deleted, except for the files
  /// that were kept before.
  public static func stopRecording() { Recorder.shared.stopLog() }

  /// Whether a log is being written.
  ///
  /// Costs one load. Any thread may ask; another one may start or end the log at the same time.
  public static var isRecording: Bool { Recorder.shared.isLogging }

  /// Keeps the flight recording up to now.
  ///
  /// Its files are set aside, and the recording goes on in a new file. A recording that is always kept stays as it is.
  /// If no new file can be begun, the recording stays where it is and is not deleted at its end.
  ///
  /// Waits for the file system: do not call it for every event. A path has eight kept recordings; each further one
  /// replaces the oldest. Not in a signal handler.
  ///
  /// - Parameter reason: why, in a few words; `kvo-audit` prints it.
  /// - Returns: the file for `kvo-audit`; nil: nothing is recorded.
  @discardableResult
  public static func keepRecording(reason: String) -> String? {
    Recorder.shared.keepLog(reason: reason)
  }

  /// The file that the log is written to, or nil while nothing is recorded.
  public static var recordingPath: String? { Recorder.shared.logPath }
}

/// When a flight recording is kept.
///
/// ``KVO/keepRecording(reason:)`` keeps it in any case.
public struct RecordingKeepReasons: OptionSet, Sendable {
  /// The reasons as bits.
  public let rawValue: Int

  /// The reasons that have these bits.
  public init(rawValue: Int) { self.rawValue = rawValue }

  /// The library finds a violation that it reports: the first time at each call site.
  public static let finding = RecordingKeepReasons(rawValue: 1)
  /// The process crashes and goes on, because a handler returns or jumps out of the crash.
  ///
  /// A crash that ends the process leaves the recording whatever the reasons are.
  public static let crash = RecordingKeepReasons(rawValue: 2)

  var reasons: Recorder.KeepReasons {
    var reasons: Recorder.KeepReasons = []
    if contains(.finding) { reasons.insert(.finding) }
    if contains(.crash) { reasons.insert(.crash) }
    return reasons
  }
}
