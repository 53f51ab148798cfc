package import KVORules

extension AuditReport {
  /// One report of several, as if their inputs had been audited together.
  ///
  /// Associative and commutative: however reports are grouped and in whichever order they come, the
  /// result is the same, byte by byte. So that it is, inputs are ordered by path, and of a finding that
  /// several reports have the occurrence in the first input is told. A baseline is none of the inputs':
  /// comparisons are left out.
  ///
  /// Complexity: O(n log n) in the findings, inputs and stacks of all.
  ///
  /// - Parameter reports: what to merge.
  /// - Returns: the whole.
  package static func merging(_ reports: [AuditReport]) -> AuditReport {
    var whole = AuditReport()
    let keys = reports.map { $0.inputs.map(\.mergeKey) }
    let inputs = zip(keys, reports).flatMap { zip($0, $1.inputs) }.sorted { $0.0 < $1.0 }
    whole.inputs = inputs.map(\.1)
    // Inputs that are alike in all are one to those who refer to them.
    let places = Dictionary(
      inputs.enumerated().map { ($1.0, $0) },
      uniquingKeysWith: min
    )
    var findings: [String: [Finding]] = [:]
    for (report, keys) in zip(reports, keys) {
      func index(_ old: Int) -> Int { keys.indices.contains(old) ? places[keys[old]] ?? 0 : 0 }
      for var finding in report.findings {
        finding.setInput(index)
        findings[finding.signature, default: []].append(finding)
      }
      for var crash in report.crashes {
        crash.input = index(crash.input)
        whole.crashes.append(crash)
      }
      whole.summary.add(report.summary)
    }
    whole.findings = findings.values.map(Finding.merging).sorted(by: ReportMerger.isBefore)
    whole.crashes = Self.sorted(whole.crashes) { $0.write($1) }
    whole.failures = Self.sorted(reports.flatMap(\.failures)) { $0.write($1) }
    whole.unnamed = Set(reports.flatMap(\.unnamed)).sorted()
    whole.notJudged = NotJudged.merging(reports, inputCount: whole.inputs.count)
    whole.suppressions = SuppressionOutcome.merging(reports.flatMap(\.suppressions))
    whole.countFindings()
    return whole
  }

  /// `elements` in the order of what is written of them.
  private static func sorted<Element>(
    _ elements: [Element],
    _ write: (inout JSONText, Element) -> Void
  ) -> [Element] {
    elements.map { (JSONText.key($0, write), $0) }.sorted { $0.0 < $1.0 }.map(\.1)
  }
}

extension AuditReport.Input {
  /// Tells inputs apart, and orders them by path first.
  fileprivate var mergeKey: [String] { [path, JSONText.key(self) { $0.write($1) }] }
}

private func < (left: [String], right: [String]) -> Bool { left.lexicographicallyPrecedes(right) }

extension JSONText {
  /// What `write` writes of `element`, as a key to sort by.
  static func key<Element>(
    _ element: Element,
    _ write: (inout JSONText, Element) -> Void
  ) -> String {
    var text = JSONText()
    write(&text, element)
    return String(decoding: text.bytes, as: UTF8.self)
  }
}

extension AuditReport.Summary {
  fileprivate mutating func add(_ other: AuditReport.Summary) {
    eventCount += other.eventCount
    liveRegistrationCount += other.liveRegistrationCount
    droppedEventCount = droppedEventCount.addingSaturated(other.droppedEventCount)
    processCount += other.processCount
    textCount += other.textCount
    reportCount += other.reportCount
  }
}

extension Finding {
  /// One finding of all that have its signature.
  fileprivate static func merging(_ findings: [Finding]) -> Finding {
    let told = findings.map { (place: $0.telling, finding: $0) }
      .sorted { $0.place < $1.place }
      .map(\.finding)
    var whole = told[0]
    for other in told.dropFirst() { whole.add(other) }
    whole.baseline = nil
    whole.suppression = whole.isSuppressed ? told.compactMap(\.suppression).min() : nil
    whole.isExpected = told.allSatisfy(\.isExpected)
    whole.crashFacts = whole.crashFacts.map {
      CrashFacts.merging($0, told.compactMap(\.crashFacts))
    }
    let consequences = Dictionary(grouping: told.flatMap(\.consequences), by: \.signature)
    whole.consequences = consequences.values.map(merging)
      .sorted { ($0.code, $0.signature) < ($1.code, $1.signature) }
    return whole
  }

