// A report's notes on missing input, so that it is not mistaken for clean.
package import KVOAudit
import KVOText

extension AuditReport {
  /// Whether events are missing from an input: it was truncated, a part of it cannot be read, or its recorder lost
  /// some.
  package var isIncomplete: Bool { !incompleteness.isEmpty }

  /// The missing parts, a sentence each, without a full stop.
  package var incompleteness: [String] {
    var lines: [String] = []
    for input in inputs {
      if let cutAt = input.cutAt {
        lines.append("\(input.path): ends at byte \(cutAt), in the middle of the log")
      } else if let damage = input.decompressionDamage {
        lines.append(damage.text(input: input.path))
      } else if !input.kind.isText, input.damageCount > 0 {
        let what = Wording.count(input.damageCount, input.kind == .binary ? "place" : "line")
        lines.append("\(input.path): \(what) cannot be read")
      }
    }
    if summary.droppedEventCount > 0 {
      let what = Wording.count(summary.droppedEventCount, "event")
      lines.append("\(what) could not be recorded, and are missing from the logs")
    }
    return lines
  }
}

extension AuditReport.Input {
  /// Where compressed text or JSON Lines end too early: nothing else in them is a matter of bytes.
  fileprivate var decompressionDamage: LogDamage? {
    guard kind != .binary else { return nil }
    return damaged.first { damage in
      if case .bytes = damage.location { true } else { false }
    }
  }

  /// A report's notes on its events and its end, a sentence each, without a full stop.
  ///
  /// Empty for a process that ended normally, or by a crash, which is reported separately.
  var endingNotes: [String] {
    var notes: [String] = []
    if let cutAt {
      notes.append(
        "CUT: \(path) ends at byte \(Wording.grouped(cutAt)), in the middle of the log: what stood behind it "
          + "is not judged"
      )
    }
    if ignoredEventCount > 0 {
      let isOne = ignoredEventCount == 1
      notes.append(
        "IGNORED: \(Wording.count(ignoredEventCount, "event")) of \(path) "
          + (isOne ? "has a name" : "have names") + " that the grammar does not know; "
          + "`kvo-audit validate` lists \(isOne ? "it" : "them")"
      )
    }
    let openCount = endings.count { $0 == .open }
    if kind != .memory, openCount > 0 {
      let who = openCount == 1 ? "its process" : "\(Wording.grouped(openCount)) of its processes"
      notes.append(
        "NO END: \(path) does not say how \(who) ended: killed, or still running. What was open or owed when "
          + "the log ends is not judged"
      )
    }
    if kind.isText, reportCount == 0 {
      notes.append(
        isCrash
          ? "NO FINDING: \(path) is a crash report, and nothing in it is known to come of key-value observing"
          : "NOTHING RECOGNISED: \(path) is no usage log and no report of a crash, and no line of it is known to "
            + "tell of a fault of observing"
      )
    }
    return notes
  }
}
