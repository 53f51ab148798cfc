import Foundation

/// A folder of its own for each test, deleted with the value.
final class ScratchFolder {
  let path: String

  init() throws {
    path = "\(NSTemporaryDirectory())kvo-recorder-\(UUID().uuidString)"
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  func path(_ name: String) -> String { "\(path)/\(name)" }

  func write(_ text: String, to name: String) throws -> String {
    try Data(text.utf8).write(to: URL(fileURLWithPath: path(name)))
    return path(name)
  }

  /// The names of the files in it, sorted.
  var names: [String] {
    get throws { try FileManager.default.contentsOfDirectory(atPath: path).sorted() }
  }
}

/// What stands in a file.
///
/// Of a file in /proc, which says that it is empty, Foundation's `String(contentsOf:)` gives the
/// first page alone.
func text(of path: String) throws -> String {
  let file = try FileHandle(forReadingFrom: URL(fileURLWithPath: path))
  return String(decoding: try file.readToEnd() ?? Data(), as: UTF8.self)
}

/// The running program.
func executablePath() throws -> String {
  try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
}
