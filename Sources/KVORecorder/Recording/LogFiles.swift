internal import CKVORecorder
internal import Glibc

/// The files of one log: where its parts are, and what they are called.
///
/// The newest part is at ``path``, the one before it at `path.1`, and so on. What is older than
/// ``partCount`` parts is removed. A log of another process that is found there is kept as
/// ``previousPath``. Not synchronised: the recorder's lock guards it.
///
/// A name may be in a folder that others write to, too. What it must survive: a symbolic link is not
/// followed (O_NOFOLLOW), and a file is emptied, moved or replaced only if it is a log or has nothing in it,
/// which is looked at through the descriptor that is then used.
struct LogFiles {
  /// How many parts are kept.
  static let partCount = 4
  /// How many logs of one process are kept under one path.
  static let ownLogLimit = 8

  /// Where the newest part is.
  private(set) var path: String
  private let pattern: String
  /// Whether the next part is open beside the others, and has not taken its place yet.
  private var hasNext = false
  /// The process whose log ``openFirst(isChild:)`` found and kept; nil: there was none.
  private(set) var keptProcess: UInt32?

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
  /// A log that an earlier process left there, with all its parts, is kept under ``previousPath``, in place
  /// of the one that was kept before.
  ///
  /// A file that is being written to is left alone: the log goes to `path.<pid>`, as for a child that
  /// inherited the setting, and where this process wrote there already, perhaps as another program
  /// that then became this one, to `path.<pid>.2` and so on. A process keeps ``ownLogLimit`` logs that have
  /// ended; then the oldest of them is replaced, with all its parts.
  ///
  /// - Parameter isChild: whether the process is a fork's child, whose ``path`` is its parent's: that
  ///   is left alone even where the parent has ended.
  /// - Returns: the descriptor, which holds the lock that says "being written to".
  /// - Throws: ``LogFileError`` if it cannot be opened, or is not a log and not empty.
  mutating func openFirst(isChild: Bool = false) throws(LogFileError) -> Int32 {
    let wanted = Self.expand(pattern)
    let isOfParent = isChild && Self.expand(pattern, pid: 0) == pattern
    var attempt = isOfParent ? 1 : 0
    var descriptor: Int32 = -1
    hasNext = false
    keptProcess = nil
    var oldest: (path: String, begun: UInt64)?
    let limit = attempt + Self.ownLogLimit
    while true {
      path = wanted
      if attempt > 0 { path += ".\(getpid())" }
      if attempt > 1 { path += ".\(attempt)" }
      descriptor = try Self.open(path)
      let head = LogHead(of: descriptor)
      let isBusy = Self.isBusy(descriptor)
      if isBusy || head?.isOwn == true {
        close(descriptor)
        if let head, !isBusy, head.begun < oldest?.begun ?? .max { oldest = (path, head.begun) }
        attempt += 1
        if attempt >= limit, let oldest { return try replace(oldest.path) }
        continue
      }
      try Self.refuseForeign(descriptor, path)
      let isLast = head == nil
      do { try keepPrevious(head) } catch {
        close(descriptor)
        throw error
      }
      if isLast { break }
      // It has another name now, and the next turn makes a file.
      close(descriptor)
    }
    try Self.empty(descriptor, path)
    return descriptor
  }

  /// Creates and releases a string as long as a name of a child's log.
  ///
  /// Releasing the first native string of 64 bytes or more instantiates generic metadata under a lock of the
  /// Swift runtime. A thread may hold that lock when the process forks, and the child would wait for it
  /// forever. A child's names are longer than its parent's, so the parent does it when it starts a log.
  func prepareForChildren() {
    _ = Self.release(path + String(repeating: ".", count: 128))
  }

  @inline(never)
  private static func release(_ text: consuming String) -> Int32 {
    text += ".\(getpid())"
    return access(text, F_OK)
  }

