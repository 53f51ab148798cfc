#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// Files without a name, in the folder that TMPDIR names: they are gone when they are closed.
enum TemporaryFile {
  private static var folder: String {
    guard let named = getenv("TMPDIR"), named.pointee != 0 else { return "/tmp" }
    return String(cString: named)
  }

  /// Makes an empty file.
  ///
  /// - Returns: its descriptor, which the caller closes; -1, with the reason in `errno`, if there is none.
  static func make() -> Int32 {
    var name = Array((folder + "/kvo-audit-XXXXXX").utf8CString)
    let file = mkstemp(&name)
    guard file >= 0 else { return file }
    _ = fcntl(file, F_SETFD, FD_CLOEXEC)
    unlink(name)
    return file
  }

  /// Writes `bytes` at `offset`.
  ///
  /// - Returns: the error number, or 0.
  static func write(_ bytes: UnsafeRawBufferPointer, to file: Int32, at offset: Int) -> Int32 {
    var count = 0
    while count < bytes.count {
      let rest = UnsafeRawBufferPointer(rebasing: bytes[count...])
      let result = pwrite(file, rest.baseAddress, rest.count, off_t(offset + count))
      if result < 0, errno == EINTR { continue }
      if result < 0 { return errno }
      count += result
    }
    return 0
  }

  /// The failure of an input that "cannot be decompressed into" the folder, for the reason with the number `code`.
  static func failure(_ label: String, _ what: String, _ code: Int32) -> InputFailure {
    let why = String(cString: strerror(code))
    return InputFailure(
      input: label,
      reason: "\(what) \(folder): \(why); TMPDIR names another folder"
    )
  }
}
