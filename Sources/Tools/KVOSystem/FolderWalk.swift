import Glibc

/// The files below a folder.
package enum FolderWalk {
  /// The paths of all entries below `folder` that are not folders, from there on, in no particular order.
  ///
  /// Symbolic links are not followed; a folder that cannot be read has no entries. Complexity: O(entries).
  ///
  /// - Parameters:
  ///   - folder: the folder.
  ///   - unreadable: called with the path of each folder below it that exists and cannot be read, or not searched.
  ///   - unnameable: called with each other entry whose name is not UTF-8, so that no text leads to it: the path with the
  ///     name repaired, and the entry, which is open during the call, or -1 if it cannot be opened.
  /// - Returns: the paths.
  package static func paths(
    in folder: String,
    unreadable: (String) -> Void = { _ in },
    unnameable: (String, Int32) -> Void = { _, _ in }
  ) -> [String] {
    var paths: [String] = []
    // A list, not a recursion: folders may be nested deeply.
    var folders = [""]
    while let next = folders.popLast() {
      guard let stream = opendir("\(folder)/\(next)") else {
        if errno != ENOENT, !next.isEmpty { unreadable(String(next.dropLast())) }
        continue
      }
      defer { closedir(stream) }
      // Without the right to search it, its entries have names, and cannot be looked at.
      if !next.isEmpty, access("\(folder)/\(next).", X_OK) != 0 {
        unreadable(String(next.dropLast()))
        continue
      }
      while let entry = readdir(stream) {
        let text = withName(of: entry) { String(validatingCString: $0) }
        let name = text ?? withName(of: entry) { String(cString: $0) }
        if name == "." || name == ".." { continue }
        let path = next + name
        if text == nil {
          let file = withName(of: entry) {
            openat(dirfd(stream), $0, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
          }
          defer { close(file) }
          var status = stat()
          let isFolder = fstat(file, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
          if !isFolder { unnameable(path, file) }
          if isFolder, Int(entry.pointee.d_type) != DT_LNK { unreadable(path) }
        } else if isFolder("\(folder)/\(path)", entry.pointee.d_type) {
          folders.append(path + "/")
        } else {
          paths.append(path)
        }
      }
    }
    return paths
  }

  private static func withName<Value>(
    of entry: UnsafeMutablePointer<dirent>,
    _ body: (UnsafePointer<CChar>) -> Value
  ) -> Value {
    withUnsafePointer(to: &entry.pointee.d_name) { bytes in
      body(UnsafeRawPointer(bytes).assumingMemoryBound(to: CChar.self))
    }
  }

  private static func isFolder(_ path: String, _ type: UInt8) -> Bool {
    guard Int(type) == DT_UNKNOWN else { return Int(type) == DT_DIR }
    var status = stat()
    return lstat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
  }
}
