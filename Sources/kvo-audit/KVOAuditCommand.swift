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
        Fail on findings that are not in main.json:
          kvo-audit --baseline main.json --fail-on-new app.kvolog
        List who observes what at the end:
          kvo-audit census app.kvolog
        Read a binary log as text:
          kvo-audit convert app.kvolog
        Replace the names in a log, to share it:
          kvo-audit anonymize app.kvolog -o given.kvolog
        Count the events of a log:
          kvo-audit stats app.kvolog
        List the objects in a program's memory, and what holds them:
          kvo-audit heap app.kvoheap
        Explain a code, and what to do:
          kvo-audit explain KVO001
        Say whether a finding is gone, and could have been seen:
          kvo-audit verify-fix 2:6898ccf5d8 --before old.kvolog app.kvolog
        Say what a running program records, and what that costs:
          kvo-audit control 4711 status
        Run a program, record it and audit the log:
          kvo-audit record -- ./app

      EXIT STATUS
        0   no finding at or above --fail-on
        1   findings at or above --fail-on, including expired suppressions, and
            crashes for which nothing was found, unless only new findings count
        2   verify-fix: nothing is proven
        64  wrong usage
        65  an input is unreadable, was cut, is damaged or lacks events that
            could not be recorded (what could be read is reported);
            "stats", "convert" and "anonymize" give 0 if only such events
            are missing, and a crash report that was cut is read as text;
            suppressions, a baseline or a configuration cannot be used;
            validate found problems
        69  watch --serve cannot serve
        74  the report or a copy cannot be written
        "record" exits with the status of the program, if that is not 0:
        kvo-audit help record
      """,
    version: AuditVersion.current,
    subcommands: offered(to: CommandLine.arguments.dropFirst()),
    defaultSubcommand: AuditCommand.self
  )

  static func main() {
    StandardStreams.ignoreBrokenPipes()
    refuseArgumentsThatAreNotUTF8()
    // Scripts ask for the version at every start. ArgumentParser reflects on all commands before it
    // reads the arguments, which took three quarters of the time.
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
      try checkHelp(line.arguments)
      run(try line.parse())
    } catch {
      end(with: error)
    }
  }

  private static func run(_ parsed: any ParsableCommand) {
    var command = parsed
    do {
      try command.run()
    } catch let error as ValidationError {
      // ArgumentParser would show how the root is used.
      let name = typedName(of: type(of: command))
      StandardStreams.complain(
        "Error: \(error.message)\n  See 'kvo-audit \(name) --help' for more information."
      )
      exit(withError: ExitCode.validationFailure)
    } catch {
      end(with: error)
    }
  }

  /// Ends as `exit(withError:)` does: help that cannot be written is an error, too, and the arguments in an error are
  /// escaped.
  private static func end(with error: any Error) -> Never {
    let code = exitCode(for: error)
    let text = fullMessage(for: error)
    guard !text.isEmpty else { exit(withError: code) }
    guard code == .success else {
      StandardStreams.complain(text)
      exit(withError: code)
    }
    do {
      try StandardStreams.deliver(Array("\(text)\n".utf8))
      exit(withError: code)
    } catch {
      exit(withError: error)
    }
  }

  /// Exits with status 64 if an argument is not UTF-8.
  ///
  /// A string repairs such bytes, and would name another file or change the arguments of a recorded
  /// program.
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
