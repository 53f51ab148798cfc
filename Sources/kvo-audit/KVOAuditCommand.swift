import ArgumentParser
import KVOAudit
import KVORules

/// `kvo-audit`: parses arguments, calls ``KVOAudit``, prints.
@main
struct KVOAuditCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "kvo-audit",
    abstract: "Find key-value observing faults in recorded usage logs.",
    discussion: """
      Without a command the logs are audited: "kvo-audit app.kvolog" is the same as \
      "kvo-audit audit app.kvolog", and "kvo-audit help audit" lists the options.

      EXAMPLES
        Report every fault, with the stacks that prove it:
          kvo-audit app.kvolog
        One report on two runs, for other tools:
          kvo-audit --format json a.kvolog b.kvolog
        Judge as iOS 11 and later would have behaved:
          kvo-audit --profile apple-modern app.kvolog
        Read a compressed log, and standard input:
          kvo-audit app.kvolog.gz
          ssh host cat app.kvolog | kvo-audit -
        Fail on what main.json has not:
          kvo-audit --baseline main.json --fail-on-new app.kvolog
        Who observes what at the end:
          kvo-audit census app.kvolog
        Read a binary log as text:
          kvo-audit convert app.kvolog
        A log to give to others, with other names in it:
          kvo-audit anonymize app.kvolog -o given.kvolog
        What a log is made of:
          kvo-audit stats app.kvolog
        What was in a program's memory, and what held it:
          kvo-audit heap app.kvoheap
        What a code means, and what to do:
          kvo-audit explain KVO001
        Run a program, record it and audit that:
          kvo-audit record -- ./app

      EXIT STATUS
        0   no finding at or above --fail-on
        1   findings at or above --fail-on; an expired suppression is one, and
            so is a crash of which nothing was found
        64  wrong usage
        65  an input is unreadable, was cut, is damaged or lacks events that
            could not be recorded (what could be read is reported);
            suppressions, a baseline or a configuration cannot be used;
            validate found problems
        69  watch --serve cannot serve
        74  the report or a copy cannot be written
        "record" gives the status of the program first: kvo-audit help record
      """,
    version: AuditVersion.current,
    subcommands: [
      AnonymizeCommand.self, AuditCommand.self, CensusCommand.self, ConvertCommand.self,
      DiffCommand.self, ExplainCommand.self, ExportCommand.self, GrowthCommand.self,
      HeapCommand.self, IndexCommand.self, MergeCommand.self, RecordCommand.self,
      StatsCommand.self, ValidateCommand.self, WatchCommand.self,
    ],
    defaultSubcommand: AuditCommand.self
  )

  /// The names of the commands.
  static let names = configuration.subcommands.compactMap { $0.configuration.commandName }

  static func main() {
    StandardStreams.ignoreBrokenPipes()
    refuseArgumentsThatAreNotUTF8()
    // What scripts ask at every start. ArgumentParser reflects on all commands before it looks at
    // the arguments, which took three quarters of the answer's time.
    if CommandLine.arguments.dropFirst() == ["--version"] {
      do {
        return try StandardStreams.deliver(Array("\(AuditVersion.current)\n".utf8))
      } catch {
        exit(withError: error)
      }
    }
    do {
      let line = try ConfiguredCommandLine(Array(CommandLine.arguments.dropFirst()))
      if let shown = line.shown {
        try line.check()
        return try StandardStreams.deliver(Array(shown.text.utf8))
      }
      var command = try line.parse()
      try command.run()
    } catch {
      exit(withError: error)
    }
  }

  /// Ends with status 64 if an argument is not UTF-8.
  ///
  /// A string repairs such bytes, and would name another file or change what a recorded program is given.
  private static func refuseArgumentsThatAreNotUTF8() {
    for index in 1..<max(1, Int(CommandLine.argc)) {
      guard let bytes = CommandLine.unsafeArgv[index], String(validatingCString: bytes) == nil
      else { continue }
      StandardStreams.complain(
        "kvo-audit: argument \(index), \"\(ShownText.escaped(String(cString: bytes)))\", is not UTF-8; rename "
          + "the file, or pass a log through standard input: kvo-audit - < FILE"
      )
      exit(withError: ExitCode(64))
    }
  }
}
