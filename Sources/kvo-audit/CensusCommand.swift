import ArgumentParser
import KVOAudit
import KVOLogTools
import KVOSymbols

/// `kvo-audit census`: who observes what at the end.
struct CensusCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "census",
    abstract: "List who observes what at the end of logs, and where it was registered.",
    usage: "kvo-audit census [<options>] <log> ...",
    discussion: """
      Also works for the log of a killed process: the end is then the time when it was killed. \
      Registrations with the same classes, key path and call site are one line with a count.

      EXAMPLE
        kvo-audit census app.kvolog
        kvo-audit census --by-image app.kvolog
        kvo-audit census --parked app.kvolog
      """
  )

  @Argument(help: ArgumentHelp("The logs; - is standard input.", valueName: "log"))
  var logs: [String]

  @Flag(help: "Also list the image (program, library or bundle) that registered.")
  var byImage = false

  @Flag(
    help: """
      List the tasks that take values instead, and which of them wait: how many, how long, what for, \
      by the line that made the sequence.
      """
  )
  var parked = false

  @OptionGroup
  var modules: ModuleOptions

  @OptionGroup
  var configuration: ConfigurationOptions

  func run() throws {
    var isComplete = true
    let bar = ProgressBar()
    let resolver = DwarfFrameResolver.withIndices()
    for input in AuditInput.named(by: logs) {
      let result = Result { () throws(InputFailure) in try taken(of: input, resolver, bar) }
      bar.clear()
      switch result {
      case .success(let census):
        try StandardStreams.deliver(Array(census.text.utf8))
        IncompleteInput.complain(census.incompleteness)
        isComplete = isComplete && census.incompleteness.isEmpty
      case .failure(let failure):
        isComplete = false
        StandardStreams.complain("kvo-audit: \(failure.message)")
      }
    }
    if !isComplete { throw ExitStatus.unreadable }
  }

  private func taken(
    of input: AuditInput,
    _ resolver: DwarfFrameResolver,
    _ bar: ProgressBar
  ) throws(InputFailure) -> (text: String, incompleteness: [String]) {
    let progress: LogSource.Progress = {
      bar.update(input.label, readByteCount: $0, byteCount: $1)
    }
    if parked {
      let census = try ParkedCensus(of: input, progress: progress)
      return (census.text, census.incompleteness)
    }
    let census = try Census(
      of: input,
      appModules: modules.appModules,
      resolver: resolver,
      saysImages: byImage,
      progress: progress
    )
    return (census.text, census.incompleteness)
  }
}
