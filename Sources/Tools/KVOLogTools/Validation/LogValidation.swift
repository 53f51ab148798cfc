package import KVOAudit
import KVOReplay
internal import KVORules
import KVOText
internal import KVOTrace
import KVOTraceBinary
import KVOTraceJSON

/// What reading one input to its end showed, for the author of a writer.
package struct LogValidation: Sendable {
  package let label: String
  package let reading: LogReading
  /// The rules that cannot judge this log because a key is missing, and that key.
  private let lackedKeys: [RuleEngine.NotJudged]
  /// How many events the writer says that it could not write.
  private let droppedCount: UInt64

  /// Reads `input` to its end.
  ///
  /// - Parameters:
  ///   - input: what to read.
  ///   - progress: called with how far it is.
  /// - Throws: ``InputFailure`` if the input is not a log.
  /// - Complexity: O(bytes), and what a replay of the events takes.
  package init(of input: AuditInput, progress: LogSource.Progress? = nil) throws(InputFailure) {
    label = input.label
    var replay = ProcessReplay(options: AuditOptions())
    var lacked: [RuleEngine.NotJudged] = []
    var dropped: UInt64 = 0
    reading = try LogSource(input, progress: progress).read { content, _ in
      guard case .events(let events, let firstNumber) = content else { return }
      var takenCount = 0
      while takenCount < events.count {
        takenCount += replay.take(
          events.span.extracting(droppingFirst: takenCount),
          firstNumber: firstNumber + takenCount
        ) { _ in }
        guard takenCount < events.count else { break }
        replay.finish { _ in }
        lacked += replay.engine.lackedKeys
        dropped = dropped.addingSaturated(replay.droppedCount)
        replay = ProcessReplay(options: AuditOptions())
      }
    }
    replay.finish { _ in }
    lackedKeys = lacked + replay.engine.lackedKeys
    droppedCount = dropped.addingSaturated(replay.droppedCount)
  }

  /// Whether every line was an event, known or not, and nothing was lost.
  package var isClean: Bool {
    reading.problemCount == 0 && droppedCount == 0 && reading.cutAt == nil
      && reading.binary?.summary.isWhole ?? true
  }

  /// What was found, a line each, with a newline at the end.
  ///
  /// Unknown events and keys are reported, but are not a problem: a later writer may have put them there.
  package var text: String {
    var lines: [String] = []
    let events = Wording.count(reading.eventCount, "event")
    lines.append(
      isClean
        ? "\(label): valid, \(events)"
        : "\(label): \(Wording.count(reading.problemCount, "problem")), \(events)"
    )
    for problem in reading.problems {
      lines.append("  " + problem.text(input: label))
    }
    let untold = reading.problemCount - reading.problems.count
    if untold > 0 { lines.append("  … and \(Wording.count(untold, "more problem"))") }
    if let binary = reading.binary { lines.append("  " + Self.text(of: binary)) }
    if droppedCount > 0 {
      lines.append("  \(Wording.count(Int(clamping: droppedCount), "event")) dropped by the writer")
    }
    if let cutAt = reading.cutAt {
      lines.append(
        "  cut: the file ends at byte \(Wording.grouped(cutAt)), in the middle of the log"
      )
    }
    if reading.binary?.summary.knowsLength == false {
      lines.append(
        "  the log does not say how long it is, as those of older recorders: whether it was cut between two "
          + "segments is not known"
      )
    }
    // A file may have many processes, each of which lacks its own keys.
    var reasons: [String] = []
    var codes: [String: [RuleCode]] = [:]
    for lacked in lackedKeys {
      if codes[lacked.why] == nil { reasons.append(lacked.why) }
      codes[lacked.why, default: []].append(lacked.code)
    }
    for reason in reasons {
      lines.append("  \(Wording.listed(codes[reason] ?? [])) cannot judge: \(reason)")
    }
    append("events", reading.unknownEvents, to: &lines)
    append("keys", reading.unknownKeys, to: &lines)
    return lines.map(ShownText.escaped).joined(separator: "\n") + "\n"
  }

  /// What of a binary log is whole, and what was lost.
  private static func text(of binary: LogReading.Binary) -> String {
    let summary = binary.summary
    var parts = ["\(Wording.grouped(summary.wholeSegmentCount)) whole"]
    func add(_ count: Int, _ what: String) {
      if count > 0 { parts.append("\(Wording.grouped(count)) \(what)") }
    }
    add(summary.openSegmentCount, "open at the end")
    add(summary.partSegmentCount, "lost in part")
    add(summary.lostSegmentCount, "lost")
    var text = "segments: \(parts.joined(separator: ", "))"
    if binary.partCount > 1 { text += "; \(binary.partCount) parts" }
    if binary.removedPartCount > 0 {
      text += "; \(Wording.count(binary.removedPartCount, "earlier part")) removed"
    }
    if summary.lostByteCount > 0 {
      text += "; \(Wording.count(summary.lostByteCount, "byte")) lost"
    }
    if summary.stringlessEventCount > 0 {
      text += "; \(Wording.count(summary.stringlessEventCount, "event")) left out for lost strings"
    }
    if summary.stacklessEventCount > 0 {
      text += "; \(Wording.count(summary.stacklessEventCount, "event")) without their lost stacks"
    }
    return text
  }

  private func append(_ what: String, _ tally: NameTally, to lines: inout [String]) {
    guard !tally.isEmpty else { return }
    var names = tally.sorted.map { "\($0.name) (\(Wording.grouped($0.count)))" }
    if tally.otherCount > 0 { names.append("others (\(Wording.grouped(tally.otherCount)))") }
    lines.append("  unknown \(what), ignored: \(names.joined(separator: ", "))")
  }
}
