package import KVOFindings
package import KVORules

/// Reads crash reports and console text of every form.
package struct ReportImporter: TextImporter {
  private let symbolizer: ReportSymbolizer?

  /// Makes an importer.
  ///
  /// - Parameters:
  ///   - dsyms: dSYM files, or folders of them, for symbolicating bare frames.
  ///   - stored: the path of the file in a symbol store that has a UUID, in upper case without dashes;
  ///     nil: there is no store.
  package init(dsyms: [String] = [], stored: (@Sendable (String) -> String?)? = nil) {
    symbolizer =
      dsyms.isEmpty && stored == nil ? nil : ReportSymbolizer(paths: dsyms, stored: stored)
  }

  /// Why its dSYM files cannot symbolicate anything, a sentence each; the reports it reads include it, too.
  package var complaints: [String] { symbolizer?.complaints ?? [] }

  package func reader(profile: Profile?, appModules: [String]) -> any TextFaultReader {
    ReportReader(profile: profile, appModules: appModules, symbolizer: symbolizer)
  }
}

/// Reads one input.
///
/// Mutable state: the part of the input that is read and not yet judged, in `passages`, or in `json`; the findings so
/// far, in `folder`. Not synchronized: one thread reads one input.
final class ReportReader: TextFaultReader {
  private let profile: Profile?
  private let appModules: [String]
  private let symbolizer: ReportSymbolizer?
  private var decoder = TextDecoder()
  private var records = RecordLines()
  private var passages = PassageSplitter()
  private var folder = FindingFolder()
  private var form: ImportedText.Form?
  /// The bytes of an input that begins like JSON and must be read completely; nil: it does not.
  private var json: [UInt8]?
  private var hasBegun = false
  private var problems: [ImportedText.Problem] = []
  private var reportCount = 0
  private var misplacedLog = MisplacedLog()
  private var pasted = PastedReport()
  private var jsonRefusal: String?
  /// Whether a document of JSON has keys that only crash reports have, or a text states a crash.
  private var tellsCrash = false
  /// Whether a report of kvo-audit was removed from the text.
  private var hasOwnReport = false
  /// The lines of the faults so far.
  private var faultLines: [Int] = []

  init(profile: Profile?, appModules: [String], symbolizer: ReportSymbolizer?) {
    self.profile = profile
    self.appModules = appModules
    self.symbolizer = symbolizer
  }

  func read(_ bytes: ArraySlice<UInt8>) { take(decoder.decode(bytes)) }

  var isRefused: Bool { decoder.refusal != nil || misplacedLog.offset != nil }

  func finish() -> ImportedText {
    take(decoder.finish())
    if let json { judgeJSON(json) } else { takeText(records.finish()[...]) }
    passages.finish { judge($0) }
    if passages.isReport == true { form = form ?? .crash }
    if json == nil, let report = pasted.finish() {
      judgePasted(report.bytes, firstLine: report.firstLine)
    }
    let refusal =
      decoder.refusal ?? misplacedLog.refusal(from: decoder.encodingName) ?? jsonRefusal
    let doubt = decoder.doubt ?? (form == .crash || tellsCrash ? nil : misplacedLog.doubt)
    return ImportedText(
      form: form ?? .console,
      isCrash: form == .crash || tellsCrash,
      reportCount: reportCount,
      hasOwnReport: hasOwnReport,
      findings: folder.findings,
      problems: problems,
      unnamed: symbolizer?.complaints ?? [],
      refusal: refusal ?? (folder.findings.isEmpty ? doubt : nil)
    )
  }

  /// A document of JSON that is longer is read as text.
  private static let jsonLimit = 64 << 20

