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
  /// Whether both paths lead to one file that is there.
  static func isSame(_ path: String, as other: String) -> Bool {
    var first = stat()
    var second = stat()
    return stat(path, &first) == 0 && stat(other, &second) == 0
      && first.st_dev == second.st_dev && first.st_ino == second.st_ino
  }
}

extension OutputFile {
  /// Sees to it, without making any of them, that `paths` can be written as far as that can be told.
  ///
  /// - Parameters:
  ///   - paths: the files to be written.
  ///   - inputs: what is going to be read, and must not be written over.
  ///   - files: what else is read.
  /// - Throws: ``ExitStatus/unwritable`` where one cannot; says why of each first.
  static func check(
    _ paths: [String],
    reading inputs: [AuditInput],
    and files: [String] = []
  ) throws {
    let problems = paths.enumerated().compactMap { index, path -> String? in
      if inputs.contains(where: { $0.paths.contains { isSame(path, as: $0) } }) {
        return "\(path): is read as a log, and would be overwritten; name another file"
      }
      if let file = files.first(where: { isSame(path, as: $0) }) {
        return "\(path): \(file) is read, too, and would be overwritten; name another file"
      }
      if let other = paths[..<index].first(where: { isOneFile(path, $0) }) {
        return "\(path): is \(other), where another report goes; name another file"
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

  static func exists(_ path: String) -> Bool {
    var status = stat()
    return stat(path, &status) == 0
  }

  /// Makes a folder, where there is none.
  ///
  /// - Throws: ``ExitStatus/unwritable`` where it cannot be made; says why first.
  static func makeFolder(_ path: String) throws {
    guard mkdir(path, 0o755) != 0, errno != EEXIST || !isFolder(path) else { return }
    throw refusal(path, String(cString: strerror(errno)))
  }

  /// Writes a file that nobody but its owner can read, in the place of one that is there.
  ///
  /// - Throws: ``ExitStatus/unwritable`` where it cannot be written; says why first.
  static func writeSecret(_ bytes: [UInt8], to path: String) throws {
    let draft = try OutputDraft(for: path, permissions: 0o600)
    let sink = OutputSink(path: draft.path)
    sink.take(bytes)
    do {
      try sink.finish()
    } catch {
      draft.discard()
      throw error
    }
    try draft.replace()
  }

  /// Says why `path` cannot be written, and gives the status of that.
  static func refusal(_ path: String, _ reason: String) -> ExitCode {
    StandardStreams.complain("kvo-audit: \(path): cannot be written: \(reason)")
    return ExitStatus.unwritable
  }

  /// Whether both paths lead to one file, which need not be there yet; devices take any number of reports.
  private static func isOneFile(_ path: String, _ other: String) -> Bool {
    var status = stat()
    if stat(path, &status) == 0 {
      return status.st_mode & S_IFMT == S_IFREG && isSame(path, as: other)
    }
    let (folder, name) = parts(of: path)
    let (otherFolder, otherName) = parts(of: other)
    return name == otherName && isSame(folder, as: otherFolder)
  }

  private static func parts(of path: String) -> (folder: String, name: Substring) {
    guard let slash = path.lastIndex(of: "/") else { return (".", path[...]) }
    let folder = slash == path.startIndex ? "/" : String(path[..<slash])
    return (folder, path[path.index(after: slash)...])
  }

  /// Why the file at `path` cannot be written, or nil.
  private static func problem(with path: String) -> String? {
    var status = stat()
    if stat(path, &status) == 0 {
      if status.st_mode & S_IFMT == S_IFDIR { return String(cString: strerror(EISDIR)) }
      return access(path, W_OK) == 0 ? nil : String(cString: strerror(errno))
    }
    if errno != ENOENT { return String(cString: strerror(errno)) }
    return access(parts(of: path).folder, W_OK | X_OK) == 0 ? nil : String(cString: strerror(errno))
  }
}

/// Takes the bytes of a report or a conversion, and remembers why they could not be written.
///
/// A file is made when the first bytes come: a log that is none leaves no empty file. Not synchronised.
final class OutputSink {
  /// Why nothing more can be written, or nil.
  private var failure: String?
  private let path: String?
  private var descriptor: Int32 = -1

  /// Makes a sink of a file, or of standard output.
  init(path: String?) {
    StandardStreams.ignoreFileSizeSignal()
    self.path = path
  }

  deinit { if descriptor >= 0 { close(descriptor) } }

  /// Writes `bytes`; false where that failed.
  ///
  /// - Parameters:
  ///   - bytes: what comes next.
  ///   - isBinary: whether they are nothing for a terminal.
  /// - Returns: whether more can be written.
  @discardableResult
  func take(_ bytes: [UInt8], isBinary: Bool = false) -> Bool {
    guard failure == nil else { return false }
    guard let path else { return print(bytes, isBinary) }
    if descriptor < 0 {
      descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
      guard descriptor >= 0 else { return fail(path, errno) }
    }
    let code = StandardStreams.write(bytes, to: descriptor)
    return code == 0 || fail(path, code)
  }

  /// Closes the file, which is when some file systems say that they are full.
  ///
  /// - Throws: ``ExitStatus/unwritable`` where not all could be written; says why first.
  func finish() throws {
    if descriptor >= 0, let path {
      if close(descriptor) != 0, failure == nil { _ = fail(path, errno) }
      descriptor = -1
    }
    guard let failure else { return }
    StandardStreams.complain("kvo-audit: \(failure)")
    throw ExitStatus.unwritable
  }

  private func print(_ bytes: [UInt8], _ isBinary: Bool) -> Bool {
    if isBinary, StandardStreams.isOutputATerminal {
      failure = "a binary log is not for a terminal; name a file with -o"
      return false
    }
    do throws(StandardStreams.Failure) {
      try StandardStreams.print(bytes)
      return true
    } catch {
      failure = error.description
      return false
    }
  }

  private func fail(_ path: String, _ code: Int32) -> Bool {
    failure = "\(path): cannot be written: \(String(cString: strerror(code)))"
    return false
  }
}
