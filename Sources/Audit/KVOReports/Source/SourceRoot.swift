private import Glibc

#if canImport(FoundationEssentials)
private import FoundationEssentials
#else
private import Foundation
#endif

/// The folder that reports for forges name source files relative to: the root of a repository.
///
/// A log has the absolute paths that the compiler was given. A forge knows the files of a repository by their paths
/// in it, and shows no line of `/home/me/app/Sources/Screen.swift`.
package struct SourceRoot: Hashable, Sendable {
  /// Absolute, without symbolic links, without a slash at its end unless it is `/`.
  package let path: String
  /// The same as given, for files that are not available; nil: no log has such a path, because it was relative to the
  /// current folder, or led up from a folder, which may be a symbolic link.
  private let givenPath: String?

  /// The folder `path`; nil: there is no such folder.
  package init?(path: String) {
    guard let resolved = Self.resolved(path) else { return nil }
    var isFolder = false
    guard FileManager.default.fileExists(atPath: resolved, isDirectory: &isFolder),
      isFolder
    else { return nil }
    self.path = resolved
    let isUsual = path.hasPrefix("/") && !path.split(separator: "/").contains("..")
    givenPath = isUsual ? Self.standardized(path) : nil
  }

  /// The working tree of Git that the current folder is in, or the current folder.
  package static var current: SourceRoot? {
    guard let folder = SourceRoot(path: ".") else { return nil }
    var parts = folder.path.split(separator: "/")
    while !parts.isEmpty {
      let path = "/" + parts.joined(separator: "/")
      // A file in a work tree that was added to a repository.
      if FileManager.default.fileExists(atPath: path + "/.git") { return SourceRoot(path: path) }
      parts.removeLast()
    }
    return folder
  }

  /// The path of an absolute `file` in this folder; nil: it is outside.
  ///
  /// Forges refuse paths that lead through symbolic links, so those of a file that exists are resolved.
  func path(of file: String) -> String? {
    guard file.hasPrefix("/") else { return nil }
    if let resolved = Self.resolved(file) { return Self.part(of: resolved, below: path) }
    let standardized = Self.standardized(file)
    return Self.part(of: standardized, below: path)
      ?? givenPath.flatMap { Self.part(of: standardized, below: $0) }
  }

  /// The location of the file that `path` names in this folder.
  func file(at path: String) -> String { self.path == "/" ? "/" + path : self.path + "/" + path }

  private static func part(of file: String, below folder: String) -> String? {
    let prefix = folder.hasSuffix("/") ? folder : folder + "/"
    guard file.count > prefix.count, file.hasPrefix(prefix) else { return nil }
    return String(file.dropFirst(prefix.count))
  }

  private static func resolved(_ path: String) -> String? {
    guard let resolved = realpath(path, nil) else { return nil }
    defer { free(resolved) }
    return String(validatingCString: resolved)
  }

  /// Without `.`, `..` and empty parts.
  private static func standardized(_ path: String) -> String {
    var parts: [Substring] = []
    for part in path.split(separator: "/") where part != "." {
      if part == ".." { _ = parts.popLast() } else { parts.append(part) }
    }
    return (path.hasPrefix("/") ? "/" : "") + parts.joined(separator: "/")
  }
}
