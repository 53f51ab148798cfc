import KVOAudit
import KVOLogTools
import KVOReports
import KVORules
import KVOTrace
import TestSupport
import Testing

/// The logs of all rules, with other names in them.
@Suite("An anonymized log") struct AnonymizedLogsTests {
  /// A log, and what came of it.
  private struct Copy {
    var bytes: [UInt8] = []
    var map: PseudonymMap
  }

  private static let key = Array("0123456789abcdef".utf8)

  private let folder: ScratchFolder

  init() throws { folder = try ScratchFolder() }

  private func file(_ bytes: [UInt8]) throws -> AuditInput {
    .file(path: try folder.file("log", bytes))
  }

  /// The log as the file of one form.
  private func written(_ log: SampleLog, as form: LogConversion.Form) throws -> [UInt8] {
    var bytes: [UInt8] = []
    let input = AuditInput.events(log.events, names: log.names, label: "log")
    var conversion = LogConversion(of: input, to: form)
    try conversion.run { part, _ in
      bytes += part
      return true
    }
    return bytes
  }

  private func anonymized(_ bytes: [UInt8]) throws -> Copy {
    var anonymization = LogAnonymization(key: try #require(AnonymizationKey(Self.key)))
    var copy: [UInt8] = []
    _ = try anonymization.run(try file(bytes)) { part, _ in
      copy += part
      return true
    }
    return Copy(bytes: copy, map: anonymization.map)
  }

  private func restored(_ bytes: [UInt8], by map: PseudonymMap) throws -> [UInt8] {
    var result: [UInt8] = []
    try LogRestoration(map).run(try file(bytes)) { part, _ in
      result += part
      return true
    }
    return result
  }

  /// The whole report as JSON, without signatures, which are those of the names.
  private func report(on log: [UInt8]) throws -> String {
    let report = Audit().report(on: [try file(log)])
    let text = String(decoding: JSONReportRenderer().render(report), as: UTF8.self)
    return text.replacing(#/"(signature|version1)": "[0-9a-f:]+"/#, with: "")
  }

  @Test(
    "has the findings of the log itself, under the map, in both forms",
    arguments: FiringLog.all
  )
  func findings(firing: FiringLog) throws {
    for log in [firing.log] + (Rounds.areMany ? firing.twins.map(\.log) : []) {
      for form in LogConversion.Form.allCases {
        let original = try written(log, as: form)
        let copy = try anonymized(original)
        let back = try restored(Array(try report(on: copy.bytes).utf8), by: copy.map)
        #expect(try String(decoding: back, as: UTF8.self) == report(on: original))
      }
    }
    #expect(try report(on: written(firing.log, as: .jsonLines)).contains(firing.code.rawValue))
  }

  @Test(
    "has no name of the log in its bytes, and is the log again by the map",
    arguments: FiringLog.all
  )
  func names(firing: FiringLog) throws {
    let lines = try written(firing.log, as: .jsonLines)
    let copy = try anonymized(lines)
    let text = String(decoding: copy.bytes, as: UTF8.self)
    let binary = try anonymized(written(firing.log, as: .binary))
    let binaryText = String(decoding: binary.bytes, as: Unicode.ASCII.self)
    for word in Self.names(of: firing.log) {
      #expect(!text.contains(word), "\(word) in \(text)")
      #expect(!binaryText.contains(word))
    }
    #expect(try restored(copy.bytes, by: copy.map) == lines)
    let back = try restored(binary.bytes, by: binary.map)
    #expect(try converted(back) == lines)
  }

  /// Words that are long enough not to stand there by chance.
  private static func names(of log: SampleLog) -> Set<String> {
    var names: Set<String> = []
    for id in 1...UInt32(log.names.stringCount) {
      let text = log.names[StringID(rawValue: id)]
      for word in text.split(whereSeparator: { !$0.isLetter && !$0.isNumber && $0 != "_" })
      where word.count >= 4 && word.contains(where: \.isLetter) {
        names.insert(String(word))
      }
    }
    return names.subtracting(nobodys)
  }

  /// What of the words in these logs is the language's, the runtimes' or the grammar's.
  private static let nobodys: Set<String> = [
    "deinit", "init", "main", "dealloc", "self", "swift", "owner", "owned", "MainActor",
    "NSObject", "closure", "token", "Task", "capture", "value", "object", "element", "Array", "Int",
    "false", "true", "registry", "Optional", "String", "unknown", "observed", "scope", "thread",
    "observe", "observer", "subject", "executor", "name",
  ]

  private func converted(_ log: [UInt8]) throws -> [UInt8] {
    var bytes: [UInt8] = []
    var conversion = LogConversion(of: try file(log), to: .jsonLines)
    try conversion.run { part, _ in
      bytes += part
      return true
    }
    return bytes
  }
}
