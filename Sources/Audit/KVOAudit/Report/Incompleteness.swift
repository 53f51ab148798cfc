import KVOText
import KVOTrace

// What is missing from inputs, so that they are not mistaken for clean.

extension AuditReport {
  /// Whether events are missing from an input: it was truncated, a part of it cannot be read, or its recorder lost
  /// some.
  package var isIncomplete: Bool { !incompleteness.isEmpty }

  /// Whether findings may be missing, because events or inputs are.
  package var mayLackFindings: Bool { isIncomplete || !failures.isEmpty }

  /// The missing parts, a sentence each, without a full stop.
  package var incompleteness: [String] { missingParts.map(\.message) }

  /// Why no rule was judged, without a full stop; nil: some were.
  ///
  /// A console without failures looks like that, and so does the wrong file.
  package var whyNothingWasJudged: String? {
    if inputs.isEmpty, unlistedInputs.isEmpty, failures.isEmpty { return nil }
    let isJudged =
      inputs.contains {
        $0.kind == .memory || ($0.kind.isText ? $0.reportCount : $0.eventCount) > 0
      } || unlistedInputs.contains { !$0.kind.isText || $0.reportCount > 0 }
    return isJudged ? nil : "no event of a usage log and no report of a fault was read"
  }

  /// A part of the inputs that is missing.
  package struct MissingPart: Hashable, Sendable {
    /// The path of the input; nil: inputs of which the report only says how many events their recorders lost.
    package var input: String?
    /// Whether a recorder lost events, as opposed to a log that cannot be read to its end.
    package var isLost = false
    /// A name that no other part has.
    package var name: String {
      let lost = "events that were not recorded"
      return input.map { isLost ? "\(lost): \($0)" : $0 } ?? lost
    }
    /// A sentence without a full stop.
    package var message: String
  }

  /// The missing parts, in the order of the inputs.
  package var missingParts: [MissingPart] {
    var parts = Self.missingParts(of: inputs)
    let listed = inputs.reduce(UInt64(0)) { $0.addingSaturated($1.droppedEventCount) }
    let lacking = unlistedInputs.filter { $0.droppedEventCount > 0 }
    let unlisted = lacking.reduce(UInt64(0)) { $0.addingSaturated($1.droppedEventCount) }
    let unnamed = max(unlisted, summary.droppedEventCount - min(listed, summary.droppedEventCount))
    if unnamed > 0 {
      let logs = Wording.count(lacking.reduce(0) { $0.addingCount($1.count) }, "log")
      // Earlier versions wrote only the sum.
      let place = unnamed == unlisted ? "\(logs) not listed" : "the logs"
      parts.append(Self.lost(unnamed, from: place))
    }
    return parts
  }

  /// The events that a recorder lost.
  private static func lost(
    _ count: UInt64,
    from place: String,
    of input: String? = nil
  ) -> MissingPart {
    let what = Wording.count(count, "event")
    return MissingPart(
      input: input,
      isLost: true,
      message: (input.map { "\($0): " } ?? "")
        + "\(what) could not be recorded, and \(count == 1 ? "is" : "are") missing from \(place)"
    )
  }

  fileprivate static func missingParts(of inputs: [Input]) -> [MissingPart] {
    var parts: [MissingPart] = []
    for input in inputs {
      if let cutAt = input.cutAt {
        let message = "\(input.path): ends at byte \(cutAt), in the middle of the log"
        parts.append(MissingPart(input: input.path, message: message))
      } else if let damage = input.decompressionDamage {
        parts.append(MissingPart(input: input.path, message: damage.text(input: input.path)))
      } else if !input.kind.isText, input.damageCount > 0 {
        let what = Wording.count(input.damageCount, input.kind == .binary ? "part" : "line")
        parts.append(
          MissingPart(input: input.path, message: "\(input.path): \(what) cannot be read")
        )
      }
      if input.droppedEventCount > 0 {
        parts.append(lost(input.droppedEventCount, from: "the log", of: input.path))
      }
    }
    return parts
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
}

extension LogReading {
  /// The missing parts of the log, a sentence each, without a full stop.
  ///
  /// - Parameters:
  ///   - label: the name of the log.
  ///   - droppedEventCount: how many events its `dropped` events report.
  /// - Returns: the sentences; none if the log is complete.
  package func incompleteness(of label: String, droppedEventCount: UInt64) -> [String] {
    var input = AuditReport.Input(
      path: label,
      kind: kind,
      eventCount: eventCount,
      damageCount: problemCount
    )
    input.cutAt = cutAt
    input.droppedEventCount = droppedEventCount
    return AuditReport.missingParts(of: [input]).map(\.message)
  }
}
