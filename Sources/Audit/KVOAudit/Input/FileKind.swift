/// A kind of file that is read into memory as a whole: one that the user wrote, a report or a map.
///
/// A device may have no end. A file that is not text is refused by its first bytes, any other by its size.
package struct FileKind: Sendable {
  /// Its name in messages, with an article.
  private let name: String
  /// How many bytes such a file may have.
  private let byteLimit: Int
  private let isText: Bool

  /// Makes a kind.
  ///
  /// - Parameters:
  ///   - name: its name in messages, with an article.
  ///   - byteLimit: how many bytes such a file may have.
  ///   - isText: whether it is text, in any encoding.
  package init(_ name: String, byteLimit: Int, isText: Bool = true) {
    self.name = name
    self.byteLimit = byteLimit
    self.isText = isText
  }

  /// The limit of what people write: the options of a project, suppressions, a key.
  package static let settingByteLimit = 64 << 20
  /// The limit of what kvo-audit writes: a report, a map of names.
  package static let outputByteLimit = 1 << 30

  /// Whether the bytes that begin with `head` are not text.
  ///
  /// In no encoding of Unicode does a text begin with four zeros.
  package static func isBinary(head: some Collection<UInt8>) -> Bool {
    head.starts(with: [0, 0, 0, 0])
  }

  /// Why such bytes are refused.
  package static let binaryReason = "it begins with zeros, as no text does"

  /// Checks the size of a file, or how much was read of it.
  ///
  /// - Throws: ``InputFailure`` if no file of this kind has so many bytes.
  fileprivate func check(byteCount: Int, of path: String) throws(InputFailure) {
    guard byteCount > byteLimit else { return }
    let size = byteLimit >= 1 << 30 ? "\(byteLimit >> 30) GiB" : "\(byteLimit >> 20) MiB"
    let reason = "has more than \(size), the most that is read of \(name)"
    throw InputFailure(input: path, reason: reason)
  }

  /// Checks what was read of a file, from its first byte on.
  ///
  /// - Throws: ``InputFailure`` if no file of this kind begins like that.
  fileprivate func check(head: [UInt8], of path: String) throws(InputFailure) {
    guard isText, Self.isBinary(head: head) else { return }
    throw InputFailure(input: path, reason: "not \(name): \(Self.binaryReason)")
  }
}

extension ByteSource {
  /// All bytes of the file at `path`.
  ///
  /// Complexity: O(bytes), of which no more are read than a file of `kind` has, and a chunk.
  ///
  /// - Throws: ``InputFailure`` if it cannot be read, or is not of that kind.
  package static func contents(
    of path: String,
    as kind: FileKind
  ) throws(InputFailure) -> [UInt8] {
    try ByteSource(path: path).rest(after: [], as: kind)
  }

  /// The first bytes, without the blank ones before them.
  ///
  /// - Parameters:
  ///   - head: bytes that were read already.
  ///   - byteCount: how many are read at least, unless the file has fewer.
  ///   - kind: how many blank bytes there may be at most.
  /// - Returns: what ``rest(after:as:)`` begins with.
  /// - Complexity: O(bytes), with memory for `byteCount` and a chunk.
  /// - Throws: ``InputFailure`` as of ``contents(of:as:)``.
  package func head(
    after head: [UInt8],
    byteCount: Int,
    as kind: FileKind
  ) throws(InputFailure) -> [UInt8] {
    var head = head
    var blankCount = 0
    while head.count < byteCount {
      let chunk = try read()
      if chunk.isEmpty { break }
      head += chunk
      guard head.allSatisfy(Self.blanks.contains) else { continue }
      blankCount += head.count
      head = []
      try kind.check(byteCount: blankCount, of: label)
    }
    return head
  }

  static let blanks = Set(" \t\r\n".utf8)

  /// `head`, which was read already, and all bytes that follow.
  ///
  /// Complexity: as of ``contents(of:as:)``.
  ///
  /// - Throws: ``InputFailure`` as there; not if compressed bytes are damaged, which ``damage`` says.
  package func rest(after head: [UInt8], as kind: FileKind) throws(InputFailure) -> [UInt8] {
    try kind.check(byteCount: knownByteCount ?? 0, of: label)
    var bytes = head
    while true {
      let chunk = try read()
      if chunk.isEmpty { return bytes }
      bytes += chunk
      try kind.check(head: bytes, of: label)
      try kind.check(byteCount: bytes.count, of: label)
    }
  }
}
