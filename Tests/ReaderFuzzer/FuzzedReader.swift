import KVOAudit
import KVOFindings
import KVOHeap
import KVOImport
import KVOLogTools
import KVOReportFile
import KVOReports
import KVORules
import KVOSymbols
import KVOTrace

/// The readers of files that come from elsewhere.
///
/// The raw value is the name of the folder of seeds.
enum FuzzedReader: String, CaseIterable {
  /// Crash reports and console text.
  case text
  case kvolog
  case jsonl
  /// JSON reports, which are also baselines and the parts of a merge.
  case report
  case suppressions
  /// Maps of pseudonyms.
  case map
  /// Programs and their debug information.
  case elf
  /// Heap snapshots.
  case heap

  func read(_ bytes: [UInt8]) {
    switch self {
    case .text: readText(bytes)
    case .kvolog: readLog(Self.sealed(bytes))
    case .jsonl: readLines(bytes)
    case .report: readReport(bytes)
    case .suppressions: _ = try? SuppressionFile(path: "known", bytes: bytes)
    case .map: _ = try? PseudonymMap(contentsOf: FuzzedFile.path(of: bytes))
    case .elf: readImage(bytes)
    case .heap: readHeap(bytes)
    }
  }

  /// A text must say the same when it is read in pieces.
  ///
  /// The first byte is the offset of the cut.
  private func readText(_ bytes: [UInt8]) {
    guard let first = bytes.first else { return }
    let text = bytes[1...]
    let cut = 1 + Int(first) * text.count / 256
    let whole = findings(in: [text])
    let parts = findings(in: [text[..<cut], text[cut...]])
    precondition(whole == parts, "a text says something else when it is read in pieces")
  }

  private func findings(in pieces: [ArraySlice<UInt8>]) -> [Finding] {
    let reader = ReportImporter().reader(profile: nil, appModules: [])
    for piece in pieces { reader.read(piece) }
    return reader.finish().findings
  }

  /// A log of which something is missing must not be valid.
  @discardableResult
  private func readLog(_ bytes: [UInt8]) -> AuditReport {
    let input = AuditInput.file(path: FuzzedFile.path(of: bytes))
    let report = Audit(workerCount: 1).report(on: [input])
    if let validation = try? LogValidation(of: input), validation.isClean {
      precondition(!report.isIncomplete, "a log that lacks events is valid")
    }
    return report
  }

  /// JSON with blanks, which the scanner for the recorder's form leaves to the general one, must say the same.
  private func readLines(_ bytes: [UInt8]) {
    let report = readLog(bytes)
    var spaced: [UInt8] = []
    var isAtStart = true
    for (index, byte) in bytes.enumerated() {
      spaced.append(byte)
      // A brace before a zero is one of UTF-16 or UTF-32, which the blank would make UTF-8.
      let isWide = index + 1 < bytes.count && bytes[index + 1] == 0
      if byte == UInt8(ascii: "{"), isAtStart, !isWide { spaced.append(UInt8(ascii: " ")) }
      isAtStart = byte == UInt8(ascii: "\n")
    }
    let other = readLog(spaced)
    precondition(report.findings == other.findings, "a blank changes the findings")
    precondition(
      report.inputs.map(\.eventCount) == other.inputs.map(\.eventCount),
      "a blank changes which lines are events"
    )
  }

  /// A report that can be read must be the same when it was written and read once more, alone or merged.
  private func readReport(_ bytes: [UInt8]) {
    guard let report = try? ReportFile.report(in: bytes, label: "report") else { return }
    let written = ReportFile.bytes(of: report)
    guard let again = try? ReportFile.report(in: written, label: "written") else {
      preconditionFailure("a report that was written cannot be read")
    }
    precondition(ReportFile.bytes(of: again) == written, "a report changes when it is written")
    let merged = ReportFile.bytes(of: AuditReport.merging([report]))
    precondition(
      ReportFile.bytes(of: AuditReport.merging([AuditReport.merging([report])])) == merged,
      "a merged report changes when it is merged"
    )
    precondition(mergedOneByOne(report) == merged, "a report is merged differently from a file")
    _ = TextReportRenderer().render(report)
    _ = HTMLReportRenderer().render(report)
    _ = SARIFReportRenderer().render(report)
    _ = JUnitReportRenderer(failingFrom: .error).render(report)
  }

  /// The report, merged with its findings in a file.
  private func mergedOneByOne(_ report: AuditReport) -> [UInt8]? {
    var merge = ReportMerge(memoryLimit: 1)
    var bytes: [UInt8] = []
    do throws(InputFailure) {
      try merge.add(report)
      try merge.merged().write {
        bytes += $0
        return true
      }
      return bytes
    } catch {
      return nil
    }
  }

  private func readImage(_ bytes: [UInt8]) {
    let path = FuzzedFile.path(of: bytes)
    let module = Module(path: path, buildID: "", loadBias: 0, textStart: 0, textEnd: .max)
    let resolver = DwarfFrameResolver(debugRoots: [])
    for address in stride(from: UInt64(1), to: 0x3000, by: 13) {
      _ = resolver.frames(at: address, in: module)
    }
    _ = resolver.problem(with: module)
  }

  private func readHeap(_ bytes: [UInt8]) {
    var bytes = bytes
    if bytes.count >= 24 { HeapFile.seal(&bytes) }
    guard let snapshot = try? HeapFile.snapshot(of: bytes) else { return }
    let dominators = Dominators(of: snapshot)
    _ = HeapClasses(of: snapshot, dominators)
    _ = HeapCycles(of: snapshot, dominators)
    _ = HeapLeaks(of: snapshot)
    var paths = PathFinder(snapshot)
    if !snapshot.objects.isEmpty { _ = paths.path { $0 == snapshot.objects.count - 1 } }
    precondition(
      (try? HeapFile.snapshot(of: HeapFile.bytes(of: snapshot))) == snapshot,
      "a snapshot changes when it is written"
    )
  }
}
