import KVOFindings
import KVOImport
import KVORules

/// What a text is found to say, as short as a test can compare it: `KVO002 Account.balance < Screen`.
enum Reading {
  /// The findings of `text`, read in pieces of `pieceByteCount` bytes.
  static func findings(_ bytes: [UInt8], pieceByteCount: Int = 1 << 18) -> [Finding] {
    imported(bytes, pieceByteCount: pieceByteCount).findings
  }

  static func findings(_ text: String) -> [Finding] { findings(Array(text.utf8)) }

  static func imported(_ bytes: [UInt8], pieceByteCount: Int = 1 << 18) -> ImportedText {
    let reader = ReportImporter().reader(profile: nil, appModules: [])
    var position = 0
    while position < bytes.count {
      let end = min(bytes.count, position + pieceByteCount)
      reader.read(bytes[position..<end])
      position = end
    }
    return reader.finish()
  }

  /// What `text` says, a line for each finding.
  static func summary(_ text: String) -> [String] { findings(text).map(summary) }

  /// `KVO002 Account.balance < Screen`; a `?` stands for what the text does not say, a `~` for low
  /// confidence.
  static func summary(_ finding: Finding) -> String {
    let code = finding.code.rawValue + (finding.confidence == .low ? "~" : "")
    let subject = finding.subject?.className ?? "?"
    let observer = finding.observer?.className ?? "?"
    return "\(code) \(subject).\(finding.keyPath ?? "?") < \(observer)"
  }
}

/// A text from a user, and the fault that it reports.
struct Sample: Sendable, CustomStringConvertible {
  /// The source of the text.
  var name: String
  var text: String
  /// As `Reading.summary` gives it; none for a text that only looks like a fault.
  var says: [String]

  init(_ name: String, _ says: String..., text: () -> String) {
    self.name = name
    self.says = says
    self.text = text()
  }

  var description: String { name }
}