  /// Orders occurrences: by input, then event, then all that is told of them.
  private var telling: Telling {
    var alone = self
    alone.consequences = []
    alone.baseline = nil
    // What adds up depends on how findings were grouped.
    (alone.count, alone.processCount, alone.runCount) = (0, 0, 0)
    (alone.severity, alone.confidence) = (.note, .low)
    (alone.isLibrary, alone.isSuppressed, alone.isExpected) = (false, false, false)
    (alone.suppression, alone.crashFacts, alone.lines) = (nil, nil, [])
    return Telling(
      input: input,
      event: events.first ?? 0,
      text: JSONText.key(alone) { $0.write($1) }
    )
  }

  private struct Telling: Comparable {
    var input: Int
    var event: Int
    var text: String

    static func < (left: Telling, right: Telling) -> Bool {
      (left.input, left.event, left.text) < (right.input, right.event, right.text)
    }
  }
}

extension SuppressionNote: Comparable {
  package static func < (left: SuppressionNote, right: SuppressionNote) -> Bool {
    (left.place, left.until, left.reason) < (right.place, right.until, right.reason)
  }
}

extension CrashFacts {
  /// `sum` with what is one's own of each of `all` chosen in a way that does not depend on their order.
  fileprivate static func merging(_ sum: CrashFacts, _ all: [CrashFacts]) -> CrashFacts {
    var whole = sum
    whole.exception = all.compactMap(\.exception).min()
    whole.options = all.compactMap(\.options).min()
    whole.masked = (all.first?.masked ?? []).filter { name in
      all.allSatisfy { $0.masked.contains(name) }
    }
    whole.observances =
      all.map(\.observances).filter { !$0.isEmpty }.min { $0.lexicographicallyPrecedes($1) } ?? []
    return whole
  }
}

extension AuditReport.NotJudged {
  /// The reasons of all reports, with how many of all inputs each is of.
  fileprivate static func merging(_ reports: [AuditReport], inputCount: Int) -> [Self] {
    struct Key: Hashable {
      var code: RuleCode
      var reason: String
    }
    var places: [Key: Places] = [:]
    for report in reports {
      for rule in report.notJudged {
        let here =
          rule.places
          ?? Places(count: report.inputs.count, paths: report.inputs.map(\.path).sorted())
        let key = Key(code: rule.code, reason: rule.reason)
        let known = places[key] ?? Places(count: 0, paths: [])
        places[key] = Places(
          count: known.count + here.count,
          paths: (known.paths + here.paths).sorted()
        )
      }
    }
    return places.map { key, places in
      Self(
        code: key.code,
        why: key.reason,
        in: places.count == inputCount ? nil : places
      )
    }
    .sorted { ($0.code, $0.reason) < ($1.code, $1.reason) }
  }
}

extension SuppressionOutcome {
  /// What each suppression did in any of the reports.
  ///
  /// One that was used in one report is needed, whatever the others say.
  static func merging(_ outcomes: [SuppressionOutcome]) -> [SuppressionOutcome] {
    Dictionary(grouping: outcomes, by: \.suppression)
      .map { suppression, outcomes in
        let states = Set(outcomes.map(\.state))
        let state =
          [State.expired, .ambiguous, .used, .stale].first(where: states.contains) ?? .unused
        return SuppressionOutcome(
          suppression,
          state: state,
          matchCount: outcomes.reduce(0) { $0 + $1.matchCount }
        )
      }
      .sorted {
        let (left, right) = ($0.suppression, $1.suppression)
        if left.file != right.file || left.line != right.line {
          return (left.file, left.line) < (right.file, right.line)
        }
        return (left.rule.text, left.until, left.reason)
          < (right.rule.text, right.until, right.reason)
      }
  }
}
