internal import KVORecorder
package import KVOTrace
internal import Synchronization

/// The layer as a whole: who observes what, what is done about faults, and the log.
public enum KVO {
  /// What happens when the layer meets a fault, rule by rule.
  ///
  /// ```swift
  /// KVO.policy[.doubleRemove] = .trap
  /// ```
  public static var policy: ObservationPolicy {
    get { LiveMonitor.shared.policy }
    set { LiveMonitor.shared.policy = newValue }
  }

  /// How many ended registrations an observed object remembers, so that a report can say where one
  /// was removed before.
  ///
  /// Counts for objects that are observed for the first time after it is set.
  ///
  /// What is older is forgotten, and the report says "earlier history lost".
  public static var historyCapacity: Int {
    get { historySetting.load(ordering: .relaxed) }
    set { historySetting.store(max(newValue, 0), ordering: .relaxed) }
  }

  // relaxed: a setting, read when an object is first observed; nothing is published with it.
  private static let historySetting = Atomic<Int>(64)

  /// Starts a log of what happens from here on, as the environment variable `KVO_SAFETY_LOG` does
  /// from the first observation on.
  ///
  /// Registrations that are there already are listed at its beginning. A log that is being written
  /// ends. `kvo-audit PATH` reads it, also while it is written or after a crash.
  ///
  /// The log keeps its newest events: `path` is the newest of its parts, `path.1` the one before, and so
  /// on. When the process crashes, the crash and what was registered are recorded, in front of the
  /// handlers that there are.
  ///
  /// A process that starts its log at one path again keeps the log before: `path` is the first, then come
  /// `path.<pid>`, `path.<pid>.2` and so on. From the ninth on, each replaces the oldest that has ended.
  ///
  /// A process has one log. Where libKVOSafetyPreload.so writes one already, what is observed in Swift is
  /// not in it, and nothing is started.
  ///
  /// - Parameters:
  ///   - path: the file; `%p` in it stands for the process id.
  ///   - byteLimit: how many bytes of events are kept at the most, in all parts together; less than a
  ///     megabyte counts as one.
  /// - Throws: ``RecordingError`` where the file cannot be opened. Nothing has changed then.
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
  /// What was written stays.
  public static func stopRecording() { Recorder.shared.stopLog() }

  /// What is registered now, as events describe it.
  package static var liveRegistrations: [Registration] {
    ObjectTable.shared.subjects.flatMap(\.registrations)
  }

  /// Ends what observers left behind whose deinit was handed to their actor and is over by now.
  package static func settleDeaths() { DeathHook.settle() }

  /// A number that nothing in this process's events had before.
  package static func nextNumber() -> UInt64 { ObjectTable.shared.nextNumber() }

  /// The file that the log is written to, or nil while nothing is recorded.
  public static var recordingPath: String? { Recorder.shared.logPath }
}

/// Why a log could not be started.
public struct RecordingError: Error, Hashable, Sendable, CustomStringConvertible {
  /// What was wrong.
  ///
  /// More codes may come.
  public struct Code: Hashable, Sendable {
    private let name: String
    /// The path was empty.
    public static let emptyPath = Code(name: "emptyPath")
    /// The path names a directory, a symbolic link, a FIFO, a socket or a device.
    public static let notARegularFile = Code(name: "notARegularFile")
    /// The file that is there is no log, and not empty.
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

  /// What was wrong.
  public let code: Code
  /// The path that was given.
  public let path: String
  /// What was wrong, as a sentence with the path.
  public let message: String

  /// The message.
  public var description: String { message }
}
