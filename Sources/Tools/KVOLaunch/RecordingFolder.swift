import Glibc

/// The folder to which the processes of one run write their logs, and the list of those logs.
package struct RecordingFolder: Sendable {
  /// Why there is no such folder.
  package struct Failure: Error, Hashable, Sendable {
    package var message: String
  }

  /// Absolute, without links.
  package let path: String
  private let prefix: String
  /// The logs of previous runs.
  private let previous: [String: Trace]

  /// The attributes that distinguish a file from one that was written since.
  private struct Trace: Hashable {
    var inode: UInt
    var byteCount: Int
    var seconds: Int
    var nanoseconds: Int
  }

  private static let ending = ".kvolog"

  /// Makes the folder.
  ///
  /// - Parameters:
  ///   - path: where, with folders on the way that are missing; nil: a fresh one for temporary
  ///     files. It may have logs of previous runs in it.
  ///   - name: what the program is called, which its logs' names begin with.
  ///   - temporary: the folder in which fresh folders are made, the value of TMPDIR; nil or empty: it
  ///     is not set.
  /// - Throws: ``Failure`` if nothing can be written there.
  package init(at path: String?, name: String, temporary: String?) throws(Failure) {
    let name = String(name.split(separator: "/").last.map(String.init) ?? "program")
      .map { $0 == "%" ? "_" : String($0) }.joined()
    prefix = "\(name)-"
    let folder: String
    if let path {
      try Self.makeFolders(path)
      folder = path
    } else {
      switch PrivateFolder.make(name: "kvo-audit-\(name)", in: temporary) {
      case .success(let made): folder = made
      case .failure(let refusal): throw Self.failure(refusal.path, refusal.number)
      }
    }
    guard let absolute = AbsolutePath.of(folder), access(absolute, W_OK | X_OK) == 0 else {
      throw Self.failure(folder, errno)
    }
    // The recorder replaces it by the process id, and has no escape for the letters themselves.
    guard !absolute.contains("%p") else {
      throw Failure(
        message: "\"\(absolute)\" cannot have logs in it: \"%p\" stands for the process id"
      )
    }
    self.path = absolute
    previous = Self.traces(in: absolute, prefix: prefix)
  }

  /// The value of `KVO_SAFETY_LOG`.
  package var pattern: String { "\(path)/\(prefix)%p\(Self.ending)" }

  /// The files that were written since the folder was made, sorted by name; older parts of a log are
  /// among them, and empty logs, of processes that could not record, as on a full disk.
  package var logs: [String] {
    Self.traces(in: path, prefix: prefix)
      .filter { name, trace in
        previous[name] != trace && (trace.byteCount > 0 || name.hasSuffix(Self.ending))
      }
      .keys.sorted().map { "\(path)/\($0)" }
  }

  /// Removes the folder if nothing was written in it; one with files in it stays.
  package func removeIfEmpty() { rmdir(path) }

  private static func traces(in folder: String, prefix: String) -> [String: Trace] {
    guard let stream = opendir(folder) else { return [:] }
    defer { closedir(stream) }
    var traces: [String: Trace] = [:]
    while let entry = readdir(stream) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) { bytes in
        bytes.withMemoryRebound(to: CChar.self, capacity: Int(NAME_MAX) + 1) {
          String(cString: $0)
        }
      }
      guard name.hasPrefix(prefix), name.contains(ending) else { continue }
      var status = stat()
      guard stat("\(folder)/\(name)", &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
        continue
      }
      traces[name] = Trace(
        inode: status.st_ino,
        byteCount: status.st_size,
        seconds: status.st_mtim.tv_sec,
        nanoseconds: status.st_mtim.tv_nsec
      )
    }
    return traces
  }

  private static func makeFolders(_ path: String) throws(Failure) {
    var end = path.startIndex
    while end < path.endIndex {
      end = path[end...].dropFirst().firstIndex(of: "/") ?? path.endIndex
      let part = String(path[..<end])
      if mkdir(part, 0o777) != 0, errno != EEXIST {
        let code = errno
        // A parent that may not be written to, or is on a read-only system, and is there.
        var status = stat()
        if stat(part, &status) != 0 { throw failure(path, code) }
      }
    }
    var status = stat()
    guard stat(path, &status) == 0 else { throw failure(path, errno) }
    guard status.st_mode & S_IFMT == S_IFDIR else { throw failure(path, ENOTDIR) }
  }

  private static func failure(_ path: String, _ code: Int32) -> Failure {
    Failure(message: "no logs can be written into \"\(path)\": \(String(cString: strerror(code)))")
  }
}
