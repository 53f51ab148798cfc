import Glibc

/// The files below a folder.
package enum FolderWalk {
  /// The paths of all entries below `folder` that are not folders, from there on, in no particular order.
  ///
  /// Symbolic links are not followed; a folder that cannot be read has no entries. Complexity: O(entries).
  ///
  /// - Parameters:
  ///   - folder: the folder.
  ///   - unreadable: called with the path of each folder below it that exists and cannot be read.
  /// - Returns: the paths.
  package static func paths(in folder: String, unreadable: (String) -> Void = { _ in }) -> [String]
  {
    var paths: [String] = []
    // A list, not a recursion: folders may be nested deeply.
    var folders = [""]
    while let next = folders.popLast() {
      guard let stream = opendir("\(folder)/\(next)") else {
        if errno != ENOENT, !next.isEmpty { unreadable(String(next.dropLast())) }
        continue
      }
      defer { closedir(stream) }
      while let entry = readdir(stream) {
        let name = withUnsafePointer(to: &entry.pointee.d_name) { bytes in
          String(cString: UnsafeRawPointer(bytes).assumingMemoryBound(to: CChar.self))
        }
        if name == "." || name == ".." { continue }
        let path = next + name
        if isFolder("\(folder)/\(path)", entry.pointee.d_type) {
          folders.append(path + "/")
        } else {
          paths.append(path)
        }
      }
    }
    return paths
  }

  private static func isFolder(_ path: String, _ type: UInt8) -> Bool {
    guard Int(type) == DT_UNKNOWN else { return Int(type) == DT_DIR }
    var status = stat()
    return lstat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
  }
}
