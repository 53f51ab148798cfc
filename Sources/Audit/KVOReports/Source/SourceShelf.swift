private import Glibc

#if canImport(FoundationEssentials)
private import FoundationEssentials
#else
private import Foundation
#endif

/// Source files that are available when a report is written.
///
/// A log names files, and may come from an untrusted source: only regular files with the name and size of a source file
/// are read, so that no page shows `/etc/passwd` or waits for a terminal. Reads each file once, ``fileLimit`` of them
/// at the most.
///
/// Not for more than one thread at a time.
final class SourceShelf {
  static let fileLimit = 200
  private static let byteLimit = 2 << 20
  private static let endings: Set = [
    "swift", "m", "mm", "c", "cc", "cpp", "cxx", "h", "hh", "hpp", "inc",
  ]

  private let read: (String) -> String?
  private var texts: [String: String?] = [:]
  /// The lines of those of which some were shown.
  private var lines: [String: [Substring]] = [:]

  /// A shelf of the files that `read` gives; nil: of those on this machine.
  init(read: ((String) -> String?)? = nil) { self.read = read ?? Self.contents }

  /// The lines around the line `number` of `file`, if that is available.
  ///
  /// Complexity: O(1), and O(length) for the first ones of a file.
  func excerpt(_ file: String, _ number: Int) -> SourceExcerpt? {
    guard number > 0, let text = text(of: file) else { return nil }
    let all = lines[file] ?? SourceExcerpt.lines(of: text)
    lines[file] = all
    return SourceExcerpt(all, around: number)
  }

  /// The text of `file`, if that is available.
  func text(of file: String) -> String? {
    guard let ending = file.split(separator: ".").last.map(String.init),
      Self.endings.contains(ending.lowercased())
    else { return nil }
    if let known = texts[file] { return known }
    guard texts.count < Self.fileLimit else { return nil }
    let text = read(file)
    texts[file] = .some(text)
    return text
  }

  private static func contents(_ file: String) -> String? {
    var status = stat()
    guard lstat(file, &status) == 0, status.st_mode & S_IFMT == S_IFREG,
      status.st_size <= byteLimit, let data = FileManager.default.contents(atPath: file)
    else { return nil }
    return String(validating: data, as: UTF8.self)
  }
}
