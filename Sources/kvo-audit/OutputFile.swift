import ArgumentParser
import KVOAudit

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// A file that is being written.
enum OutputFile {
  /// Whether both paths lead to the same existing file.
  static func isSame(_ path: String, as other: String) -> Bool {
    Identity(existing: path).map { $0 == Identity(existing: other) } ?? false
  }
}

extension OutputFile {
  /// What distinguishes a file, whatever path leads to it.
  private struct Identity: Hashable {
    private let device: UInt64
    private let node: UInt64
    /// The name of a file that does not exist yet, in the folder that the numbers are of.
    private let name: Substring?
    /// Whether it is no file: devices take any number of reports.
    let isDevice: Bool

    /// Nil: there is no such file.
    init?(existing path: String) {
      self.init(of: path)
      if name != nil { return nil }
    }

    /// Nil: neither the file nor its folder exists.
    init?(of path: String) {
      var status = stat()
      if stat(path, &status) == 0 {
        name = nil
        isDevice = status.st_mode & S_IFMT != S_IFREG
      } else {
        let parts = OutputFile.parts(of: path)
        guard stat(parts.folder, &status) == 0 else { return nil }
        name = parts.name
        isDevice = false
      }
      device = UInt64(truncatingIfNeeded: status.st_dev)
      node = UInt64(truncatingIfNeeded: status.st_ino)
    }
  }

  /// Checks, without creating any of them, that `paths` can be written, as far as that can be
  /// known.
  ///
  /// - Parameters:
  ///   - paths: the files to be written.
  ///   - inputs: the inputs, which must not be overwritten.
  ///   - files: the other files to be read.
  /// - Throws: ``ExitStatus/unwritable`` if one cannot, after printing the error of each.
  /// - Complexity: O(paths × files + inputs).
  static func check(
    _ paths: [String],
    reading inputs: [AuditInput],
    and files: [String] = []
  ) throws {
    let read = paths.isEmpty ? [] : inputs.flatMap(\.paths)
    let logs = Set(read.compactMap(Identity.init(existing:)))
    var taken: [Identity: String] = [:]
    let problems = paths.compactMap { path -> String? in
      let identity = Identity(of: path)
      if let identity, logs.contains(identity) {
        return "\(path): is read as a log, and would be overwritten; name another file"
      }
      if let file = files.first(where: { isSame(path, as: $0) }) {
        return "\(path): \(file) is read, too, and would be overwritten; name another file"
      }
      if let identity, !identity.isDevice {
        if let other = taken[identity] {
          return "\(path): is \(other), where another report goes; name another file"
        }
        taken[identity] = path
      }
      return problem(with: path).map { "\(path): cannot be written: \($0)" }
    }
    for problem in problems { StandardStreams.complain("kvo-audit: \(problem)") }
    if !problems.isEmpty { throw ExitStatus.unwritable }
  }

  static func isFolder(_ path: String) -> Bool {
    var status = stat()
    return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
  }

  /// Whether there is a regular file at `path`.
  static func isFile(_ path: String) -> Bool {
    var status = stat()
    return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
  }

  static func exists(_ path: String) -> Bool {
    var status = stat()
    return stat(path, &status) == 0
  }

  /// Creates a folder, if there is none.
  ///
  /// - Throws: ``ExitStatus/unwritable`` if it cannot be created, after printing the error.
  static func makeFolder(_ path: String) throws {
    guard mkdir(path, 0o755) != 0, errno != EEXIST || !isFolder(path) else { return }
    throw refusal(path, String(cString: strerror(errno)))
  }

  /// Writes a file that only its owner can read, replacing an existing one.
  ///
  /// - Throws: ``ExitStatus/unwritable`` if it cannot be written, after printing the error.
  static func writeSecret(_ bytes: [UInt8], to path: String) throws {
    let sink = OutputSink(path: path, permissions: 0o600)
    sink.take(bytes)
    try sink.finish()
  }

  /// Creates a file that only its owner can read, unless there is one.
  ///
  /// It is complete when it appears: of several processes that create it, all but one find the same file.
  ///
  /// - Returns: whether it was created.
  /// - Throws: ``ExitStatus/unwritable`` if it cannot be created, after printing the error.
  static func createSecret(_ bytes: [UInt8], at path: String) throws -> Bool {
    let draft: OutputDraft
    do throws(OutputDraft.Refusal) {
      draft = try OutputDraft(silentlyFor: path, permissions: 0o600)
    } catch {
      throw refusal(path, error.reason)
    }
    defer { draft.discard() }
    let file = open(draft.path, O_WRONLY | O_CLOEXEC)
    guard file >= 0 else { throw refusal(path, String(cString: strerror(errno))) }
    var code = StandardStreams.write(bytes, to: file)
    if close(file) != 0, code == 0 { code = errno }
    guard code == 0 else { throw refusal(path, String(cString: strerror(code))) }
    if link(draft.path, path) == 0 { return true }
    if errno == EEXIST, exists(path) { return false }
    // A symbolic link that leads to no file, or a file system without hard links.
    try writeSecret(bytes, to: path)
    return true
  }

  /// Prints why `path` cannot be written, and returns the status for that.
  static func refusal(_ path: String, _ reason: String) -> ExitCode {
    StandardStreams.complain("kvo-audit: \(path): cannot be written: \(reason)")
    return ExitStatus.unwritable
  }

  /// Whether both paths lead to the same file, which need not exist yet; devices take any number of
  /// reports.
  static func isOneFile(_ path: String, _ other: String) -> Bool {
    Identity(of: path).map { !$0.isDevice && $0 == Identity(of: other) } ?? false
  }

  /// The folder of the file at `path`, which need not exist yet.
  static func folder(of path: String) -> String { parts(of: path).folder }

  private static func parts(of path: String) -> (folder: String, name: Substring) {
    guard let slash = path.lastIndex(of: "/") else { return (".", path[...]) }
    let folder = slash == path.startIndex ? "/" : String(path[..<slash])
    return (folder, path[path.index(after: slash)...])
  }

  /// The reason why the file at `path` cannot be written, or nil.
  private static func problem(with path: String) -> String? {
    var status = stat()
    if stat(path, &status) == 0 {
      if status.st_mode & S_IFMT == S_IFDIR { return String(cString: strerror(EISDIR)) }
      return access(path, W_OK) == 0 ? nil : String(cString: strerror(errno))
    }
    if errno != ENOENT { return String(cString: strerror(errno)) }
    return access(folder(of: path), W_OK | X_OK) == 0 ? nil : String(cString: strerror(errno))
  }
}
