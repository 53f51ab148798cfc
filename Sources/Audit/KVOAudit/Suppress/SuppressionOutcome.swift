import KVOFindings
package import KVORules
import KVOText

/// The effect of one suppression in an audit.
package struct SuppressionOutcome: Hashable, Sendable {
  /// Its state.
  ///
  /// The raw values are the states in JSON.
  package enum State: String, Hashable, Sendable, CaseIterable {
    /// It matched a finding.
    case used
    /// It matched nothing, and the logs prove nothing about it: no matching registration was made in them, its rule was
    /// not judged, it names a signature, or the call sites are not known, as in a merged report.
    case unused
    /// It matched nothing, although a matching registration was made, and its rule was judged: the fault seems to be
    /// fixed.
    case stale
    /// Its last day has passed. It suppresses nothing.
    case expired
    /// Its signature is a prefix of several, so it is ambiguous. It suppresses nothing.
    case ambiguous
  }

  package var suppression: Suppression
  package var state: State
  /// How many findings it matched, even if it no longer suppresses them.
  package var matchCount: Int

  package init(_ suppression: Suppression, state: State, matchCount: Int) {
    self.suppression = suppression
    self.state = state
    self.matchCount = matchCount
  }

  /// How bad it is, for an exit status; nil: it needs no attention.
  ///
  /// An expired one is a finding: the team said itself when it wanted to look again. A suppression that some logs do
  /// not need is only a note, because others may need it.
  package var severity: Severity? {
    switch state {
    case .used: nil
    case .unused: .note
    case .stale: .warning
    case .expired, .ambiguous: .error
    }
  }

  /// The problem and the action to take, without a full stop; nil if there is none.
  package var advice: String? {
    switch state {
    case .used: nil
    case .unused: "matched nothing; these logs do not show whether it is still needed"
    case .stale:
      "matched nothing, although what it could match was registered and judged; remove it"
    case .ambiguous:
      "names a signature by a beginning that \(Wording.count(matchCount, "finding")) have in common; "
        + "write more of its digits"
    case .expired where matchCount == 0:
      "ended on \(suppression.until), and nothing matches it any more; remove it"
    case .expired:
      "ended on \(suppression.until), and \(Wording.count(matchCount, "finding")) that it matched "
        + (matchCount == 1 ? "counts" : "count") + " again; fix it or set another day"
    }
  }
}

extension SuppressionOutcome {
  /// A line with the action to take and the suppression's reason; nil: none.
  ///
  /// Control characters of the file are escaped.
  package var line: String? {
    guard let severity, let advice else { return nil }
    return ShownText.escaped(
      "\(severity.rawValue): \(suppression.location) \(advice) (it says: \(suppression.reason))"
    )
  }
}

extension AuditReport {
  /// Excludes findings that `suppressions` match from those that count, and notes the effect of each.
  ///
  /// A finding is suppressed by the first that matches it; the others that match it count as used, too. Consequences of
  /// a suppressed finding are suppressed with it.
  ///
  /// - Parameters:
  ///   - suppressions: the known issues.
  ///   - today: the current day.
  /// - Complexity: O(findings × suppressions), plus the call sites for each that matches nothing.
  package mutating func suppress(_ suppressions: [Suppression], on today: CalendarDay) {
    let ambiguous = suppressions.map { isAmbiguous($0) }
    let isActive = zip(suppressions, ambiguous).map { $0.until >= today && !$1 }
    var matchCounts = Array(repeating: 0, count: suppressions.count)
    for index in findings.indices {
      findings[index].suppress(suppressions, isActive, &matchCounts)
    }
    let unjudged = Set(notJudged.map(\.code))
    self.suppressions += suppressions.indices.map { index in
      let (suppression, count) = (suppressions[index], matchCounts[index])
      let state: SuppressionOutcome.State =
        if suppression.until < today {
          .expired
        } else if ambiguous[index] {
          .ambiguous
        } else if count > 0 {
          .used
        } else {
          isStale(suppression, unjudged) ? .stale : .unused
        }
      return SuppressionOutcome(suppression, state: state, matchCount: count)
    }
    countFindings()
  }

  /// Whether its signature is so short that several here begin with it.
  private func isAmbiguous(_ suppression: Suppression) -> Bool {
    guard let signature = suppression.signature else { return false }
    var first: String?
    for finding in findings.lazy.flatMap(\.withConsequences) {
      for whole in signature.completions(in: finding) {
        if let first, first != whole { return true }
        first = whole
      }
    }
    return false
  }

  /// Whether a suppression that matched nothing would have matched if the fault still existed.
  private func isStale(_ suppression: Suppression, _ unjudged: Set<RuleCode>) -> Bool {
    // A registration does not determine the signature of a fault.
    guard suppression.signature == nil, let callSites else { return false }
    let rules = RuleCode.allCases.filter { suppression.matches($0) }
    return rules.allSatisfy { !unjudged.contains($0) }
      && callSites.contains { suppression.covers($0.site) }
  }
}

extension Finding {
  fileprivate mutating func suppress(
    _ suppressions: [Suppression],
    _ isActive: [Bool],
    _ matchCounts: inout [Int]
  ) {
    // A line that is not named may be another fault: all lines must be named.
    var unknown = Set(lines.indices)
    let isWhole = lines.count < Self.lineLimit
    for (index, suppression) in suppressions.enumerated() {
      let reach = suppression.reach(of: self)
      if reach == .nothing { continue }
      matchCounts[index] += 1
      if isSuppressed || !isActive[index] { continue }
      if case .lines(let lines) = reach {
        unknown.subtract(lines)
        if !unknown.isEmpty || !isWhole { continue }
      }
      isSuppressed = true
      self.suppression = SuppressionNote(
        reason: suppression.reason,
        until: suppression.until.description,
        location: suppression.location
      )
    }
    for index in consequences.indices {
      consequences[index].suppress(suppressions, isActive, &matchCounts)
    }
    suppressConsequences()
  }

  /// Suppresses the consequences of the finding with it, for the same reason, if it is suppressed.
  ///
  /// Their own suppressions do not matter then: merged in any order, reports have the same result.
  package mutating func suppressConsequences() {
    guard isSuppressed else { return }
    for index in consequences.indices {
      consequences[index].isSuppressed = true
      consequences[index].suppression = suppression
      consequences[index].suppressConsequences()
    }
  }
}
