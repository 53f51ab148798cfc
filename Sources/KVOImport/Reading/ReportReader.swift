package import KVORules

/// Reads crash reports and console text of every form.
package struct ReportImporter: TextImporter {
  package init() {}

  package func reader(profile: Profile?, appModules: [String]) -> any TextFaultReader {
    ReportReader(profile: profile, appModules: appModules)
  }
}

/// Reads one input.
///
/// Mutable state: what is read of the input and not yet judged, in `passages`, or in `json`; the findings
/// so far, in `folder`. Not synchronised: one thread reads one input.
final class ReportReader: TextFaultReader {
  private let profile: Profile?
  private let appModules: [String]
  private var decoder = TextDecoder()
  private var passages = PassageSplitter()
  private var folder = FindingFolder()
  private var form: ImportedText.Form?
  /// What is read of an input that begins like JSON, all of which is needed; nil: it does not.
  private var json: [UInt8]?
  private var hasBegun = false
  private var problems: [ImportedText.Problem] = []
  private var reportCount = 0

  init(profile: Profile?, appModules: [String]) {
    self.profile = profile
    self.appModules = appModules
  }

  func read(_ bytes: ArraySlice<UInt8>) {
    let text = decoder.decode(bytes)
    begin(text)
    guard json != nil else { return passages.append(text) { judge($0) } }
    json?.append(contentsOf: text)
    if let gathered = json, gathered.count > Self.jsonLimit {
      json = nil
      passages.append(gathered[...]) { judge($0) }
    }
  }

  /// A document of JSON that is longer is read as text.
  private static let jsonLimit = 256 << 20

  /// Finds out whether the input is JSON.
  private func begin(_ text: ArraySlice<UInt8>) {
    guard !hasBegun, let first = text.first(where: { $0 > 0x20 && $0 < 0x80 }) else { return }
    hasBegun = true
    if first == UInt8(ascii: "{") || first == UInt8(ascii: "[") { json = [] }
  }

  func finish() -> ImportedText {
    if let json { judgeJSON(json) }
    passages.finish { judge($0) }
    return ImportedText(
      form: form ?? .console,
      reportCount: reportCount,
      findings: folder.findings,
      problems: problems,
      refusal: decoder.refusal
    )
  }

  /// Judges an input of JSON, and as text what is none of it.
  private func judgeJSON(_ bytes: [UInt8]) {
    let start = bytes.firstIndex { $0 == UInt8(ascii: "{") || $0 == UInt8(ascii: "[") } ?? 0
    let reports = JSONReports(bytes[start...])
    if !reports.documents.isEmpty { form = .ips }
    for document in reports.documents { judge(document) }
    guard let problem = reports.problem else { return }
    let text = bytes[start...]
    let offset = min(text.endIndex, start + problem.offset)
    // A console may begin with a bracket, too: only what seemed to be a report is called damaged.
    if form == .ips || bytes.prefix(4_096).contains(UInt8(ascii: "\"")) {
      problems.append(
        ImportedText.Problem(
          line: 1 + LineCounter.count(in: bytes[..<offset]),
          message: "not JSON: \(problem.message); the rest is read as text"
        )
      )
    }
    passages.append(reports.documents.isEmpty ? text : bytes[offset...]) { judge($0) }
  }

  private func judge(_ passage: PassageSplitter.Passage) {
    if passage.isReport { form = form ?? .crash }
    let text = CleanText(passage.bytes, firstLine: passage.firstLine)
    judge(ReportDocument(text))
  }

  private func judge(_ document: ReportDocument) {
    let faults = FaultFinder(document, appModules: appModules).faults()
    guard !faults.isEmpty else { return }
    reportCount += 1
    var maker = FindingMaker(profile: profile, appModules: appModules, classes: document.classes)
    for fault in faults {
      for finding in maker.findings(for: fault) { folder.add(finding) }
    }
  }
}
