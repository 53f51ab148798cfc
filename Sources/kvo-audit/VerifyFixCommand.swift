import ArgumentParser
import KVOAudit
import KVOCompression
import KVOImport
import KVOReportFile
import KVOReports
import KVORules
import KVOSymbols

/// `kvo-audit verify-fix`: whether a finding is gone, and could have been seen.
struct VerifyFixCommand: ParsableCommand {
  enum Format: String, CaseIterable, ExpressibleByArgument {
    case text
    case json
  }

  static let configuration = CommandConfiguration(
    commandName: "verify-fix",
    abstract: "Say whether a finding is gone from a log that could have shown it.",
    usage: "kvo-audit verify-fix [<options>] <signature> <log> ...",
    discussion: """
      A finding that a log does not have is fixed only if its rule could be judged there, no part of the log is \
      missing, and the code at fault ran: the log has the same observation, or one that the same function \
      registered on the same class, and for faults of removals and deallocations some of these ended. A finding of \
      the same rule, classes and key path that --before does not have, which a function of another name would make \
      of it, proves nothing either.

      What a signature is about is recognized if an observation of the log would have it. Findings that the call \
      at fault identifies, such as a second removal, need --before.

      EXIT STATUS
        0   it is gone, and could have been seen
        1   it is still there
        2   it is not in the log, which does not prove that it is fixed
        65  a log or the earlier report cannot be read

      EXAMPLES
        kvo-audit verify-fix 2:6898ccf5d8 --before before.kvolog after.kvolog
        kvo-audit verify-fix 2:f7ec4c268d after.kvolog
      """
  )

  @Argument(
    help: ArgumentHelp("The signature, or its beginning: 2:6898ccf5d8.", valueName: "signature")
  )
  var signature: String

  @Argument(help: ArgumentHelp("The logs of the corrected program.", valueName: "log"))
  var logs: [String]

  @Option(
    help: ArgumentHelp("A log or a JSON report that has the finding.", valueName: "file")
  )
  var before: String?

  @Option(help: "The form of the result.")
  var format: Format = .text

  @OptionGroup
  var modules: ModuleOptions

  @OptionGroup
  var configuration: ConfigurationOptions

  func validate() throws {
    guard Signature.isName(signature) else {
      throw ValidationError(
        "\"\(signature)\" is not a signature; a report names one as in 2:6898ccf5d8, with eight digits or more."
      )
    }
  }

  func run() throws {
    let bar = ProgressBar()
    let symbols = DebugSources()
    let audit = Audit(
      options: AuditOptions(appModules: modules.appModules, gathersCallSites: true),
      resolver: symbols.resolver,
      importer: symbols.importer
    )
    let progress: Audit.Progress = { bar.update($0, readByteCount: $1, byteCount: $2) }
    let earlier: AuditReport?
    do throws(InputFailure) {
      earlier =
        if let before {
          try ReportSource.report(
            of: before,
            by: audit,
            decompression: Decompression(),
            progress: progress
          )
        } else { nil }
    } catch {
      bar.clear()
      StandardStreams.complain("kvo-audit: \(error.message)")
      throw ExitStatus.unreadable
    }
    let report = audit.report(on: AuditInput.named(by: logs), progress: progress)
    bar.clear()
    for failure in report.failures { StandardStreams.complain("kvo-audit: \(failure.message)") }
    let result = FixVerification(of: signature, in: report, before: earlier)
    try StandardStreams.deliver(format == .json ? result.json : Array(result.text.utf8))
    if !report.failures.isEmpty { throw ExitStatus.unreadable }
    switch result.outcome {
    case .fixed: return
    case .present: throw ExitStatus.findings
    case .unproven: throw ExitStatus.unproven
    }
  }
}
