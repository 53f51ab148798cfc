import ArgumentParser
import KVOAudit
import KVOLogTools

/// `kvo-audit convert`: a log in the other form.
struct ConvertCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "convert",
    abstract: "Convert a binary log to JSON Lines, or JSON Lines to a binary log.",
    discussion: """
      Nothing is lost: converted back, a log has the same events. Older files of a rotated binary log \
      (app.kvolog.1, …) are read before it. Damaged regions are reported, and replaced by a "dropped" \
      event.

      Exit status: 0 converted, 65 the log cannot be read, or not completely, 74 the copy cannot be written.

      EXAMPLES
        kvo-audit convert app.kvolog | grep '"remove"'
        kvo-audit convert app.jsonl -o app.kvolog
        kvo-audit convert app.kvolog --to kvolog -o whole.kvolog
      """
  )

  @Argument(help: ArgumentHelp("The log; - is standard input.", valueName: "log"))
  var log: String

  @Option(
    name: [.customShort("o"), .long],
    help: ArgumentHelp("The file to write; by default, standard output.", valueName: "file")
  )
  var output: String?

  @Option(help: "The form to write; by default, the other one than that of the log.")
  var to: LogConversion.Form?

  func run() throws {
    let input = AuditInput.named(by: log)
    if let output, input.paths.contains(where: { OutputFile.isSame(output, as: $0) }) {
      throw ValidationError("\"\(output)\" is the log itself, and would be overwritten")
    }
    if let output { try OutputFile.check([output], reading: []) }
    var conversion = LogConversion(of: input, to: to)
    let sink = OutputSink(path: output)
    let bar = ProgressBar()
    let result = Result { () throws(InputFailure) in
      try conversion.run(
        progress: { bar.update(log, readByteCount: $0, byteCount: $1) },
        { sink.take($0, isBinary: $1 == .binary) }
      )
    }
    bar.clear()
    if case .failure(let failure) = result {
      StandardStreams.complain("kvo-audit: \(failure.message)")
      throw ExitStatus.unreadable
    }
    try sink.finish()
    if IncompleteInput.reportDamage(in: conversion.reading, of: log) { throw ExitStatus.unreadable }
  }
}

extension LogConversion.Form: ExpressibleByArgument {}
