import Glibc

/// Writes files that appear under their names completely or not at all.
enum WholeFile {
  /// Writes a file under another name, and renames it.
  ///
  /// - Parameters:
  ///   - path: the file.
  ///   - temporary: the name until it is complete; a file with it must not exist.
  ///   - mode: the permissions, from which those of the process's mask are removed.
  ///   - replaces: whether it replaces an existing file; if not, the error is `EEXIST`.
  ///   - write: writes the content to the descriptor, and returns false if that failed, with the
  ///     reason in `errno`.
  /// - Returns: 0, or the number of the error; then there is no new file.
  static func write(
    to path: String,
    as temporary: String,
    mode: mode_t,
    replaces: Bool = true,
    _ write: (Int32) -> Bool
  ) -> Int32 {
    let descriptor = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, mode)
    guard descriptor >= 0 else { return errno }
    var code = withoutFileSizeSignal { write(descriptor) ? 0 : max(errno, 1) }
    if close(descriptor) != 0, code == 0 { code = errno }
    if code == 0, !replaces {
      if link(temporary, path) == 0 {
        unlink(temporary)
        return 0
      }
      // A file system without hard links: the last one who writes replaces the file.
      code = errno == EEXIST ? EEXIST : 0
    }
    if code == 0, rename(temporary, path) != 0 { code = errno }
    if code != 0 { unlink(temporary) }
    return code
  }

  /// Writes all bytes; returns false if the system accepts no more, with the reason in `errno`.
  static func append(_ bytes: UnsafeRawBufferPointer, to descriptor: Int32) -> Bool {
    var count = 0
    while count < bytes.count {
      let rest = UnsafeRawBufferPointer(rebasing: bytes[count...])
      let more = Glibc.write(descriptor, rest.baseAddress, rest.count)
      if more < 0, errno == EINTR { continue }
      guard more > 0 else { return false }
      count += more
    }
    return true
  }

  /// Creates a folder and its parents.
  static func makeFolders(_ path: String, mode: mode_t) {
    var end = path.startIndex
    while let next = path[end...].dropFirst().firstIndex(of: "/") {
      mkdir(String(path[..<next]), mode)
      end = next
    }
    mkdir(path, mode)
  }

  /// Calls `body`, in which a write beyond the limit of file sizes fails instead of ending the process by SIGXFSZ.
  ///
  /// The signal goes to the thread that writes, which blocks it meanwhile, so that the action of the process is not
  /// changed for others.
  private static func withoutFileSizeSignal<Result>(_ body: () -> Result) -> Result {
    var signals = sigset_t()
    var before = sigset_t()
    sigemptyset(&signals)
    sigaddset(&signals, SIGXFSZ)
    pthread_sigmask(SIG_BLOCK, &signals, &before)
    defer {
      // A pending one would arrive when it is no longer blocked.
      if sigismember(&before, SIGXFSZ) == 0 {
        var none = timespec()
        while sigtimedwait(&signals, nil, &none) < 0, errno == EINTR {}
      }
      pthread_sigmask(SIG_SETMASK, &before, nil)
    }
    return body()
  }
}
