/// A file of suppressions.
package struct SuppressionFile: Hashable, Sendable {
  /// The file in the working directory that is read if no other is named.
  package static let defaultName = ".kvo-suppressions"

  private static let file = FileKind(
    "a file of suppressions",
    byteLimit: FileKind.settingByteLimit
  )

  package let path: String
  package let suppressions: [Suppression]

  /// Why a file of suppressions cannot be used.
  package struct Failure: Error, Hashable, Sendable {
    /// One for each error: `kvo.suppressions:3: …`.
    package var messages: [String]
  }

  /// Reads the file at `path`.
  ///
  /// - Throws: ``Failure`` with all errors in it.
  package init(path: String) throws(Failure) {
    let bytes: [UInt8]
    do throws(InputFailure) {
      bytes = try ByteSource.contents(of: path, as: Self.file)
    } catch {
      throw Failure(messages: [error.message])
    }
    try self.init(path: path, bytes: bytes)
  }

  /// Reads `bytes`, which are those of the file at `path`.
  ///
  /// Complexity: O(bytes).
  ///
  /// - Throws: ``Failure`` with all errors in it.
  package init(path: String, bytes: [UInt8]) throws(Failure) {
    var suppressions: [Suppression] = []
    var messages: [String] = []
    let isMarked = bytes.starts(with: [0xef, 0xbb, 0xbf])
    let lines = bytes.dropFirst(isMarked ? 3 : 0).split(
      separator: UInt8(ascii: "\n"),
      omittingEmptySubsequences: false
    )
    for (index, line) in lines.enumerated() {
      let bytes = line.last == UInt8(ascii: "\r") ? line.dropLast() : line
      do throws(SuppressionParser.Problem) {
        let text = String(decoding: bytes, as: UTF8.self)
        guard text.utf8.elementsEqual(bytes) else {
          throw SuppressionParser.Problem("not UTF-8; save the file in that encoding")
        }
        let one = try SuppressionParser.parse(text[...], file: path, number: index + 1)
        if let one { suppressions.append(one) }
      } catch {
        messages.append("\(path):\(index + 1): \(error.message)")
      }
    }
    if !messages.isEmpty { throw Failure(messages: messages) }
    self.path = path
    self.suppressions = suppressions
  }
}
