import KVOAudit
import KVOCompression
import KVOFindings
import KVOImport
import KVOLogTools
import KVOReportFile
import KVOReports
import KVORules
import KVOSymbols
import KVOText

/// What an agent can ask.
///
/// Remembers the last audit, whose findings are asked for by signature.
/// Not for more than one thread at a time.
final class MCPTools {
  /// An answer for an agent, or the reason why there is none.
  struct Answer {
    var text: String
    var isError = false
  }

  /// The most text of an answer, in characters: an agent reads all of it.
  static let textLimit = 20_000

  private let appModules: [String]
  /// The report of the last call of `audit`; nil before that.
  private var report: AuditReport?

  init(appModules: [String]) { self.appModules = appModules }

  /// Calls a tool.
  func call(_ tool: Tool, _ arguments: MCPArguments) -> Answer {
    let text: String
    do throws(MCPArguments.Failure) {
      text = try answer(tool, arguments)
    } catch {
      return Answer(text: error.message, isError: true)
    }
    guard text.count > Self.textLimit else { return Answer(text: text) }
    let more = text.count - Self.textLimit
    return Answer(text: text.prefix(Self.textLimit) + "\n… (\(more) more characters)")
  }

  private func answer(
    _ tool: Tool,
    _ arguments: MCPArguments
  ) throws(MCPArguments.Failure) -> String {
    switch tool {
    case .audit:
      let limit = try arguments.count("limit", default: 20)
      let report = auditor().report(on: AuditInput.named(by: try arguments.paths("paths")))
      self.report = report
      return try MCPSummary(report, limit: limit).text()
    case .finding: return FindingText().render(try finding(arguments))
    case .source:
      let text = FindingSource.text(of: try finding(arguments))
      if text.isEmpty { throw .init(message: "no source file of its stacks is on this machine") }
      return text
    case .cycle:
      let finding = try finding(arguments)
      let cycles = finding.withConsequences.filter { !$0.cycle.isEmpty }
      if cycles.isEmpty { throw .init(message: "\(finding.shortSignature) has no retain cycle") }
      return cycles.map(FindingText.cycle(of:)).joined(separator: "\n\n")
    case .census: return try census(arguments)
    case .growth:
      let report = auditor().report(on: AuditInput.named(by: try arguments.paths("paths")))
      try refuse(report)
      return String(decoding: report.growthText, as: UTF8.self)
    case .diff:
      let paths = (old: try arguments.path("old"), new: try arguments.path("new"))
      let old = (report: try self.report(of: paths.old), path: paths.old)
      let new = (report: try self.report(of: paths.new), path: paths.new)
      return String(decoding: ReportDifference(from: old, to: new).text(), as: UTF8.self)
    case .explain:
      let rule = try arguments.text("rule")
      do throws(RuleExplanation.UnknownRule) {
        return try RuleExplanation.text(of: rule)
      } catch {
        throw .init(message: error.message)
      }
    case .verifyFix: return try verifyFix(arguments)
    }
  }

  private func verifyFix(_ arguments: MCPArguments) throws(MCPArguments.Failure) -> String {
    let id = try arguments.text("id")
    guard Signature.isName(id) else { throw .init(message: "\"\(id)\" is not a signature") }
    var earlier = report
    if let path = try arguments.optionalPath("before") { earlier = try self.report(of: path) }
    let report = auditor().report(on: AuditInput.named(by: try arguments.paths("paths")))
    let result = FixVerification(of: id, in: report, before: earlier)
    return "\(result.outcome.rawValue): \(result.text)"
  }

  private func census(_ arguments: MCPArguments) throws(MCPArguments.Failure) -> String {
    var texts: [String] = []
    for input in AuditInput.named(by: try arguments.paths("paths")) {
      do throws(InputFailure) {
        texts.append(
          try Census(of: input, appModules: appModules, resolver: DwarfFrameResolver.withIndices())
            .text
        )
      } catch {
        throw .init(message: error.message)
      }
    }
    return texts.joined(separator: "\n")
  }

  /// The finding of the last audit that a signature names.
  private func finding(_ arguments: MCPArguments) throws(MCPArguments.Failure) -> Finding {
    guard let report else { throw .init(message: "there was no audit yet: call audit first") }
    let id = try arguments.text("id")
    let found = report.findings.flatMap(\.withConsequences).filter { $0.signature.hasPrefix(id) }
    guard let finding = found.first, Signature.isName(id) else {
      throw .init(message: "the last audit has no finding \"\(id)\"")
    }
    return finding
  }

  private func report(of path: String) throws(MCPArguments.Failure) -> AuditReport {
    do throws(InputFailure) {
      return try ReportSource.report(of: path, by: auditor(), decompression: Decompression())
    } catch {
      throw .init(message: error.message)
    }
  }

  private func refuse(_ report: AuditReport) throws(MCPArguments.Failure) {
    guard report.inputs.isEmpty, let failure = report.failures.first else { return }
    throw .init(message: failure.message)
  }

  private func auditor() -> Audit {
    let symbols = DebugSources()
    return Audit(
      options: AuditOptions(appModules: appModules, gathersCallSites: true),
      resolver: symbols.resolver,
      importer: symbols.importer
    )
  }
}
