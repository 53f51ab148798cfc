import KVOAudit
import KVOImport
import KVOSymbols

/// The files of `--dsym` and of the symbol store: ELF files for logs, and files of Apple's systems for
/// crash reports.
struct DebugSources {
  let resolver: DwarfFrameResolver
  let importer: ReportImporter
  /// The specified files that are not ELF files.
  private let others: [String]
  /// The store that `--symbols` names, if it is not a folder.
  private let missingStore: String?

  /// Opens the files of `--dsym`, and the store of `--symbols` or of the environment.
  init(_ arguments: [String] = [], store path: String? = nil) {
    let files = DebugFiles(arguments)
    let store = path.map(SymbolStore.init) ?? .user
    resolver = DwarfFrameResolver.withIndices(files, store: store)
    // A folder may have both.
    let both = arguments.filter {
      !files.others.contains($0) && !AppleDebugFiles.images(at: $0).isEmpty
    }
    importer = ReportImporter(
      dsyms: files.others + both,
      stored: store.map { store in { @Sendable in store.file(forBuildID: $0) } }
    )
    others = files.others
    missingStore = path.flatMap { OutputFile.isFolder($0) ? nil : $0 }
  }

  /// Reports each file that was not used, with the reason: none is ignored silently.
  func complain(havingRead inputs: [AuditReport.Input]) {
    if let missingStore {
      say("--symbols: \"\(missingStore)\" is not a folder; nothing of it is used")
    }
    for path in resolver.unusedDebugFiles {
      say(
        "\"\(path)\" is not used: no image whose frames are shown has its build-id"
      )
    }
    // An input that is a crash report has its own error.
    if inputs.contains(where: { $0.kind.isText }) { return }
    let complaints = importer.complaints
    for complaint in complaints { say(complaint) }
    for path in others where !complaints.contains(where: { $0.contains("\"\(path)\"") }) {
      say("\"\(path)\" is not used: a dSYM names frames of crash reports, and no input is one")
    }
  }

  private func say(_ text: String) { StandardStreams.complain("kvo-audit: \(text)") }
}
