/// The lines of a source file as GitHub's code scanning recognizes and shows them.
struct SourceLines {
  /// The columns of each line without the blanks around it, 1-based, in UTF-16 code units; nil: it is blank.
  private(set) var columns: [Range<Int>?] = []
  /// The identity of each line, even if it moves: `primaryLocationLineHash` of SARIF.
  ///
  /// It is a hash of the hundred characters from the start of the line on, without blanks and with each line end as one
  /// newline; then a colon, and how many lines with this hash there are up to this one. The text goes on with the code
  /// 65535 and zeros.
  ///
  /// Source: <https://github.com/github/codeql-action/blob/main/src/fingerprints.ts>, with which the upload action
  /// fills in missing hashes, and warns of differing ones.
  private(set) var hashes: [String] = []

  /// - Complexity: O(length of `text`), a hundred steps for each line.
  init(_ text: String) {
    let newline: UInt16 = 0x0a
    let carriageReturn: UInt16 = 0x0d
    var codes: [UInt64] = []
    var starts: [Int] = []
    var isAtStart = true
    var followsReturn = false
    var column = 0
    var shown: Range<Int>?
    for unit in text.utf16 {
      column += 1
      if unit == 0x20 || unit == 0x09 {
        followsReturn = false
        continue
      }
      if unit == newline, followsReturn {
        followsReturn = false
        column = 0
        continue
      }
      followsReturn = unit == carriageReturn
      if isAtStart { starts.append(codes.count) }
      isAtStart = unit == newline || unit == carriageReturn
      codes.append(UInt64(isAtStart ? newline : unit))
      if isAtStart {
        columns.append(shown)
        (column, shown) = (0, nil)
      } else {
        // A mark of the byte order is a character, but not one that is shown.
        if unit != 0xfeff || codes.count > 1 { shown = (shown?.lowerBound ?? column)..<column + 1 }
      }
    }
    columns.append(shown)
    if isAtStart { starts.append(codes.count) }
    codes.append(65_535)
    codes.append(contentsOf: repeatElement(0, count: Self.hashedCount))
    var counts: [UInt64: Int] = [:]
    hashes = starts.map { start in
      let hash = codes[start..<start + Self.hashedCount].reduce(0) { $0 &* 37 &+ $1 }
      counts[hash, default: 0] += 1
      return "\(String(hash, radix: 16)):\(counts[hash, default: 0])"
    }
  }

  private static let hashedCount = 100
}
