import Glibc

/// Paths that mean the same in another folder.
enum AbsolutePath {
  /// The path of the file at `path`, without links; nil if there is none.
  static func of(_ path: String) -> String? {
    guard let resolved = realpath(path, nil) else { return nil }
    defer { free(resolved) }
    return String(cString: resolved)
  }
}
