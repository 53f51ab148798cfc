import ArgumentParser
import KVOAudit

/// `kvo-audit`: parses arguments, calls ``KVOAudit``, prints.
@main
struct KVOAuditCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "kvo-audit",
    abstract: "Find key-value observing faults in recorded usage logs.",
    discussion: """
      Without a command, the logs are audited: `kvo-audit app.jsonl` is `kvo-audit audit app.jsonl`.

      EXAMPLES
        kvo-audit app.jsonl                     report every fault, with the stacks that prove it
        kvo-audit --format json a.jsonl b.jsonl one report on two runs, for other tools
        kvo-audit --profile apple-modern a.jsonl
                                                judge as iOS 11 and later would have behaved
        gunzip -c app.jsonl.gz | kvo-audit -    read standard input
        kvo-audit census app.jsonl              who observes what at the end
        kvo-audit explain KVO001                what a code means, and what to do

      EXIT STATUS
        0   no finding at or above --fail-on
        1   findings at or above --fail-on
        64  wrong usage
        65  an input is unreadable, or validate found problems; what could be read is reported
        74  the report cannot be written
      """,
    version: AuditVersion.current,
    subcommands: [ValidateCommand.self],
    defaultSubcommand: ValidateCommand.self
  )

  static func main() {
    StandardStreams.ignoreBrokenPipes()
    main(nil)
  }
}
