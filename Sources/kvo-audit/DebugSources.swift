import KVOAudit
import KVOImport
import KVOSymbols

/// The files that `--dsym` names: of ELF, for logs, and of Apple's systems, for crash reports.
struct DebugSources {
  let resolver: DwarfFrameResolver
  let importer: ReportImporter
  /// What was named that is no ELF file.
  private let others: [String]

  init(_ arguments: [String]) {
    let files = DebugFiles(arguments)
    resolver = DwarfFrameResolver.withIndices(files)
    importer = ReportImporter(dsyms: files.others)
    others = files.others
  }

  /// Says which of the files named nothing, and why: none is passed over in silence.
  func complain(havingRead inputs: [AuditReport.Input]) {
    for path in resolver.unusedDebugFiles {
      say(
        "\"\(path)\" is not used: no image whose frames are shown has its build-id"
      )
    }
    // An input that is a crash report says what is wrong itself.
    if inputs.contains(where: { $0.kind.isText }) { return }
    let complaints = importer.complaints
    for complaint in complaints { say(complaint) }
    for path in others where !complaints.contains(where: { $0.contains("\"\(path)\"") }) {
      say("\"\(path)\" is not used: a dSYM names frames of crash reports, and no input is one")
    }
  }

  private func say(_ text: String) { StandardStreams.complain("kvo-audit: \(text)") }
}
