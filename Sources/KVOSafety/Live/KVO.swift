internal import KVORecorder
package import KVOTrace
internal import Synchronization

/// The library as a whole: the current observations, the handling of faults, and the log.
public enum KVO {
  /// The reaction to faults, rule by rule.
  ///
  /// ```swift
  /// KVO.policy[.doubleRemove] = .trap
  /// ```
  public static var policy: ObservationPolicy {
    get { LiveMonitor.shared.policy }
    set { LiveMonitor.shared.policy = newValue }
  }

  /// How many ended registrations an observed object remembers, so that a report can name the
  /// earlier removal.
  ///
  /// Applies to objects that are first observed after it is set.
  ///
  /// Older ones are dropped, and the report says "earlier history lost".
  public static var historyCapacity: Int {
    get { historySetting.load(ordering: .relaxed) }
    set { historySetting.store(max(newValue, 0), ordering: .relaxed) }
  }

  // relaxed: a setting, read when an object is first observed; nothing is published with it.
  private static let historySetting = Atomic<Int>(64)

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
  /// A process has one log. If libKVOSafetyPreload.so writes one already, Swift observations are not in it, and no log
  /// is started.
  ///
  /// - Parameters:
  ///   - path: the file; `%p` in it is replaced by the process id. A folder, or a path that ends in a slash, stands for
  ///     `<program>-<process id>.kvolog` in it.
  ///   - byteLimit: how many bytes of events are kept at the most, in all log files together; less
  ///     than a megabyte counts as one.
  /// - Throws: ``RecordingError`` if the file cannot be opened. Nothing has changed then.
  public static func startRecording(to path: String, byteLimit: Int = 1 << 30) throws {
    do {
      try Recorder.shared.startLog(
        path: path,
        byteLimit: byteLimit,
        isComplete: ObjectTable.shared.isUntouched
      ) {
        liveRegistrations
      }
    } catch {
      throw RecordingError(code: RecordingError.Code(error.code), path: path, message: "\(error)")
    }
  }

  /// Ends the log.
  ///
  /// The file is kept.
  public static func stopRecording() { Recorder.shared.stopLog() }

  /// The current registrations, as events describe them.
  package static var liveRegistrations: [Registration] {
    ObjectTable.shared.subjects.flatMap(\.registrations)
  }

  /// Ends the registrations of observers whose deinit was handed to their actor and has finished by now.
  package static func settleDeallocations() { DeallocationHook.settle() }

  /// A number that is not used in this process's events.
  package static func nextNumber() -> UInt64 { ObjectTable.shared.nextNumber() }

  /// The file that the log is written to, or nil while nothing is recorded.
  public static var recordingPath: String? { Recorder.shared.logPath }
}

/// Why a log could not be started.
public struct RecordingError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The reason for the error.
  ///
  /// More codes may come.
  public struct Code: Hashable, Sendable {
    private let name: String
    /// The path was empty.
    public static let emptyPath = Code(name: "emptyPath")
    /// The path names a directory, a symbolic link, a FIFO, a socket or a device.
    public static let notARegularFile = Code(name: "notARegularFile")
    /// The existing file is not a log, and not empty.
    public static let notALog = Code(name: "notALog")
    /// The system refused to open the file.
    public static let system = Code(name: "system")
    /// libKVOSafetyPreload.so writes the log of this process.
    public static let recordedAlready = Code(name: "recordedAlready")

    init(_ code: LogFileError.Code) {
      self =
        switch code {
        case .emptyPath: .emptyPath
        case .notARegularFile: .notARegularFile
        case .notALog: .notALog
        case .system: .system
        case .recordedAlready: .recordedAlready
        }
    }

    private init(name: String) { self.name = name }
  }

  /// The reason for the error.
  public let code: Code
  /// The requested path.
  public let path: String
  /// The reason, as a sentence with the path.
  public let message: String

  /// The message.
  public var description: String { message }
}
