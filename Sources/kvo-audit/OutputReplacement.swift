#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// An open file that replaces another when it is complete.
///
/// Until then the other file stays as it is, so no reader sees half a report. If the process is killed,
/// nothing is left if the file system supports files without a name.
///
/// These are written in place: devices, FIFOs and descriptors (`/dev/stdout`); files with several hard links or
/// of another user; and files in a folder that takes no new ones. If writing one of them fails, a file is left
/// empty.
struct OutputReplacement {
  private enum Way {
    /// The descriptor's file has no name yet.
    case unnamed
    case draft(OutputDraft)
    case inPlace(isFile: Bool)
  }

  let descriptor: Int32
  private let target: String
  private let way: Way

  /// Opens a file to write.
  ///
  /// - Parameters:
  ///   - path: the file to replace, which need not exist. A symbolic link is followed.
  ///   - permissions: those of a private file; nil: those of the existing file.
  /// - Throws: ``Failure`` if no file can be opened.
  init(of path: String, permissions: mode_t? = nil) throws(Failure) {
    var status = stat()
    let exists = stat(path, &status) == 0
    let isFile = exists && status.st_mode & S_IFMT == S_IFREG
    if permissions != nil, exists, !isFile {
      throw Failure(reason: OutputDraft.noFile)
    }
    let target = isFile ? OutputDraft.real(path) ?? path : path
    self.target = target
    let isReplaceable =
      exists
      ? isFile && status.st_nlink == 1 && !Self.isDescriptor(path)
        && [0, status.st_uid].contains(geteuid())
      // A link may lead to a file that does not exist.
      : lstat(path, &status) != 0
    if isReplaceable {
      let mode = permissions ?? (isFile ? status.st_mode & 0o7777 : nil)
      if let descriptor = Self.openUnnamed(in: OutputFile.folder(of: target), mode) {
        (self.descriptor, way) = (descriptor, .unnamed)
        if isFile { _ = fchown(descriptor, status.st_uid, status.st_gid) }
        return
      }
      if let draft = try? OutputDraft(silentlyFor: path, permissions: permissions) {
        let descriptor = open(draft.path, O_WRONLY | O_CLOEXEC)
        if descriptor >= 0 {
          (self.descriptor, way) = (descriptor, .draft(draft))
          return
        }
        draft.discard()
      }
    }
    descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, permissions ?? 0o644)
    if descriptor < 0 { throw Failure(code: errno) }
    if let permissions { fchmod(descriptor, permissions) }
    way = .inPlace(isFile: !exists || isFile)
  }

  /// Why the file cannot be written.
  struct Failure: Error {
    var reason: String

    init(reason: String) { self.reason = reason }
    init(code: Int32) { reason = String(cString: strerror(code)) }
  }

  /// Closes the file and puts it in place.
  ///
  /// - Throws: ``Failure`` if that fails; the other file is as it was, then.
  func finish() throws(Failure) {
    switch way {
    case .unnamed:
      defer { close(descriptor) }
      try Self.name(descriptor, target)
    case .draft(let draft):
      // Some file systems report only now that they are full.
      if close(descriptor) != 0 {
        let code = errno
        draft.discard()
        throw Failure(code: code)
      }
      if let code = draft.move() { throw Failure(code: code) }
    case .inPlace:
      if close(descriptor) != 0 { throw Failure(code: errno) }
    }
  }

  /// Closes the file and removes it.
  func discard() {
    if case .inPlace(isFile: true) = way { _ = ftruncate(descriptor, 0) }
    close(descriptor)
    if case .draft(let draft) = way { draft.discard() }
  }

  /// Whether `path` names a device or an open descriptor, not a separate file.
  private static func isDescriptor(_ path: String) -> Bool {
    path.hasPrefix("/dev/") || path.hasPrefix("/proc/")
  }

  /// A file in `folder` that has no name; nil if the system has no such files.
  private static func openUnnamed(in folder: String, _ mode: mode_t?) -> Int32? {
    #if os(Linux)
    // O_TMPFILE, which is not visible in the system's headers by default.
    let temporary: Int32 = 0o20_000_000 | O_DIRECTORY
    let descriptor = open(folder, O_WRONLY | O_CLOEXEC | temporary, mode ?? 0o644)
    guard descriptor >= 0 else { return nil }
    // The umask does not apply to explicit permissions.
    if let mode { fchmod(descriptor, mode) }
    return descriptor
    #else
    return nil
    #endif
  }

  /// Links a file without a name as `target`, replacing an existing file.
  private static func name(_ descriptor: Int32, _ target: String) throws(Failure) {
    let source = "/proc/self/fd/\(descriptor)"
    func link(to path: String) -> Int32 {
      linkat(AT_FDCWD, source, AT_FDCWD, path, AT_SYMLINK_FOLLOW) == 0 ? 0 : errno
    }
    var code = link(to: target)
    if code == 0 { return }
    if code == EEXIST {
      // A link cannot replace a file, but a renamed file can. The process id would not make the name unique: containers
      // with the same one write to one folder.
      let other = "\(target).\(String(UInt32.random(in: 0 ... .max), radix: 36))~"
      code = link(to: other)
      if code == 0 {
        if rename(other, target) == 0 { return }
        code = errno
        unlink(other)
      }
    }
    throw Failure(code: code)
  }
}
