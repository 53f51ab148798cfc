#if canImport(FoundationEssentials)
private import FoundationEssentials
#else
private import Foundation
#endif

extension AuditInput {
  /// The logs of other processes that are next to the binary logs among `inputs` and are not read with them.
  ///
  /// A recorder that finds a log at its output path keeps it as `app.kvolog.previous`, and goes to `app.kvolog.<pid>`
  /// while another process writes there, such as its parent.
  ///
  /// - Returns: each input that has any, and their paths, sorted.
  ///
  /// Complexity: O(files in the folders of the inputs).
  package static func logs(beside inputs: [AuditInput]) -> [(path: String, others: [String])] {
    let read = Set(inputs.flatMap(\.paths))
    return inputs.compactMap { input in
      guard case .file(let path, _) = input, isBinaryLog(path) else { return nil }
      let slash = path.lastIndex(of: "/")
      let folder = slash.map { String(path[...$0]) } ?? ""
      let name = slash.map { String(path[path.index(after: $0)...]) } ?? path
      let names =
        (try? FileManager.default.contentsOfDirectory(atPath: folder.isEmpty ? "." : folder)) ?? []
      let others = names.filter { $0.hasPrefix(name + ".") }.map { folder + $0 }
        .filter { !read.contains($0) && isBinaryLog($0) }
      // Older files are read along with the newest one.
      let newest = AuditInput.inputs(arguments: others.sorted()).flatMap { $0.paths.prefix(1) }
      return newest.isEmpty ? nil : (path, newest)
    }
  }
}