  /// Opens a log of this process that has ended, empty and without its parts.
  private mutating func replace(_ path: String) throws(LogFileError) -> Int32 {
    self.path = path
    for age in 1..<Self.partCount where LogHead(ofFileAt: name(ofFormer: age))?.isOwn == true {
      unlink(name(ofFormer: age))
    }
    return try Self.openEmpty(path)
  }

  /// Where the log of an earlier process is kept.
  var previousPath: String { path + ".previous" }

  /// Renames the log of an earlier process, with all its parts.
  private mutating func keepPrevious(_ head: LogHead?) throws(LogFileError) {
    let ages = (0..<Self.partCount).filter { LogHead(ofFileAt: name(ofFormer: $0)) != nil }
    guard let newest = ages.first else { return }
    keptProcess = keptProcess ?? (head ?? LogHead(ofFileAt: name(ofFormer: newest)))?.pid
    for age in 0..<Self.partCount {
      let kept = age == 0 ? previousPath : "\(previousPath).\(age)"
      if ages.contains(age) {
        try Self.refuseForeign(at: kept)
        guard rename(name(ofFormer: age), kept) != 0 else { continue }
        throw LogFileError(code: .system(errno: errno), path: path)
      } else if LogHead(ofFileAt: kept) != nil {
        unlink(kept)
      }
    }
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
  /// What stands there may be this log all the same, as somebody who cut it left it: no head, but data.
  ///
  /// - Parameter previous: the descriptor of the previous part, or -1.
  /// - Returns: the descriptor.
  /// - Throws: ``LogFileError`` if it cannot be opened, or is another file that is not a log.
  func openReplacement(of previous: Int32 = -1) throws(LogFileError) -> Int32 {
    try Self.openEmpty(path, own: previous)
  }

  private static func openEmpty(_ path: String, own: Int32 = -1) throws(LogFileError) -> Int32 {
    let descriptor = try Self.open(path)
    if !isSame(descriptor, own) { try refuseForeign(descriptor, path) }
    _ = Self.isBusy(descriptor)
    try empty(descriptor, path)
    return descriptor
  }

  /// Whether both are open on one file.
  private static func isSame(_ descriptor: Int32, _ other: Int32) -> Bool {
    var (status, otherStatus) = (stat(), stat())
    return fstat(descriptor, &status) == 0 && fstat(other, &otherStatus) == 0
      && status.st_dev == otherStatus.st_dev && status.st_ino == otherStatus.st_ino
  }

  /// Empties an open file, and closes it where that cannot be.
  private static func empty(_ descriptor: Int32, _ path: String) throws(LogFileError) {
    guard ftruncate(descriptor, 0) != 0 else { return }
    let number = errno
    close(descriptor)
    throw LogFileError(code: .system(errno: number), path: path)
  }

  private func name(ofFormer age: Int) -> String { age == 0 ? path : "\(path).\(age)" }

  /// Refuses and closes a file that another program may own: one that is not a log, and not empty.
  private static func refuseForeign(_ descriptor: Int32, _ path: String) throws(LogFileError) {
    if LogHead(of: descriptor) != nil || LogHead.isBlank(descriptor) { return }
    close(descriptor)
    throw LogFileError(code: .notALog, path: path)
  }

  /// The same for a file that is to be replaced, if there is any.
  private static func refuseForeign(at path: String) throws(LogFileError) {
    let descriptor = Glibc.open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW)
    if descriptor < 0, errno == ENOENT { return }
    guard descriptor >= 0 else { throw LogFileError(code: .notALog, path: path) }
    try refuseForeign(descriptor, path)
    close(descriptor)
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
    let flags = O_RDWR | O_CREAT | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW
    let descriptor = Glibc.open(path, flags, 0o644)
    var status = stat()
    guard descriptor >= 0 else {
      let number = errno
      if lstat(path, &status) == 0, let kind = kind(of: status) {
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
    case S_IFLNK: "a symbolic link"
    case S_IFSOCK: "a socket"
    case S_IFCHR, S_IFBLK: "a device"
    default: "no file"
    }
  }
}
