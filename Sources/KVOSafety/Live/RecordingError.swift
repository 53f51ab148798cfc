internal import KVORecorder

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
