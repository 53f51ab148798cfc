#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// A file beside the one that it replaces, so that the old content stays until the new one is
/// complete.
///
/// Its name is unique. A link is followed: its target is replaced.
struct OutputDraft {
  /// The path to write to.
  let path: String
  private let target: String

  /// Creates an empty file in the folder of `output`.
  ///
  /// - Parameter output: the file to replace.
  /// - Throws: ``ExitStatus/unwritable`` if it cannot be created, after printing the error.
  init(for output: String) throws {
    do throws(Refusal) {
      try self.init(silentlyFor: output)
    } catch {
      throw OutputFile.refusal(output, error.reason)
    }
  }

  /// Why something that exists, and is not a file, is not replaced.
  static let noFile = "only a file can be replaced, and this is not one"

  /// The reason why there can be no draft.
  struct Refusal: Error { var reason: String }

  /// The same, for a caller that can continue without a draft.
  init(silentlyFor output: String, permissions: mode_t? = nil) throws(Refusal) {
    StandardStreams.ignoreFileSizeSignal()
    var status = stat()
    let isThere = stat(output, &status) == 0
    if isThere, status.st_mode & S_IFMT != S_IFREG {
      throw Refusal(reason: Self.noFile)
    }
    target = isThere ? Self.real(output) ?? output : output
    var name = Array("\(target).XXXXXX".utf8CString)
    let descriptor = mkstemp(&name)
    guard descriptor >= 0 else { throw Refusal(reason: String(cString: strerror(errno))) }
    let usual = isThere ? status.st_mode & 0o7777 : 0o666 & ~Self.fileMask
    if isThere { _ = fchown(descriptor, status.st_uid, status.st_gid) }
    fchmod(descriptor, permissions ?? usual)
    close(descriptor)
    path = String(decoding: name.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
  }

  /// Replaces the file by the draft.
  ///
  /// - Throws: ``ExitStatus/unwritable`` if that fails, after printing the error and removing the
  ///   draft.
  func replace() throws {
    guard let code = move() else { return }
    throw OutputFile.refusal(target, String(cString: strerror(code)))
  }

  /// The same, but returns the error number, after removing the draft, if it failed.
  func move() -> Int32? {
    if rename(path, target) == 0 { return nil }
    let code = errno
    discard()
    return code
  }

  /// Removes the draft.
  func discard() { unlink(path) }

  /// The target of `path`, without links.
  static func real(_ path: String) -> String? {
    guard let resolved = realpath(path, nil) else { return nil }
    defer { free(resolved) }
    return String(cString: resolved)
  }

  /// The permissions that the process removes from new files.
  private static var fileMask: mode_t {
    let mask = umask(0)
    umask(mask)
    return mask
  }
}
