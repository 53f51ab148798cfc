import Glibc

/// Paths that mean the same in another folder.
enum AbsolutePath {
  /// The path of what is at `path`, without links; nil where nothing is.
  static func of(_ path: String) -> String? {
    guard let resolved = realpath(path, nil) else { return nil }
    defer { free(resolved) }
    return String(cString: resolved)
  }
}
