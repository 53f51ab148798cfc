import KVOAudit
import KVORules
import KVOText

extension JSONText {
  /// Writes a finding as a result of SARIF.
  mutating func write(sarifResult finding: Finding, in report: AuditReport, _ sources: SourceFiles)
  {
    let (related, omittedCount) = finding.relatedFrames
    let omission =
      omittedCount == 0 ? "" : ". \(Wording.count(omittedCount, "location")) left out"
    object { text in
      text.key("ruleId")
      text.value(finding.code.rawValue)
      text.key("ruleIndex")
      text.value(RuleCatalogue.entries.firstIndex { $0.code == finding.code })
      text.key("level")
      text.value(finding.severity.rawValue)
      text.key("message")
      text.write(
        sarifMessage: "\(finding.message). Fix: \(finding.hint)\(omission)",
        linkingTo: related.map(\.role)
      )
      text.key("locations")
      text.list([finding]) { $0.write(sarifLocationOf: $1, in: report, sources) }
      text.key("relatedLocations")
      text.list(Array(related.enumerated())) { text, related in
        text.write(
          sarifFrame: related.element.frame,
          id: related.offset + 1,
          message: related.element.role,
          sources
        )
      }
      text.writeSarifFlows(of: finding, sources)
      text.key("stacks")
      text.list(finding.stacks.filter { !$0.frames.isEmpty }) { $0.write(sarifStack: $1, sources) }
      text.key("occurrenceCount")
      text.value(finding.count)
      if report.comparison != nil {
        text.key("baselineState")
        text.value(finding.sarifBaselineState)
      }
      text.key("partialFingerprints")
      text.object { text in
        if Signature.isCurrent(finding.signature) {
          text.key("kvoAuditSignature/v2")
          text.value(finding.signature)
        }
        // Services that know it by the previous one still recognize it.
        if let previous = finding.version1Signatures.first {
          text.key("kvoAuditSignature/v1")
          text.value(previous)
        }
        if let hash = finding.lineHash(sources) {
          text.key("primaryLocationLineHash")
          text.value(hash)
        }
      }
      text.key("suppressions")
      text.list(finding.suppressionReasons) { text, reason in
        text.object { text in
          text.key("kind")
          text.value("external")
          text.key("justification")
          text.value(reason)
        }
      }
      text.key("properties")
      text.object { text in
        text.key("profile")
        text.value(finding.profile.rawValue)
        text.key("consequence")
        text.value(finding.consequence.rawValue)
        text.key("confidence")
        text.value(finding.confidence.rawValue)
        text.key("events")
        text.numbers(finding.events)
      }
    }
  }
}

extension Finding {
  /// Why the finding does not count, for tools that still show it.
  fileprivate var suppressionReasons: [String] {
    (isExpected ? ["a test says that this is meant"] : [])
      + (isSuppressed ? [suppression?.reason ?? "suppressed by the project"] : [])
  }

  /// Absent: it is in the previous report.
  fileprivate var sarifBaselineState: String {
    switch baseline {
    case .new: "new"
    case .unchanged: "unchanged"
    case .moved: "updated"
    case nil: "absent"
    }
  }

  /// The fingerprint by which GitHub's code scanning identifies the result; it uses no other.
  ///
  /// That of its line; if a finding has none, its signature. Nil: the line is not available, and the action that
  /// uploads the report finds it in the repository.
  fileprivate func lineHash(_ sources: SourceFiles) -> String? {
    guard let frame = stacks.lazy.compactMap(\.shownFrame).first, let file = frame.file,
      frame.line > 0
    else {
      return Signature.isCurrent(signature) ? String(signature.dropFirst(2).prefix(16)) + ":1" : nil
    }
    guard let hashes = sources[file].lines?.hashes, hashes.indices.contains(frame.line - 1)
    else { return nil }
    return hashes[frame.line - 1]
  }

  /// The own frames of the stacks after the first, as many as a result may have, and how many more there are.
  fileprivate var relatedFrames: (shown: [(role: String, frame: StackFrame)], omittedCount: Int) {
    let all = stacks.dropFirst().compactMap { stack in
      stack.shownFrame.map { (stack.heading, $0) }
    }
    let shown = all.prefix(ReportLimit.sarifLocationCount - 1)
    return (Array(shown), all.count - shown.count)
  }
}
