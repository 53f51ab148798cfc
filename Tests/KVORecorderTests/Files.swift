import Foundation

/// What stands in a file.
///
/// Of a file in /proc, which says that it is empty, Foundation's `String(contentsOf:)` gives the
/// first page alone.
func text(of path: String) throws -> String {
  let file = try FileHandle(forReadingFrom: URL(fileURLWithPath: path))
  return String(decoding: try file.readToEnd() ?? Data(), as: UTF8.self)
}
