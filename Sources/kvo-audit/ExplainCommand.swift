import ArgumentParser
import KVOReports

/// `kvo-audit explain`: the meaning of a code.
struct ExplainCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "explain",
    abstract: "Explain a rule and what to do; without an argument, list all rules.",
    discussion: """
      EXAMPLES
        kvo-audit explain KVO001
        kvo-audit explain double-remove
      """
  )

  @Argument(help: ArgumentHelp("A code or slug, as in reports.", valueName: "rule"))
  var rules: [String] = []

  func run() throws {
    if rules.isEmpty { return try StandardStreams.deliver(Array(RuleExplanation.list.utf8)) }
    var texts: [String] = []
    for rule in rules {
      do throws(RuleExplanation.UnknownRule) {
        texts.append(try RuleExplanation.text(of: rule))
      } catch {
        throw ValidationError(error.message)
      }
    }
    try StandardStreams.deliver(Array(texts.joined(separator: "\n").utf8))
  }
}
