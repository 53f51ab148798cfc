// A report's notes on missing input, so that it is not mistaken for clean.
import KVOAudit
import KVOText
import KVOTrace

extension AuditReport {
  /// Whether no input could be read.
  var isUnread: Bool { inputs.isEmpty && !failures.isEmpty && summary == Summary() }
}

extension AuditReport {
  /// The inputs that are counted and not listed, a line for each kind and state; empty if all are listed.
  var unlistedNotes: [String] {
    guard !unlistedInputs.isEmpty else { return [] }
    let count = Wording.grouped(inputCount - inputs.count)
    return [
      "NOT LISTED: \(count) of \(Wording.grouped(inputCount)) inputs (--all-inputs lists them)"
    ]
      + unlistedInputs.map {
        "  \(Wording.grouped($0.count)) \($0.kind.rawValue): \($0.state)\($0.gap)"
      }
  }
}

extension AuditReport.UnlistedInputs {
  /// What is missing from them.
  fileprivate var gap: String {
    droppedEventCount == 0
      ? "" : "; \(Wording.count(droppedEventCount, "event")) could not be recorded"
  }

  /// What is known of them.
  fileprivate var state: String {
    if kind.isText {
      if reportCount > 0 { return Wording.count(reportCount, "report") }
      return kind == .console
        ? "no usage log, and nothing recognized"
        : "nothing known to come of key-value observing"
    }
    if endings.contains(.open) {
      return
        "not said how a process ended: killed, or still running; what was open or owed is not judged"
    }
    return endings.isEmpty ? "read" : "ended by \(endings.map(\.rawValue).joined(separator: ", "))"
  }
}

extension AuditReport.Input {
  /// What the share of sampled objects is a share of.
  private static let allObjects = Int(ObjectSample.all)

  /// A report's notes on its events and its end, a sentence each, without a full stop.
  ///
  /// Empty for a process that ended normally, or by a crash, which is reported separately.
  var endingNotes: [String] {
    var notes: [String] = []
    if let cutAt {
      notes.append(
        "CUT: \(path) ends at byte \(Wording.grouped(cutAt)), in the middle of the log: what followed "
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
    if let keptReason {
      notes.append(
        "KEPT: \(path) ends where the recorder kept it: \(keptReason). What was open or owed then is not judged"
      )
    }
    if earlierEventCount > 0 {
      notes.append(
        "NOT FROM THE BEGINNING: \(Wording.count(earlierEventCount, "event")) of \(path) came before its first one, "
          + "in files that are gone. What they began is not judged"
      )
    }
    if let sampledShare {
      notes.append(
        "SAMPLED: \(path) has the events of \(Wording.grouped(sampledShare)) of \(Wording.grouped(Self.allObjects)) "
          + "objects, and nothing of the others, as its recorder kept within its budget"
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
    if hasOwnReport {
      notes.append(
        "SKIPPED: \(path) has a report of kvo-audit, whose findings are not counted again"
      )
    }
    if kind.isText, reportCount == 0, isCrash || !hasOwnReport {
      notes.append(
        isCrash
          ? "NO FINDING: \(path) reports a crash, but nothing in it points to key-value observing"
          : "NOTHING RECOGNIZED: \(path) is neither a usage log nor a crash report, and none of its lines reports a "
            + "violation of key-value observing"
      )
    }
    return notes
  }
}
