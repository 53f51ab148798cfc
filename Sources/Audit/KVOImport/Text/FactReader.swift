/// Reads the process information in labels and console prefixes.
enum FactReader {
  /// The facts in the labeled lines of `lines`.
  ///
  /// Complexity: O(length).
  static func facts(in text: CleanText, lines: Range<Int>) -> ReportFacts {
    var facts = ReportFacts()
    var platform: String?
    let head = head(in: text, lines: lines)
    var isOfTool = false
    for line in lines where text.logPrefix(ofLine: line).isEmpty || head.contains(line) {
      let bytes = text.bytes[text.lineRange(line)].drop(while: \.isBlank)
      facts.simulatedSystem = facts.simulatedSystem ?? simulatedSystem(bytes)
      isOfTool = (isOfTool || isToolHeading(bytes)) && !head.contains(line)
      guard bytes.count < 300, let colon = bytes.prefix(40).firstIndex(of: UInt8(ascii: ":")),
        let first = bytes.first, first.isASCIILetter
      else { continue }
      let value = String(decoding: bytes[(colon + 1)...], as: UTF8.self).trimmed
      guard !value.isEmpty else { continue }
      switch String(decoding: bytes[..<colon], as: UTF8.self).lowercased() {
      case "process": facts.process = facts.process ?? process(value)
      case "application", "app name", "app":
        facts.process = facts.process ?? process(value)
      case "version", "app version", "application version":
        if !isOfTool { facts.version = facts.version ?? version(value) }
      case "os version", "os", "system version": facts.system = facts.system ?? value
      case "platform": platform = value
      case "date/time", "date", "timestamp":
        facts.date = facts.date ?? date(in: bytes[(colon + 1)...])
      case "exception type":
        facts.exception = facts.exception ?? value
      default: break
      }
    }
    if let system = facts.system, let platform, system.first?.isNumber == true {
      facts.system = "\(platform == "ios" ? "iOS" : platform) \(system)"
    }
    facts.system = facts.system.map(system)
    return facts
  }

  /// The system in `CoreSimulator 494.33 - Device: iPhone 5s - Runtime: iOS 10.3 (14E8301) - DeviceType: iPhone 5s`.
  private static func simulatedSystem(_ line: ArraySlice<UInt8>) -> String? {
    guard line.starts(with: "CoreSimulator ".utf8), line.dropFirst(14).first?.isASCIIDigit == true,
      let label = FrameLine.first(" - Runtime: ", in: line.prefix(300))
    else { return nil }
    let value = String(decoding: line[(label + 12)...].prefix(60), as: UTF8.self)
    let system = system(value.split(separator: " - ").first.map(String.init) ?? value)
    return system.contains(where: \.isNumber) ? system : nil
  }

  /// Whether the line is a heading in the list that an editor makes of its tools: `=== Xamarin.iOS ===`.
  static func isToolHeading(_ line: ArraySlice<UInt8>) -> Bool {
    line.starts(with: "=== ".utf8) && FrameLine.trimmed(line).ends(with: " ===")
  }

  /// How many lines the head of a report has at most.
  private static let headLineCount = 40

  /// The lines of the head of a report that a log has: from its first label to the exception type.
  ///
  /// Other lines of a log may begin like labels.
  private static func head(in text: CleanText, lines: Range<Int>) -> Range<Int> {
    var start: Int?
    for line in lines {
      let words = text.bytes[text.lineRange(line)]
      if ["Incident Identifier:", "Process:"].contains(where: { words.starts(with: $0.utf8) }) {
        start = start ?? line
      } else if let start, words.starts(with: "Exception Type:".utf8) {
        return line - start < headLineCount ? start..<line + 1 : 0..<0
      }
    }
    return 0..<0
  }

  /// `App [123]` as `App`.
  private static func process(_ value: String) -> String? {
    let name = value.prefix { $0 != "[" && $0 != "(" }.description.trimmed
    return name.isEmpty ? nil : name
  }

  private static func version(_ value: String) -> String? {
    let text = value.prefix { $0 != "|" }.description.trimmed
    return text.first?.isNumber == true || text.first == "?" ? text : nil
  }

  /// `iPhone OS 13.3 (17C54)` as `iOS 13.3`.
  static func system(_ value: String) -> String {
    let name = value.prefix { $0 != "(" }.description.trimmed
    return name.replacing("iPhone OS", with: "iOS").replacing("Mac OS X", with: "macOS")
      .replacing("OS X", with: "macOS")
  }

  /// The first moment in `bytes`, without the parts of its second.
  static func date(in bytes: ArraySlice<UInt8>) -> String? {
    var start = bytes.startIndex
    while start + 16 <= bytes.endIndex {
      if bytes[start].isASCIIDigit, isDate(bytes[start...]) {
        let hasSeconds = start + 19 <= bytes.endIndex && bytes[start + 16] == UInt8(ascii: ":")
        let end = start + (hasSeconds ? 19 : 16)
        var text = Array(bytes[start..<end])
        text[10] = 0x20
        text[4] = UInt8(ascii: "-")
        text[7] = UInt8(ascii: "-")
        return String(decoding: text, as: UTF8.self)
      }
      start += 1
    }
    return nil
  }

