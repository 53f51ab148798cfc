import ArgumentParser
import KVOAudit
import KVOLogTools

/// `kvo-audit validate`: for authors of log writers.
struct ValidateCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "validate",
    abstract: "Check that logs follow the grammar.",
    discussion: """
      Reports every line that is not an event, by line and column, lists the missing keys that prevent \
      rules from judging the log, and counts the events and keys that this version does not know, \
      which is not a problem. For a binary log it reports which segments are complete, and what was \
      lost. The grammar is Documentation/LogFormat.md.

      Exit status: 0 all lines are events and nothing is lost, 65 otherwise, and if an input cannot be \
      read.

      EXAMPLE
        kvo-audit validate app.kvolog
      """
  )

  @Argument(help: ArgumentHelp("The logs; - is standard input.", valueName: "log"))
  var logs: [String]

  func run() throws {
    var isClean = true
    let bar = ProgressBar()
    for input in AuditInput.named(by: logs) {
      let result = Result { () throws(InputFailure) in
        try LogValidation(of: input) {
          bar.update(input.label, readByteCount: $0, byteCount: $1)
        }
      }
      bar.clear()
      switch result {
      case .success(let validation):
        isClean = isClean && validation.isClean
        try StandardStreams.deliver(Array(validation.text.utf8))
      case .failure(let failure):
        isClean = false
        StandardStreams.complain("kvo-audit: \(failure.message)")
      }
    }
    if !isClean { throw ExitStatus.unreadable }
  }
}
