internal import CKVORecorder
internal import Glibc

/// The files of one log: where its parts are, and what they are called.
///
/// The newest part is at ``path``, the one before it at `path.1`, and so on. What is older than
/// ``partCount`` parts is removed. Not synchronised: the recorder's lock guards it.
struct LogFiles {
  /// How many parts are kept.
  static let partCount = 4

  /// Where the newest part is.
  private(set) var path: String
  private let pattern: String
  /// Whether the next part is open beside the others, and has not taken its place yet.
  private var hasNext = false

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
  /// - Parameter isChild: whether the process is a fork's child, whose ``path`` is its parent's: that
  ///   is left alone even where the parent has ended.
  /// - Returns: the descriptor, which holds the lock that says "being written to".
  /// - Throws: ``LogFileError`` where it cannot be opened or emptied.
  mutating func openFirst(isChild: Bool = false) throws(LogFileError) -> Int32 {
    let wanted = Self.expand(pattern)
    let isOfParent = isChild && Self.expand(pattern, pid: 0) == pattern
    var attempt = isOfParent ? 1 : 0
    var descriptor: Int32 = -1
    hasNext = false
    while true {
      path = wanted
      if attempt > 0 { path += ".\(getpid())" }
      if attempt > 1 { path += ".\(attempt)" }
      descriptor = try Self.open(path)
      if !Self.isBusy(descriptor), LogHead(of: descriptor)?.isOwn != true { break }
      close(descriptor)
      attempt += 1
    }
    removeFormerParts()
    try Self.empty(descriptor, path)
    return descriptor
  }

  /// Opens the next part beside the others, which stay as they are until ``place(hasBegun:)``.
  ///
  /// - Returns: the descriptor.
  mutating func openNext() throws(LogFileError) -> Int32 {
    let descriptor = try Self.openEmpty(nextName)
    hasNext = true
    return descriptor
  }

  /// Moves the parts on by one and puts the next in the place of the newest, or removes it where nothing
  /// came of it.
  ///
  /// Does nothing unless ``openNext()`` came before. A process that is killed here may leave no file at
  /// ``path``: all that it recorded is then at `path.1` and further on. No part has two names, ever:
  /// whoever reads all files would read its events twice.
  mutating func place(hasBegun: Bool) {
    guard hasNext else { return }
    hasNext = false
    guard hasBegun else {
      unlink(nextName)
      return
    }
    unlink(name(ofFormer: Self.partCount - 1))
    for age in stride(from: Self.partCount - 2, through: 0, by: -1) {
      rename(name(ofFormer: age), name(ofFormer: age + 1))
    }
    rename(nextName, path)
  }

  private var nextName: String { path + ".next" }

  /// Opens a part where nothing stands any more.
  ///
  /// - Returns: the descriptor.
  func openReplacement() throws(LogFileError) -> Int32 { try Self.openEmpty(path) }

  private static func openEmpty(_ path: String) throws(LogFileError) -> Int32 {
    let descriptor = try Self.open(path)
    _ = Self.isBusy(descriptor)
    try empty(descriptor, path)
    return descriptor
  }

  /// Empties an open file, and closes it where that cannot be.
  private static func empty(_ descriptor: Int32, _ path: String) throws(LogFileError) {
    guard ftruncate(descriptor, 0) != 0 else { return }
    let number = errno
    close(descriptor)
    throw LogFileError(code: .system(errno: number), path: path)
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

  private static func expand(_ pattern: String, pid: Int32 = getpid()) -> String {
    var path = ""
    var isAfterPercent = false
    for character in pattern {
      if isAfterPercent {
        path += character == "p" ? String(pid) : "%\(character)"
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
    return kvos_move_high(descriptor)
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