  private static func isDate(_ bytes: ArraySlice<UInt8>) -> Bool {
    let pattern = Array("dddd-dd-dd dd:dd".utf8)
    for (offset, expected) in pattern.enumerated() {
      let byte = bytes[bytes.startIndex + offset]
      switch expected {
      case UInt8(ascii: "d"): if !byte.isASCIIDigit { return false }
      case UInt8(ascii: "-"): if byte != expected && byte != UInt8(ascii: "/") { return false }
      case 0x20: if byte != 0x20 && byte != UInt8(ascii: "T") { return false }
      default: if byte != expected { return false }
      }
    }
    return true
  }

  /// The console prefix of the line that contains `position`, and the exception that is named near it.
  static func facts(around position: Int, in text: CleanText) -> ReportFacts {
    var facts = ReportFacts()
    let index = text.line(at: position)
    let line = text.lineRange(index)
    let front = text.bytes[line.lowerBound..<min(line.upperBound, line.lowerBound + 200)]
    let prefix = (text.logPrefix(ofLine: index) + front)[...]
    facts.date = date(in: prefix)
    if let process = processOfUnifiedLog(prefix) ?? processBeforeBracket(prefix) {
      (facts.process, facts.processID) = process
    }
    facts.exception = exception(around: position, in: text)
    return facts
  }

  /// The process in `2024-03-01 10:11:12.345678+0100 0x1a2b  Error  0x0  1234  0  App: `.
  private static func processOfUnifiedLog(_ prefix: ArraySlice<UInt8>) -> (String, Int?)? {
    LogPrefix.dated(prefix).flatMap(LogPrefix.unified).map {
      (String(decoding: $0.name, as: UTF8.self), $0.process)
    }
  }

  /// The name before `[123:456]`, `(Library)[123]` or `{Library}[123]`, and the first number.
  private static func processBeforeBracket(_ bytes: ArraySlice<UInt8>) -> (String, Int?)? {
    var search = bytes
    while let open = search.firstIndex(of: UInt8(ascii: "[")) {
      let digits = bytes[(open + 1)...].prefix(while: \.isASCIIDigit)
      if !digits.isEmpty, digits.endIndex < bytes.endIndex,
        bytes[digits.endIndex] == UInt8(ascii: ":") || bytes[digits.endIndex] == UInt8(ascii: "]")
      {
        var end = open
        for (front, back) in [("(", ")"), ("{", "}")] where bytes[..<open].ends(with: back) {
          end = bytes[..<open].lastIndex { front.utf8.contains($0) } ?? end
        }
        var start = end
        while start > bytes.startIndex, bytes[start - 1].isNamePart || bytes[start - 1] == 0x2d {
          start -= 1
        }
        // A name may have blanks: up to the time, or two blanks, or the start of the line.
        while start > bytes.startIndex + 1, bytes[start - 1] == 0x20,
          bytes[start - 2].isASCIILetter,
          hasTime(bytes[..<start])
        {
          let name = start
          start -= 1
          while start > bytes.startIndex, bytes[start - 1].isNamePart { start -= 1 }
          if bytes[start].isASCIIDigit { return nil }
          // The kind of a message in the compact form of the unified log.
          if ["Df ", "Db "].contains(where: { bytes[start..<name].elementsEqual($0.utf8) }) {
            start = name
            break
          }
        }
        // Syslog, whose bracket has no thread, names the computer first.
        if bytes[digits.endIndex...].starts(with: "]:".utf8),
          let blank = bytes[start..<end].firstIndex(of: 0x20)
        {
          start = blank + 1
        }
        let name = String(decoding: bytes[start..<end], as: UTF8.self)
        return name.isEmpty || name.first?.isNumber == true
          ? nil : (name, Int(String(decoding: digits, as: UTF8.self)))
      }
      search = bytes[(open + 1)...]
    }
    return nil
  }

  private static func hasTime(_ bytes: ArraySlice<UInt8>) -> Bool { date(in: bytes) != nil }

  /// The class of exception nearest to `position`.
  private static func exception(around position: Int, in text: CleanText) -> String? {
    let before = text.bytes[max(0, position - 400)..<position]
    if let name = lastException(in: before) { return name }
    let following = text.bytes[position..<min(text.bytes.count, position + 1_500)]
    return lastException(in: following.prefix(1_500))
  }

  private static let known: [StaticString] = [
    "NSRangeException", "NSInternalInconsistencyException", "NSInvalidArgumentException",
    "NSUnknownKeyException", "NSUndefinedKeyException", "NSGenericException",
  ]

  private static func lastException(in bytes: ArraySlice<UInt8>) -> String? {
    guard FrameLine.first("Exception", in: bytes) != nil else { return nil }
    return known.compactMap { name in
      FrameLine.last(name, in: bytes).map { (name, $0) }
    }.max { $0.1 < $1.1 }.map { "\($0.0)" }
  }
}
