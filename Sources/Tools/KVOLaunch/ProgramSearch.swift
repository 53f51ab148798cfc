import Glibc

/// Finds programs where a shell does.
enum ProgramSearch {
  /// Finds the file that `name` runs.
  ///
  /// A name with a slash is a path; any other is looked for in the folders of `searchPath`, where
  /// an empty folder is the current one, and a file that may not be run is skipped.
  ///
  /// - Parameters:
  ///   - name: what the user typed.
  ///   - searchPath: the value of PATH; nil: the system's.
  /// - Returns: a path that may be executed.
  /// - Throws: ``LaunchRefusal`` if there is none.
  static func path(of name: String, searchPath: String?) throws(LaunchRefusal) -> String {
    guard !name.contains("/") else {
      if let reason = obstacle(at: name) { throw refusal(of: name, at: name, reason) }
      return name
    }
    var blocked: (path: String, reason: Obstacle)?
    let folders = (searchPath ?? "/bin:/usr/bin")
      .split(separator: ":", omittingEmptySubsequences: false)
    for folder in folders where !name.isEmpty {
      let path = folder.isEmpty ? "./\(name)" : "\(folder)/\(name)"
      switch obstacle(at: path) {
      case nil: return path
      case .missing: continue
      case let reason?: blocked = blocked ?? (path, reason)
      }
    }
    if let blocked { throw refusal(of: name, at: blocked.path, blocked.reason) }
    let here = obstacle(at: "./\(name)") == nil && !name.isEmpty
    throw .missing(
      "the program \"\(name)\" is in no folder of PATH"
        + (here ? "; the one in this folder is \"./\(name)\"" : "")
    )
  }

  private enum Obstacle: Hashable {
    case missing
    case folder
    case noRegularFile
    case notExecutable
    case system(Int32)
  }

  private static func obstacle(at path: String) -> Obstacle? {
    var status = stat()
    guard stat(path, &status) == 0 else {
      return errno == ENOENT || errno == ENOTDIR ? .missing : .system(errno)
    }
    switch status.st_mode & S_IFMT {
    case S_IFREG: return access(path, X_OK) == 0 ? nil : .notExecutable
    case S_IFDIR: return .folder
    default: return .noRegularFile
    }
  }

  private static func refusal(of name: String, at path: String, _ reason: Obstacle) -> LaunchRefusal
  {
    switch reason {
    case .missing: .missing("the program \"\(name)\" does not exist")
    case .folder: .unusable("\"\(path)\" is a folder, not a program")
    case .noRegularFile: .unusable("\"\(path)\" is not a regular file, and so no program")
    case .notExecutable:
      .unusable("\"\(path)\" is not executable; if it is a program: chmod +x \"\(path)\"")
    case .system(let code):
      .unusable("\"\(path)\" cannot be run: \(String(cString: strerror(code)))")
    }
  }
}
