package import Foundation

/// A folder of its own for each test, deleted with the value.
package final class ScratchFolder {
  package let url: URL

  package init() throws {
    url = FileManager.default.temporaryDirectory.appending(path: "kvo-safety-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(at: url) }

  package var path: String { url.path }

  /// The path of a file with this name, which need not exist.
  package func path(_ name: String) -> String { url.appending(path: name).path }

  /// The names of the files in it, sorted.
  package var names: [String] {
    get throws { try FileManager.default.contentsOfDirectory(atPath: path).sorted() }
  }

  /// Writes a file and gives its path.
  package func file(_ name: String, _ bytes: [UInt8]) throws -> String {
    let file = url.appending(path: name)
    try Data(bytes).write(to: file)
    return file.path
  }

  package func file(_ name: String, _ text: String) throws -> String {
    try file(name, Array(text.utf8))
  }
}
