import Foundation
import TestSupport

/// A file system in memory with few bytes, which goes with the value.
final class SmallDisk {
  private let folder: ScratchFolder

  static let isAvailable = geteuid() == 0 && (try? SmallDisk(byteCount: 8192)) != nil

  /// Mounts one.
  ///
  /// - Parameters:
  ///   - byteCount: rounded up to whole pages.
  ///   - fileCount: how many files it may have, or nil for many.
  /// - Throws: if the system refuses.
  init(byteCount: Int, fileCount: Int? = nil) throws {
    folder = try ScratchFolder()
    // The root is one of them.
    let limit = fileCount.map { ",nr_inodes=\($0 + 1)" } ?? ""
    try Tool.run(
      "/bin/mount",
      ["-t", "tmpfs", "-o", "size=\(byteCount)\(limit),mode=755", "none", folder.path]
    )
  }

  deinit { _ = try? Child("/bin/umount", ["--lazy", folder.path]).end() }

  func path(_ name: String) -> String { folder.path(name) }

  var names: [String] {
    get throws { try folder.names }
  }

  func resize(byteCount: Int, fileCount: Int? = nil) throws {
    let limit = fileCount.map { ",nr_inodes=\($0 + 1)" } ?? ""
    try Tool.run("/bin/mount", ["-o", "remount,size=\(byteCount)\(limit)", folder.path])
  }
}
