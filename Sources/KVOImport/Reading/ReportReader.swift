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
/// Mutable state: what is read of the input and not yet judged, in `passages`; the findings so far, in
/// `folder`. Not synchronised: one thread reads one input.
final class ReportReader: TextFaultReader {
  private let profile: Profile?
  private let appModules: [String]
  private var decoder = TextDecoder()
  private var passages = PassageSplitter()
  private var folder = FindingFolder()
  private var form: ImportedText.Form?
  private var reportCount = 0

  init(profile: Profile?, appModules: [String]) {
    self.profile = profile
    self.appModules = appModules
  }

  func read(_ bytes: ArraySlice<UInt8>) {
    let text = decoder.decode(bytes)
    passages.append(text) { judge($0) }
  }

  func finish() -> ImportedText {
    passages.append(decoder.finish()) { judge($0) }
    passages.finish { judge($0) }
    return ImportedText(
      form: form ?? .console,
      reportCount: reportCount,
      findings: folder.findings,
      refusal: decoder.refusal
    )
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
