internal import CKVORecorder
internal import Glibc
package import KVOTrace

// Starting and ending the log of the process, and what the C half asks while it is written.
extension Recorder {
  /// How many bytes of events a log keeps where nobody says otherwise.
  package static let defaultByteLimit = 1 << 30
  /// The least that a log can be limited to.
  package static let leastByteLimit = 1 << 20

  /// The path of the log that is being written, or nil.
  package var logPath: String? {
    Self.begin()
    return Self.log.withLock { $0?.files.path }
  }

  /// Starts a log at `path`, in which `%p` stands for the process id.
  ///
  /// A log that is already being written ends there. A log in which more than `byteLimit` bytes of
  /// events were written loses its oldest quarter.
  ///
  /// - Parameters:
  ///   - path: where to; must be a regular file or none yet.
  ///   - byteLimit: how many bytes of events are kept at the most.
  ///   - isComplete: whether nothing was observed before.
  ///   - live: tells the registrations that there are. Called twice, without a lock: after the new log
  ///     takes events, so that none falls between, and when those are listed.
  /// - Throws: ``LogFileError`` where the file cannot be opened, or the library for Objective-C programs
  ///   writes the log of this process; nothing has changed then.
  package func startLog(
    path: String,
    byteLimit: Int = Recorder.defaultByteLimit,
    isComplete: Bool,
    live: () -> [Registration]
  ) throws(LogFileError) {
    Self.begin()
    try openLog(path: path, byteLimit: byteLimit, isComplete: isComplete)
    let listed = live()
    for registration in listed { record(.live(registration)) }
    // The end of one may have been told before its line: a crash would find it there for ever.
    let there = Set(live().lazy.compactMap(\.id))
    for id in listed.lazy.compactMap(\.id) where !there.contains(id) { LogEvents.forget(id) }
  }

  private func openLog(path: String, byteLimit: Int, isComplete: Bool) throws(LogFileError) {
    // Somebody else's log is of another runtime, with numbers of its own: two in one would say nothing
    // that is true of either.
    if kvos_is_recording(), Self.log.withLock({ $0 == nil }) {
      throw LogFileError(code: .recordedAlready, path: path)
    }
    var files = try LogFiles(pattern: path)
    let descriptor = try files.openFirst()
    files.prepareForChildren()
    if let process = files.keptProcess {
      StandardError.write(
        "KVOSafety: \"\(files.path)\" was the log of process \(process), which is kept as "
          + "\"\(files.previousPath)\" until the next one\n"
      )
    }
    stopLog()
    Self.log.withLock { $0 = Log(files: files) }
    var settings = KVOSLogSettings(
      hooks: Self.hooks,
      partByteCount: UInt64(max(byteLimit, Self.leastByteLimit) / LogFiles.partCount),
      partCount: UInt32(LogFiles.partCount),
      isComplete: isComplete
    )
    // First, because a file that is cut while its first page is written is a fault already.
    kvos_install_crash_record()
    let code = kvos_start_log(descriptor, &settings)
    guard code == 0 else {
      close(descriptor)
      Self.log.withLock { $0 = nil }
      throw LogFileError(code: .system(errno: code), path: files.path)
    }
    note(isLogging: true)
  }

  /// Ends the log that is being written, if any, and says on standard error what it lost.
  package func stopLog() {
    let log = Self.log.withLock { log in
      defer { log = nil }
      return log
    }
    guard let log else { return }
    note(isLogging: false)
    kvos_stop_log()
    Self.tell(loss: kvos_lost_count(), of: log)
  }

  /// Starts the log that the environment asks for, and says on standard error where it cannot.
  func startLogOfEnvironment() {
    guard let path = getenv("KVO_SAFETY_LOG"), path.pointee != 0 else { return }
    var limit = Self.defaultByteLimit
    if let text = getenv("KVO_SAFETY_LOG_LIMIT"), text.pointee != 0 {
      let text = String(cString: text)
      if let number = Self.byteCount(text) {
        limit = number
      } else {
        StandardError.write(
          "KVOSafety: KVO_SAFETY_LOG_LIMIT is \"\(text)\", and must be a number of bytes of 1M or "
            + "more, such as 256M or 2G. 1G is used.\n"
        )
      }
    }
    do {
      try openLog(path: String(cString: path), byteLimit: limit, isComplete: true)
    } catch {
      let rest = error.code == .recordedAlready ? "" : " The program runs on, unrecorded."
      StandardError.write("KVOSafety: \(error).\(rest)\n")
    }
  }

  /// A number of bytes as people write it: digits, and K, M or G behind them.
  static func byteCount(_ text: String) -> Int? {
    let units: [Character: Int] = ["K": 1 << 10, "M": 1 << 20, "G": 1 << 30]
    var digits = text[...]
    var unit = 1
    if let last = digits.last, let factor = units[Character(last.uppercased())] {
      unit = factor
      digits.removeLast()
    }
    guard digits.allSatisfy(\.isNumber), let number = Int(digits) else { return nil }
    let (product, overflows) = number.multipliedReportingOverflow(by: unit)
    return overflows || product < leastByteLimit ? nil : product
  }

  /// Says of a log that ends what it could not say itself.
  private static func tell(loss: UInt64, of log: Log) {
    guard loss > 0 else { return }
    StandardError.write(
      "KVOSafety: \(loss) events could not be written to \"\(log.files.path)\"\n"
    )
  }

  // MARK: - What the C half asks

  /// Called with its lock held: they intern and describe, but do not record.
  private static let hooks = KVOSLogHooks(
    openPart: { _, reason in
      Recorder.log.withLock { log in
        guard var present = log else { return -EBADF }
        defer { log = present }
        return Recorder.open(reason, &present)
      }
    },
    placePart: { hasBegun in Recorder.log.withLock { $0?.files.place(hasBegun: hasBegun) } },
    describeProcess: { isComplete in RecordedProcess.describe(isComplete: isComplete) },
    describeImages: { isFirst in
      let images = Recorder.log.withLock { log in
        if isFirst { log?.images = ImageList() }
        return log?.images.update() ?? []
      }
      for (index, image) in images.enumerated() where !RecordedProcess.describe(image) {
        Recorder.log.withLock { $0?.images.forget(images[index...]) }
        return false
      }
      return true
    }
  )

  private static func open(_ reason: KVOSPartReason, _ log: inout Log) -> Int32 {
    do throws(LogFileError) {
      // Numbers: a debug build compares values of a C type through metadata, which a lock of the Swift runtime
      // guards. Another thread may have held it at the fork.
      switch reason.rawValue {
      case KVOS_CHILD.rawValue: return try log.files.openFirst(isChild: true)
      case KVOS_REPLACEMENT.rawValue:
        return try log.files.openReplacement(of: kvos_part_descriptor())
      default: return try log.files.openNext()
      }
    } catch {
      if case .system(let number) = error.code { return -number }
      return -EINVAL
    }
  }
}
