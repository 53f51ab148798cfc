internal import Glibc

/// The files of one log: where its parts are, and what they are called.
///
/// The newest part is always at ``path``; the one before it at `path.1`, and so on. What is older than
/// ``partCount`` parts is removed. Not synchronised: the recorder's lock guards it.
struct LogFiles {
  /// How many parts are kept.
  static let partCount = 4

  /// Where the newest part is.
  private(set) var path: String
  private let pattern: String

  /// Chooses the files of a log.
  ///
  /// - Parameter pattern: the path; `%p` in it stands for the process id.
  /// - Throws: ``LogFileError`` where it is empty.
  init(pattern: String) throws(LogFileError) {
    guard !pattern.isEmpty else { throw LogFileError(code: .emptyPath, path: pattern) }
    self.pattern = pattern
    path = pattern
  }

  /// Opens the first part, empty.
  ///
  /// A file that is being written to is left alone: the log goes to `path.<pid>`, as for a child that
  /// inherited the setting, and where this process wrote there already, perhaps as another program
  /// that then became this one, to `path.<pid>.2` and so on.
  ///
  /// - Returns: the descriptor, which holds the lock that says "being written to".
  mutating func openFirst() throws(LogFileError) -> Int32 {
    let wanted = Self.expand(pattern)
    path = wanted
    var descriptor = try Self.open(path)
    var attempt = 0
    while Self.isBusy(descriptor) || LogHead(of: descriptor)?.isOwn == true {
      close(descriptor)
      attempt += 1
      path = "\(wanted).\(getpid())" + (attempt > 1 ? ".\(attempt)" : "")
      descriptor = try Self.open(path)
    }
    removeFormerParts()
    guard ftruncate(descriptor, 0) == 0 else {
      let number = errno
      close(descriptor)
      throw LogFileError(code: .system(errno: number), path: path)
    }
    return descriptor
  }

  /// Moves the parts on by one, and opens the next in the place of the newest.
  ///
  /// - Returns: the descriptor.
  func openNext() throws(LogFileError) -> Int32 {
    unlink(name(ofFormer: Self.partCount - 1))
    for age in stride(from: Self.partCount - 2, through: 0, by: -1) {
      rename(name(ofFormer: age), name(ofFormer: age + 1))
    }
    return try openReplacement()
  }

  /// Opens a part where nothing stands any more.
  ///
  /// - Returns: the descriptor.
  func openReplacement() throws(LogFileError) -> Int32 {
    let descriptor = try Self.open(path)
    _ = Self.isBusy(descriptor)
    guard ftruncate(descriptor, 0) == 0 else {
      let number = errno
      close(descriptor)
      throw LogFileError(code: .system(errno: number), path: path)
    }
    return descriptor
  }

  private func name(ofFormer age: Int) -> String { age == 0 ? path : "\(path).\(age)" }

  /// What is left of an earlier log under this name is not part of this one.
  private func removeFormerParts() {
    for age in 1..<Self.partCount where LogHead(ofFileAt: name(ofFormer: age)) != nil {
      unlink(name(ofFormer: age))
    }
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

  /// Opens a regular file, and refuses everything else.
  ///
  /// A FIFO without a reader would block the program: O_NONBLOCK keeps the opening from waiting.
  private static func open(_ path: String) throws(LogFileError) -> Int32 {
    let flags = O_RDWR | O_CREAT | O_CLOEXEC | O_NONBLOCK
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
