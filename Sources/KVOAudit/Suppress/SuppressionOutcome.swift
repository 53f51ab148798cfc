package import KVORules

/// What one suppression did in an audit.
package struct SuppressionOutcome: Hashable, Sendable {
  /// What is to be said of it.
  ///
  /// The raw values are the states in JSON.
  package enum State: String, Hashable, Sendable, CaseIterable {
    /// It matched a finding.
    case used
    /// It matched nothing, and nothing that it could match was registered in these logs: they prove
    /// nothing about it.
    case unused
    /// It matched nothing, although what it could match was registered, and its rule was judged: the
    /// fault seems to be gone.
    case stale
    /// Its last day is over. It suppresses nothing.
    case expired
    /// Its signature is the beginning of several: nobody knows which is meant. It suppresses nothing.
    case ambiguous
  }

  package var suppression: Suppression
  package var state: State
  /// How many findings it matched, also where it suppresses them no more.
  package var matchCount: Int

  package init(_ suppression: Suppression, state: State, matchCount: Int) {
    self.suppression = suppression
    self.state = state
    self.matchCount = matchCount
  }

  /// How bad it is, for an exit status; nil: it is as it should be.
  ///
  /// An expired one is a finding: the team said itself when it wanted to look again. That one is not
  /// needed in some logs is worth a note, because others may need it.
  package var severity: Severity? {
    switch state {
    case .used: nil
    case .unused: .note
    case .stale: .warning
    case .expired, .ambiguous: .error
    }
  }

  /// What it is, and what to do, without a full stop; nil where it is as it should be.
  package var advice: String? {
    switch state {
    case .used: nil
    case .unused: "matched nothing; nothing that it could match was registered in these logs"
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
  /// A line that says what is to be done with it and why it is there; nil: nothing.
  ///
  /// Control characters of the file are spelled out.
  var line: String? {
    guard let severity, let advice else { return nil }
    return ShownText.escaped(
      "\(severity.rawValue): \(suppression.place) \(advice) (it says: \(suppression.reason))"
    )
  }
}

extension AuditReport {
  /// Takes what `suppressions` match out of what counts, and notes what each of them did.
  ///
  /// A finding is suppressed by the first that matches it; the others that match it count as used, too.
  /// What follows from a suppressed finding goes with it.
  ///
  /// - Parameters:
  ///   - suppressions: what the team knows.
  ///   - today: the day on which this is asked.
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

  /// Whether its signature is cut so short that several here begin with it.
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

  /// Whether a suppression that matched nothing would have, were the fault still there.
  private func isStale(_ suppression: Suppression, _ unjudged: Set<RuleCode>) -> Bool {
    // Nothing that is registered says which signature it would have.
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
    // A line that nobody named may be another fault: all must be known.
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
        place: suppression.place
      )
    }
    for index in consequences.indices {
      consequences[index].suppress(suppressions, isActive, &matchCounts)
    }
  }
}
