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
  /// Complexity: O(n log n) in the inputs and the files in their folders, each of which is listed once.
  package static func logs(beside inputs: [AuditInput]) -> [(path: String, others: [String])] {
    let read = Set(inputs.flatMap(\.paths))
    var folders: [String: [String]] = [:]
    return inputs.compactMap { input in
      guard case .file(let path, _) = input, isBinaryLog(path) else { return nil }
      let slash = path.lastIndex(of: "/")
      let folder = slash.map { String(path[...$0]) } ?? ""
      let name = slash.map { String(path[path.index(after: $0)...]) } ?? path
      let files = folders[folder] ?? names(in: folder)
      folders[folder] = files
      let others = beginning(with: name + ".", in: files).map { folder + $0 }
        .filter { !read.contains($0) && isBinaryLog($0) }
      // Older files are read along with the newest one.
      let newest = AuditInput.inputs(arguments: others.sorted()).flatMap { $0.paths.prefix(1) }
      return newest.isEmpty ? nil : (path, newest)
    }
  }

  /// The names of the files in `folder`, in the order of their bytes.
  private static func names(in folder: String) -> [String] {
    let path = folder.isEmpty ? "." : folder
    return ((try? FileManager.default.contentsOfDirectory(atPath: path)) ?? [])
      .sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
  }

  /// Those of `names`, which are in the order of their bytes, that begin with `prefix`: they are beside each other.
  private static func beginning(with prefix: String, in names: [String]) -> ArraySlice<String> {
    var low = 0
    var high = names.count
    while low < high {
      let middle = (low + high) / 2
      if names[middle].utf8.lexicographicallyPrecedes(prefix.utf8) {
        low = middle + 1
      } else {
        high = middle
      }
    }
    return names[low...].prefix { $0.utf8.starts(with: prefix.utf8) }
  }
}
