private import KVOFindings
private import KVOSystem
internal import KVOTrace

#if canImport(FoundationEssentials)
private import FoundationEssentials
#else
private import Foundation
#endif

/// The files that command line arguments denote, if they are folders or patterns.
///
/// A folder stands for the usage logs in it and in the folders below, found by their content, and for the crash
/// reports, found by their names. Either may be compressed. A file that is named like a binary log and is not one, because
/// it is damaged, a file that is named like a log and a folder that cannot be read, and a log whose name is not UTF-8 are
/// inputs, too, so that they are reported. A pattern that the shell did not expand (`'logs/**'`) stands for the files that
/// it matches: `**` for any folders, `*` and `?` inside of names. Other arguments are used unchanged.
enum InputPaths {
  /// The paths, sorted within each argument; a file that is named twice, explicitly or not, is listed once.
  ///
  /// Complexity: O(files), of each of which the beginning is read.
  static func expand(
    _ arguments: [String],
    _ decompression: (any InputDecompression)? = nil
  ) -> [String] {
    let found = arguments.map { expand($0, decompression) }
    let named = Set(zip(arguments, found).filter { $1 == nil }.map { identity(of: $0.0) })
    var taken = named
    var listed: Set<String> = []
    return zip(arguments, found).flatMap { argument, paths -> [String] in
      guard let paths else {
        return listed.insert(identity(of: argument)).inserted ? [argument] : []
      }
      return paths.filter { taken.insert(identity(of: $0)).inserted }
    }
  }

  /// The files that `argument` stands for, or nil if it stands for itself.
  private static func expand(
    _ argument: String,
    _ decompression: (any InputDecompression)?
  ) -> [String]? {
    if argument == "-" { return nil }
    if let isFolder = isFolder(argument) {
      guard isFolder else { return nil }
      let files = files(in: argument, decompression)
      let logs =
        files.named.filter { isInput($0, decompression) }
        + files.unnameable.filter(\.isInput).map(\.path)
      return logs.isEmpty ? nil : logs.sorted()
    }
    guard argument.contains(where: { "*?".contains($0) }) else { return nil }
    let parts = argument.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
    // The search starts in the folder before the first pattern.
    let fixed = parts.prefix { !$0.contains { "*?".contains($0) } }
    let root = fixed.isEmpty ? "." : fixed == [""] ? "/" : fixed.joined(separator: "/")
    let pattern = parts.dropFirst(fixed.count).map { $0 == "**" ? nil : GlobPattern($0) }
    let files = files(in: root, decompression)
    let matching = (files.named + files.unnameable.map(\.path)).filter { path in
      let rest = path.dropFirst(prefix(of: root).count)
      return matches(rest.split(separator: "/")[...], pattern[...])
    }
    return matching.isEmpty ? nil : matching.sorted()
  }

  /// Whether the parts of a path match those of a pattern; nil stands for any folders.
  private static func matches(
    _ path: ArraySlice<Substring>,
    _ pattern: ArraySlice<GlobPattern?>
  ) -> Bool {
    guard let first = pattern.first else { return path.isEmpty }
    guard let first else {
      if pattern.count == 1 { return !path.isEmpty }
      return path.indices.contains { matches(path[$0...], pattern.dropFirst()) }
    }
    guard let name = path.first, first.matches(name) else { return false }
    return matches(path.dropFirst(), pattern.dropFirst())
  }

  /// What is below a folder, without what is hidden.
  private struct Files {
    /// All files, and folders that cannot be read.
    var named: [String] = []
    /// Those whose names are not UTF-8, repaired: no input can have such a path, so that reading it says what is wrong.
    var unnameable: [(path: String, isInput: Bool)] = []
  }

  private static func files(
    in folder: String,
    _ decompression: (any InputDecompression)?
  ) -> Files {
    var files = Files()
    let start = prefix(of: folder)
    func isHidden(_ path: String) -> Bool {
      path.split(separator: "/").contains { $0.hasPrefix(".") }
    }
    let paths = FolderWalk.paths(in: folder) { path in
      if isHidden(path) { return }
      if isFolder(start + path) == true {
        files.named.append(start + path)
      } else {
        files.unnameable.append((start + path, true))
      }
    } unnameable: { path, file in
      if isHidden(path) { return }
      let isNamedLikeInput =
        isNamedLikeLog(path) || [".ips", ".crash"].contains { path.hasSuffix($0) }
        || [".ips.", ".crash."].contains(where: path.contains)
      // The system's path to the open file.
      let isLog = isNamedLikeInput || isInput("/proc/self/fd/\(file)", decompression)
      files.unnameable.append((start + path, isLog))
    }
    for path in paths where !isHidden(path) {
      let path = start + path
      let isFile = isFolder(path).map { !$0 } ?? (isNamedLikeLog(path) && isLink(path))
      if isFile { files.named.append(path) }
    }
    return files
  }

  /// The prefix of paths of files in `folder`: empty for the working directory.
  private static func prefix(of folder: String) -> String {
    folder == "." ? "" : folder.hasSuffix("/") ? folder : folder + "/"
  }

  private static func isInput(
    _ path: String,
    _ decompression: (any InputDecompression)?
  ) -> Bool {
    if path.hasSuffix(".ips") || path.hasSuffix(".crash") { return true }
    // The code that reads a file reports that it cannot.
    guard let source = try? ByteSource(path: path, decompression: decompression) else {
      let isNamedLikeLines = ["", ".gz", ".xz", ".zst"].contains { path.hasSuffix(".jsonl" + $0) }
      return isNamedLikeLog(path) || isNamedLikeLines || isFolder(path) == true
    }
    guard source.knownByteCount != nil else { return false }
    guard let head = try? source.read() else { return isNamedLikeLog(path) }
    if source.isCompressed, [".ips.", ".crash."].contains(where: path.contains) { return true }
    if InputKind(head: head.prefix(InputKind.headByteCount)) == nil { return isNamedLikeLog(path) }
    return !ReportForm.isReport(head: head)
  }

  /// Whether the file has the name of a binary log, compressed or not.
  static func isNamedLikeLog(_ path: String) -> Bool {
    [".kvolog", ".kvolog.gz", ".kvolog.xz", ".kvolog.zst"].contains { path.hasSuffix($0) }
  }

  /// Whether there is a folder at `path`; nil: it does not exist.
  static func isFolder(_ path: String) -> Bool? {
    var isFolder = false
    guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) else { return nil }
    return isFolder
  }

  /// Whether there is a symbolic link at `path`, which may lead nowhere.
  private static func isLink(_ path: String) -> Bool {
    (try? FileManager.default.destinationOfSymbolicLink(atPath: path)) != nil
  }

  /// The path without links and redundant parts; `-` for standard input.
  private static func identity(of path: String) -> String {
    path == "-" ? path : URL(filePath: path).resolvingSymlinksInPath().path
  }
}
