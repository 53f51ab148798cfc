import ArgumentParser
import KVOAudit
import KVORules
import KVOText

/// The options of a project: a file with `name = value` a line.
///
/// A name is that of an option without its dashes. Empty lines and those that begin with `#` mean nothing.
struct ProjectConfiguration {
  /// The file in the working directory that is read if no other one is named.
  static let defaultName = ".kvo-audit"

  /// What a file may set; other options concern one call.
  static let names: Set = [
    "all-inputs", "app-module", "baseline", "by-image", "by-origin", "category", "color", "dsym",
    "fail-on", "fail-on-new", "format", "jobs", "leaks-at-exit", "no-annotations", "no-limits",
    "path-pattern", "profile", "show-suppressed", "source-root", "suppressions", "symbols",
  ]

  /// A line that sets an option.
  struct Entry: Equatable {
    var name: String
    /// Nil: a flag that is set.
    var value: String?
    var line: Int
  }

  /// Why a file cannot be used.
  struct Failure: Error {
    /// One line for standard error each.
    var messages: [String]
  }

  private static let file = FileKind("a configuration", byteLimit: FileKind.settingByteLimit)

  let path: String
  let entries: [Entry]

  /// Reads a file.
  ///
  /// - Throws: ``Failure`` if it cannot be read or a line sets nothing.
  init(path: String) throws(Failure) {
    let bytes: [UInt8]
    do throws(InputFailure) {
      bytes = try ByteSource.contents(of: path, as: Self.file)
    } catch {
      throw Failure(messages: ["configuration \(error.message)"])
    }
    try self.init(String(decoding: bytes, as: UTF8.self), path: path)
  }

  /// Reads a text.
  ///
  /// - Throws: ``Failure`` if a line sets nothing.
  init(_ text: String, path: String) throws(Failure) {
    self.path = path
    var entries: [Entry] = []
    var messages: [String] = []
    let text = text.hasPrefix("\u{feff}") ? text.dropFirst() : text[...]
    for (index, line) in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
      .enumerated()
    {
      let line = line.trimmingBlanks
      guard !line.isEmpty, !line.hasPrefix("#") else { continue }
      let parts = line.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      let name = parts[0].trimmingBlanks
      let value = parts.count == 2 ? parts[1].trimmingBlanks : nil
      guard let problem = Self.problem(with: name, value) else {
        // A flag that is not set is as if its line were not there.
        if value == "false" { continue }
        let isFlag = Self.flags.contains(name)
        entries.append(Entry(name: name, value: isFlag ? nil : value, line: index + 1))
        continue
      }
      messages.append(ShownText.escaped("\(path):\(index + 1): \(problem)"))
    }
    guard messages.isEmpty else { throw Failure(messages: messages) }
    self.entries = entries
  }

  /// The options without a value.
  private static let flags: Set = [
    "all-inputs", "by-image", "by-origin", "fail-on-new", "leaks-at-exit", "no-annotations",
    "no-limits", "show-suppressed",
  ]

  private static func problem(with name: String, _ value: String?) -> String? {
    guard names.contains(name) else {
      let near = Wording.near(name, in: names.sorted()).first.map { "; did you mean \"\($0)\"?" }
      return "\"\(name)\" is not an option of a project"
        + (near ?? "; these are: \(names.sorted().joined(separator: ", "))")
    }
    if flags.contains(name) {
      return value == nil || value == "true" || value == "false"
        ? nil : "\(name) is \"\(value ?? "")\", and must be true or false"
    }
    return value?.isEmpty == false ? nil : "\(name) has no value: write \(name) = …"
  }
}

extension StringProtocol {
  /// Without blanks at both ends.
  fileprivate var trimmingBlanks: String {
    let blanks: Set<Character> = [" ", "\t"]
    let start = drop { blanks.contains($0) }
    return String(start.reversed().drop { blanks.contains($0) }.reversed())
  }
}
