private import Foundation

/// A few lines of a source file around one of them.
struct SourceExcerpt: Hashable {
  /// How many lines stand before and after the line in question.
  static let margin = 3
  /// The longest line, in Unicode scalars.
  static let lineLimit = 160

  /// The number of the first of `lines`, 1-based.
  var firstNumber: Int
  /// The number of the line in question.
  var number: Int
  var lines: [String]

  /// The lines around the line `number` of `text`; nil where it has no such line.
  ///
  /// Complexity: O(length).
  init?(_ text: String, around number: Int) {
    let all = text.split(omittingEmptySubsequences: false) {
      $0 == "\n" || $0 == "\r\n" || $0 == "\r"
    }
    guard number > 0, number <= all.count else { return nil }
    let range = max(1, number - Self.margin)...min(all.count, number + Self.margin)
    var shown = range.map { String(all[$0 - 1]).replacing("\t", with: "  ") }
    // Indentation that all of them have takes room and says nothing.
    let depth =
      shown.filter { !$0.allSatisfy { $0 == " " } }
      .map { $0.prefix { $0 == " " }.count }.min() ?? 0
    shown = shown.map { line in
      let line = String(line.dropFirst(depth))
      guard line.unicodeScalars.count > Self.lineLimit else { return line }
      return String(line.unicodeScalars.prefix(Self.lineLimit)) + "…"
    }
    firstNumber = range.lowerBound
    self.number = number
    lines = shown
  }
}

/// Source files that are at hand when a report is written.
///
/// A log names files, and may come from a stranger: only regular files that are called as sources are
/// and are no larger than one are read, so that nobody's page shows `/etc/passwd` or waits for a
/// terminal. Reads each file once, ``fileLimit`` of them at the most.
final class SourceShelf {
  static let fileLimit = 200
  private static let byteLimit = 2 << 20
  private static let endings: Set = [
    "swift", "m", "mm", "c", "cc", "cpp", "cxx", "h", "hh", "hpp", "inc",
  ]

  private let read: (String) -> String?
  private var texts: [String: String?] = [:]

  /// A shelf of the files that `read` gives; nil: of those on this machine.
  init(read: ((String) -> String?)? = nil) { self.read = read ?? Self.contents }

  /// The lines around the line `number` of `file`, where that is at hand.
  func excerpt(_ file: String, _ number: Int) -> SourceExcerpt? {
    guard number > 0, let ending = file.split(separator: ".").last.map(String.init),
      Self.endings.contains(ending.lowercased())
    else { return nil }
    if texts[file] == nil {
      guard texts.count < Self.fileLimit else { return nil }
      texts[file] = .some(read(file))
    }
    return texts[file]?.flatMap { SourceExcerpt($0, around: number) }
  }

  private static func contents(_ file: String) -> String? {
    guard let found = try? FileManager.default.attributesOfItem(atPath: file),
      found[.type] as? FileAttributeType == .typeRegular,
      let size = found[.size] as? Int, size <= byteLimit,
      let data = FileManager.default.contents(atPath: file)
    else { return nil }
    return String(data: data, encoding: .utf8)
  }
}
