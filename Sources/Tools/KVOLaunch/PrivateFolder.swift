import Glibc

/// Makes folders for temporary files that only this user can read.
package enum PrivateFolder {
  /// Makes a folder with a name that did not exist.
  ///
  /// - Parameters:
  ///   - name: the beginning of the folder's name.
  ///   - parent: the folder in which it is made, the value of `TMPDIR`; nil or empty: it is not set.
  /// - Returns: the folder's path, or the path that was tried and the number of the error.
  package static func make(name: String, in parent: String?) -> Result<String, Refusal> {
    let folder = parent.flatMap { $0.isEmpty ? nil : $0 } ?? "/tmp"
    let pattern = "\(folder)/\(name)-XXXXXX"
    var bytes = Array(pattern.utf8CString)
    guard mkdtemp(&bytes) != nil else {
      return .failure(Refusal(path: pattern, number: errno))
    }
    return .success(
      String(decoding: bytes.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
    )
  }

  /// Why no folder was made.
  package struct Refusal: Error, Hashable, Sendable {
    package var path: String
    /// The value of `errno`.
    package var number: Int32
  }
}