  /// Reads the next piece of the input, in UTF-8.
  ///
  /// The first piece is sufficient to determine the format.
  private func take(_ text: ArraySlice<UInt8>) {
    guard !text.isEmpty else { return }
    misplacedLog.look(at: text)
    if !hasBegun {
      hasBegun = true
      if Self.isJSON(text), !RecordLines.begin(text) { json = [] }
    }
    guard json != nil else { return takeText(records.append(text)[...]) }
    json?.append(contentsOf: text)
    if let gathered = json, gathered.count > Self.jsonLimit {
      json = nil
      takeText(records.append(gathered[...])[...])
    }
  }

  private func takeText(_ text: ArraySlice<UInt8>) {
    guard !text.isEmpty else { return }
    pasted.append(text)
    passages.append(text) { judge($0) }
  }

  /// Whether `text` begins like a document of JSON; a console may begin with a bracket, too.
  private static func isJSON(_ text: ArraySlice<UInt8>) -> Bool {
    let marked = text.starts(with: [0xef, 0xbb, 0xbf]) ? text.dropFirst(3) : text
    let rest = marked.drop { $0 <= 0x20 }
    guard let first = rest.first else { return false }
    let next = rest.dropFirst().drop { $0 <= 0x20 }.first
    switch first {
    case UInt8(ascii: "{"): return next == UInt8(ascii: "\"") || next == UInt8(ascii: "}")
    case UInt8(ascii: "["):
      return next == UInt8(ascii: "{") || next == UInt8(ascii: "[") || next == UInt8(ascii: "]")
    default: return false
    }
  }

  /// The keys that reports of crashes have and those of hangs have not, up to the sign that ends them.
  private static let crashKeys: [StaticString] = [
    "exception\"", "signal\"", "termination\"", "crashDiagnostics\"",
  ]

  private static func hasCrashKey(_ bytes: [UInt8]) -> Bool {
    bytes.withUnsafeBytes { text in
      text.indices.contains { quote in
        text[quote] == UInt8(ascii: "\"")
          && crashKeys.contains { WordScanner.has($0, text, quote + 1) }
      }
    }
  }

  /// Judges an input of JSON, and as text any part that is not JSON.
  private func judgeJSON(_ bytes: [UInt8]) {
    let start = bytes.firstIndex { $0 == UInt8(ascii: "{") || $0 == UInt8(ascii: "[") } ?? 0
    let reports = JSONReports(
      bytes[start...],
      firstLine: 1 + LineCounter.count(in: bytes[..<start])
    )
    jsonRefusal = MisplacedLog.refusal(ofJSON: bytes)
    if !reports.documents.isEmpty || reports.hasHead { take(reports, of: bytes) }
    guard let problem = reports.problem else { return }
    note(problem, in: bytes, from: start, firstLine: 1)
    let rest = reports.documents.isEmpty ? 0 : start + reports.endOffset
    passages = PassageSplitter(firstLine: 1 + LineCounter.count(in: bytes[..<rest]))
    // A log may begin with another object, and have lines of text between its records.
    passages.append(records.append(bytes[rest...])[...]) { judge($0) }
    passages.append(records.finish()[...]) { judge($0) }
  }

  /// Judges a report of JSON inside a text, unless sentences of the text outside of it show a fault.
  ///
  /// As text its sentences were found, too, but no stack.
  private func judgePasted(_ bytes: [UInt8], firstLine: Int) {
    let parts = pastedParts(bytes, firstLine: firstLine)
    if !folder.findings.isEmpty {
      guard faultLines.allSatisfy({ line in parts.contains { $0.lines.contains(line) } }),
        parts.contains(where: { part in
          part.reports.documents.contains {
            !FaultFinder($0, appModules: appModules).faults().isEmpty
          }
        })
      else { return }
      (folder, reportCount) = (FindingFolder(), 0)
    }
    for part in parts {
      take(part.reports, of: part.bytes)
      // Words of the text follow a complete one.
      guard part.reports.documents.isEmpty, let problem = part.reports.problem else { continue }
      note(problem, in: part.bytes, from: 0, firstLine: part.lines.lowerBound)
    }
  }

