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

  /// Identifies a folder, whatever the path to it.
  private struct Folder: Hashable {
    var device: dev_t
    var number: ino_t
  }

  /// Reads the build-ids of the files at `arguments`, and of those in the folders there.
  ///
  /// Complexity: O(files), of each of which the tables are read.
  package init(_ arguments: [String] = []) {
    var contents: [String: ElfFile.Content] = [:]
    for argument in arguments {
      var isFound = false
      var paths: [String] = []
      var entered: Set<Folder> = []
      Self.addFiles(at: argument, to: &paths, &entered)
      for path in paths {
        guard let file = try? ElfFile(path: path), !file.buildID.isEmpty else { continue }
        isFound = true
        let content = file.content
        if let known = contents[file.buildID], !known.isLess(than: content) { continue }
        (self.paths[file.buildID], contents[file.buildID]) = (path, content)
      }
      if !isFound { others.append(argument) }
    }
  }

  /// Adds the files at or below `path`, except for hidden ones, in the order of their names.
  ///
  /// Links are followed, and a folder is entered once: they may lead to one that they are in.
  private static func addFiles(
    at path: String,
    to paths: inout [String],
    _ entered: inout Set<Folder>
  ) {
    guard let folder = opendir(path) else {
      paths.append(path)
      return
    }
    var status = stat()
    var names: [String] = []
    if fstat(dirfd(folder), &status) == 0,
      entered.insert(Folder(device: status.st_dev, number: status.st_ino)).inserted
    {
      while let entry = readdir(folder) {
        let name = withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
          String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
        }
        if !name.hasPrefix(".") { names.append("\(path)/\(name)") }
      }
    }
    // Folders may be nested deeper than files may be open.
    closedir(folder)
    for name in names.sorted() { addFiles(at: name, to: &paths, &entered) }
  }
}
