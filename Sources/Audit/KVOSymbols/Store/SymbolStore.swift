import Glibc

/// A folder with the debug information of many programs and versions, by build-id.
///
/// The layout is that of GDB's manual, "Debugging Information in Separate Files", so that GDB and
/// elfutils can use a store, too: the file of the build-id `abcdef…` is `.build-id/ab/cdef….debug`.
/// The UUID of an image of Apple's systems counts as its build-id. `index` has the indices.
///
/// A store has no locks and no list: a file is complete before it gets its name, and its name says
/// what it is. Several processes and machines can add to one store and read it at the same time.
package struct SymbolStore: Hashable, Sendable {
  /// The path of the folder.
  package let path: String

  /// Creates a reference to a store, which need not exist.
  package init(path: String) { self.path = path }

  /// The folder for the indices of the files, which are created when files are added.
  package var indexPath: String { "\(path)/index" }

  /// The file with the build-id, if it is in the store.
  ///
  /// - Parameter buildID: in hexadecimal; upper case and the dashes of a UUID are accepted.
  /// - Returns: its path, or nil.
  /// - Complexity: one system call, whatever the size of the store.
  package func file(forBuildID buildID: String) -> String? {
    guard let file = location(ofBuildID: buildID), access(file, R_OK) == 0 else { return nil }
    return file
  }

  /// Where the file with the build-id is, or would be; nil if this is not a build-id.
  func location(ofBuildID buildID: String) -> String? {
    let digits = buildID.lowercased().filter { $0 != "-" }
    guard digits.utf8.count > 2, digits.allSatisfy({ $0.isASCII && $0.isHexDigit }) else {
      return nil
    }
    return "\(path)/.build-id/\(digits.prefix(2))/\(digits.dropFirst(2)).debug"
  }
}
