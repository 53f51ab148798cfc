import KVOSystem

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Finds files with debug information in Apple's object format.
package enum AppleDebugFiles {
  /// The images in the files at a path: each processor's has its UUID, in upper case without dashes.
  ///
  /// - Parameter path: a file, a dSYM, or a folder of them.
  /// - Returns: one for each processor of each file; none if it is another format.
  package static func images(at path: String) -> [(uuid: String, path: String)] {
    files(at: path).flatMap(MachOImage.images).map { ($0.uuid, $0.path) }
  }

  /// The file at a path, or those of the dSYMs in the folder there.
  static func files(at path: String) -> [String] {
    var isFolder = false
    guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) else { return [] }
    guard isFolder else { return [path] }
    let inside = FolderWalk.paths(in: path).filter {
      "/\($0)".contains("/Contents/Resources/DWARF/")
    }
    return inside.sorted().map { "\(path)/\($0)" }
  }
}
