internal import Glibc

/// A log on disk: one `write` per line, so that what was written survives the process.
///
/// Never fails after it is open: lines that cannot be written (full disk, file size limit) are
/// counted, and the count goes before the next line that can be.
package final class LogFile: Sendable {
  package let path: String
  private let descriptor: Int32
  /// The file may not grow past this many bytes: beyond it the kernel would kill the process
  /// (SIGXFSZ).
  ///
  /// Read once, when the file is opened.
  private let byteLimit: UInt64

  private struct State {
    /// Lines that were lost and not yet told of.
    var lostCount: UInt64 = 0
    /// Whether the file ends in a part of a line.
    var endsTorn = false
    var byteCount: UInt64 = 0
  }
  // State: `state`, under its own lock, which is held while writing: it keeps the lines whole.
  // `descriptor` is closed in deinit alone, so that no write meets a closed one.
  private let state = GuardedState<State>(State())

  /// Opens the log for writing, and empties it.
  ///
  /// A file that is being written to is left alone: the log goes to `path.<pid>`, as for a child
  /// that inherited the setting, and where this process writes there already to `path.<pid>.2` and
  /// so on. `%p` in the path stands for the process id.
  package init(path pattern: String) throws(LogFileError) {
    guard !pattern.isEmpty else { throw LogFileError(code: .emptyPath, path: pattern) }
    let wanted = Self.expand(pattern)
    var path = wanted
    var descriptor = try Self.open(path)
    var attempt = 0
    while Self.isBusy(descriptor) {
      close(descriptor)
      attempt += 1
      path = "\(wanted).\(getpid())" + (attempt > 1 ? ".\(attempt)" : "")
      descriptor = try Self.open(path)
    }
    self.path = path
    self.descriptor = descriptor
    _ = ftruncate(descriptor, 0)
    var limit = rlimit()
    let isLimited = getrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit) == 0
    byteLimit = isLimited ? UInt64(limit.rlim_cur) : .max
  }

  deinit { close(descriptor) }

  /// Appends `line`, which ends in a newline, in one `write`.
  ///
  /// - Parameters:
  ///   - line: the bytes of the line.
  ///   - lossLine: makes the line that says how many lines were lost. Called before the first line
  ///     that can be written again.
  package func append(_ line: [UInt8], lossLine: (UInt64) -> [UInt8]) {
    state.withLock { state in
      if state.lostCount > 0 || state.endsTorn {
        let notice = (state.endsTorn ? [UInt8(ascii: "\n")] : []) + lossLine(state.lostCount)
        guard write(notice, &state) else {
          state.lostCount += 1
          return
        }
        state.lostCount = 0
      }
      if !write(line, &state) { state.lostCount += 1 }
    }
  }

  /// How many lines could not be written and were not yet told of in the file.
  package var lostCount: UInt64 { state.withLock { $0.lostCount } }

  private func write(_ bytes: [UInt8], _ state: inout State) -> Bool {
    guard state.byteCount + UInt64(bytes.count) <= byteLimit else { return false }
    var written = -1
    repeat {
      written = bytes.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
    } while written < 0 && errno == EINTR
    state.byteCount += UInt64(max(written, 0))
    // Nothing written leaves the end of the file as it was; a part of the line tears it.
    if written > 0 { state.endsTorn = written < bytes.count }
    return written == bytes.count
  }

  /// Takes the lock of the file; true where somebody else has it.
  ///
  /// A file system without locks says no such thing, and its files are taken for free.
  private static func isBusy(_ descriptor: Int32) -> Bool {
    flock(descriptor, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK
  }

  private static func expand(_ pattern: String) -> String {
    var path = ""
    var isAfterPercent = false
    for character in pattern {
      if isAfterPercent {
        path += character == "p" ? String(getpid()) : "%\(character)"
        isAfterPercent = false
      } else if character == "%" {
        isAfterPercent = true
      } else {
        path.append(character)
      }
    }
    return isAfterPercent ? path + "%" : path
  }

  /// Opens a regular file for appending, and refuses everything else.
  ///
  /// A FIFO without a reader would block the program at its first event, and one whose reader goes
  /// away would kill it: O_NONBLOCK keeps the opening itself from waiting.
  private static func open(_ path: String) throws(LogFileError) -> Int32 {
    let flags = O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NONBLOCK
    let descriptor = Glibc.open(path, flags, 0o644)
    var status = stat()
    guard descriptor >= 0 else {
      let number = errno
      if stat(path, &status) == 0, let kind = kind(of: status) {
        throw LogFileError(code: .notARegularFile(kind: kind), path: path)
      }
      throw LogFileError(code: .system(errno: number), path: path)
    }
    if fstat(descriptor, &status) == 0, let kind = kind(of: status) {
      close(descriptor)
      throw LogFileError(code: .notARegularFile(kind: kind), path: path)
    }
    return descriptor
  }

  /// What the file is, or nil for a regular one.
  private static func kind(of status: stat) -> String? {
    switch status.st_mode & S_IFMT {
    case S_IFREG: nil
    case S_IFIFO: "a FIFO"
    case S_IFDIR: "a directory"
    case S_IFSOCK: "a socket"
    case S_IFCHR, S_IFBLK: "a device"
    default: "no file"
    }
  }
}