  /// Reports of JSON in a text, with the lines of the input that they take.
  private struct PastedPart {
    var reports: JSONReports
    var bytes: [UInt8]
    var lines: ClosedRange<Int>
  }

  /// More reports with words between them are not read.
  private static let pastedLimit = 16

  /// The reports at the start of `bytes`, and those after the words that follow them.
  private func pastedParts(_ bytes: [UInt8], firstLine: Int) -> [PastedPart] {
    var parts: [PastedPart] = []
    var next: (bytes: [UInt8], firstLine: Int)? = (bytes, firstLine)
    while let part = next, parts.count < Self.pastedLimit {
      let reports = JSONReports(part.bytes[...], firstLine: part.firstLine)
      let end = min(part.bytes.count, reports.endOffset)
      let last = part.firstLine + LineCounter.count(in: part.bytes[..<end])
      parts.append(PastedPart(reports: reports, bytes: part.bytes, lines: part.firstLine...last))
      guard !reports.documents.isEmpty, end < part.bytes.count else { break }
      var rest = PastedReport()
      rest.append(part.bytes[end...])
      next = rest.finish().map { (bytes: $0.bytes, firstLine: last + $0.firstLine - 1) }
    }
    return parts
  }

  /// Judges the reports in `bytes`; the text around them may have reported a crash.
  private func take(_ reports: JSONReports, of bytes: [UInt8]) {
    form = form ?? .ips
    let logTellsCrash = reports.documents.contains { $0.isLog && $0.statesCrash }
    tellsCrash =
      tellsCrash || reports.tellsCrash || logTellsCrash || Self.hasCrashKey(bytes)
    for document in reports.documents { judge(document) }
  }

  /// The JSON from `start` of `bytes` on is malformed; `firstLine` is the number of their first line.
  private func note(
    _ problem: JSONTree.Problem,
    in bytes: [UInt8],
    from start: Int,
    firstLine: Int
  ) {
    let offset = min(bytes.count, start + problem.offset)
    problems.append(
      ImportedText.Problem(
        line: firstLine + LineCounter.count(in: bytes[..<offset]),
        message: "not JSON: \(problem.message); the rest is read as text"
      )
    )
  }

  private func judge(_ passage: PassageSplitter.Passage) {
    if passage.isReport { form = form ?? .crash }
    let rest = OwnReport.removed(from: passage.bytes)
    hasOwnReport = hasOwnReport || rest != nil
    let shown = rest?[...] ?? passage.bytes
    let bytes = ShownControls.removed(from: shown)?[...] ?? shown
    let leaders = LineLeader.all(in: bytes)
    let text = CleanText(bytes, firstLine: passage.firstLine, leaders: leaders)
    let next = ReportHead.linesOfNext(in: text)
    if next.isEmpty { return judge(text) }
    // What a log puts before each line hid their heads.
    var start = bytes.startIndex
    var line = passage.firstLine
    for end in next + [Int.max] {
      var cut = start
      let first = line
      while line < end, cut < bytes.endIndex {
        cut = bytes[cut...].firstIndex(of: 0x0a).map { $0 + 1 } ?? bytes.endIndex
        line += 1
      }
      judge(CleanText(bytes[start..<cut], firstLine: first, leaders: leaders))
      start = cut
    }
  }

  private func judge(_ text: CleanText) {
    let document = ReportDocument(text)
    tellsCrash = tellsCrash || document.statesCrash
    judge(document)
  }

  private func judge(_ document: ReportDocument) {
    let faults = FaultFinder(document, appModules: appModules).faults()
    guard !faults.isEmpty else { return }
    reportCount += 1
    faultLines += faults.map(\.line)
    var maker = FindingMaker(profile: profile, appModules: appModules, classes: document.classes)
    for var fault in faults {
      if let symbolizer { fault.stack = fault.stack.map(symbolizer.name) }
      for finding in maker.findings(for: fault) { folder.add(finding) }
    }
  }
}
