import Glibc

/// ELF files named by the user as sources of debug information, by their build-id.
///
/// The files of `objcopy --only-keep-debug` and whole images are the same here: what counts is the build-id. Of several
/// files with one, such as a stripped program and its debug file, the one that says most is used.
package struct DebugFiles: Sendable {
  /// The file with each build-id.
  private(set) var paths: [String: String] = [:]
  /// The files, sorted.
  package var all: [String] { paths.values.sorted() }
  /// The arguments that are neither an ELF file with a build-id nor a folder of such files.
  package private(set) var others: [String] = []

  /// How many folders in folders are entered.
  private static let depthLimit = 16

  /// Reads the build-ids of the files at `arguments`, and of those in the folders there.
  ///
  /// Complexity: O(files), of each of which the tables are read.
  package init(_ arguments: [String] = []) {
    var contents: [String: ElfFile.Content] = [:]
    for argument in arguments {
      var isFound = false
      for path in Self.files(at: argument, depth: 0) {
        guard let file = try? ElfFile(path: path), !file.buildID.isEmpty else { continue }
        isFound = true
        let content = file.content
        if let known = contents[file.buildID], !known.isLess(than: content) { continue }
        (paths[file.buildID], contents[file.buildID]) = (path, content)
      }
      if !isFound { others.append(argument) }
    }
  }

  /// The regular files at or below `path`, except for hidden ones, in the order of their names.
  private static func files(at path: String, depth: Int) -> [String] {
    guard depth < depthLimit, let folder = opendir(path) else { return [path] }
    defer { closedir(folder) }
    var names: [String] = []
    while let entry = readdir(folder) {
      let name = withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
        String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
      }
      if !name.hasPrefix(".") { names.append("\(path)/\(name)") }
    }
    return names.sorted().flatMap { files(at: $0, depth: depth + 1) }
  }
}
