private import KVORules
private import KVOTraceJSON

// The keys are those of ``JSONReportRenderer``. What earlier versions did not write may be missing.

extension AuditReport: Decodable {
  private enum Key: CodingKey {
    case inputs, findings, notJudged, summary, unreadable, unnamed, crashes, suppressions
  }

  package init(from decoder: any Decoder) throws {
    let keys = try decoder.container(keyedBy: Key.self)
    self.init(
      inputs: try keys.decode([Input].self, forKey: .inputs),
      failures: try keys.decodeIfPresent([InputFailure].self, forKey: .unreadable) ?? [],
      findings: try keys.decode([Finding].self, forKey: .findings),
      notJudged: try keys.decode([NotJudged].self, forKey: .notJudged),
      summary: try keys.decode(Summary.self, forKey: .summary)
    )
    unnamed = try keys.decodeIfPresent([String].self, forKey: .unnamed) ?? []
    crashes = try keys.decodeIfPresent([RecordedCrash].self, forKey: .crashes) ?? []
    suppressions = try keys.decodeIfPresent([SuppressionOutcome].self, forKey: .suppressions) ?? []
    // Of all that the summary counts, this alone stands in the inputs and not in it.
    summary.textCount = inputs.count { $0.kind.isText }
    summary.reportCount = inputs.reduce(0) { $0 + $1.reportCount }
  }
}

extension AuditReport.Input: Decodable {
  private enum Key: CodingKey {
    case path, kind, events, damaged, damagedCount, reports, ended, cutAt, ignoredEvents
  }

  package init(from decoder: any Decoder) throws {
    let keys = try decoder.container(keyedBy: Key.self)
    self.init(
      path: try keys.decode(String.self, forKey: .path),
      kind: try keys.decodeCase(InputKind.self, forKey: .kind),
      eventCount: try keys.decodeCount(forKey: .events),
      reportCount: try keys.decodeCountIfPresent(forKey: .reports) ?? 0,
      damaged: try keys.decode([DamagedPlace].self, forKey: .damaged),
      damageCount: try keys.decodeCount(forKey: .damagedCount)
    )
    // Reports of earlier versions have none of these.
    let words = try keys.decodeIfPresent([String].self, forKey: .ended) ?? []
    endings = words.compactMap(AuditReport.Ending.init)
    cutAt = try keys.decodeCountIfPresent(forKey: .cutAt)
    ignoredEventCount = try keys.decodeCountIfPresent(forKey: .ignoredEvents) ?? 0
    isCrash = kind == .crash
  }
}

extension DamagedPlace: Decodable {
  private enum Key: CodingKey { case line, column, message, offset, byteCount, path }

  package init(from decoder: any Decoder) throws {
    let keys = try decoder.container(keyedBy: Key.self)
    let line = try keys.decodeCountIfPresent(forKey: .line)
    let location: Location =
      if let line {
        .text(line: line, column: try keys.decodeCountIfPresent(forKey: .column) ?? 1)
      } else {
        .bytes(
          offset: try keys.decodeCountIfPresent(forKey: .offset) ?? 0,
          byteCount: try keys.decodeCountIfPresent(forKey: .byteCount) ?? 0
        )
      }
    self.init(
      location: location,
      path: try keys.decodeIfPresent(String.self, forKey: .path),
      message: try keys.decode(String.self, forKey: .message),
      number: line ?? 0
    )
  }
}

extension InputFailure: Decodable {
  private enum Key: CodingKey { case path, line, column, message }

  package init(from decoder: any Decoder) throws {
    let keys = try decoder.container(keyedBy: Key.self)
    self.init(
      input: try keys.decode(String.self, forKey: .path),
      line: try keys.decodeCountIfPresent(forKey: .line),
      column: try keys.decodeCountIfPresent(forKey: .column),
      reason: try keys.decode(String.self, forKey: .message)
    )
  }
}

extension AuditReport.NotJudged: Decodable {
  private enum Key: CodingKey { case code, why, reason, inputs, paths }

  package init(from decoder: any Decoder) throws {
    let keys = try decoder.container(keyedBy: Key.self)
    let count = try keys.decodeCountIfPresent(forKey: .inputs)
    let paths = try keys.decodeIfPresent([String].self, forKey: .paths)
    let reason = try keys.decodeIfPresent(String.self, forKey: .reason)
    self.init(
      code: try keys.decodeCase(RuleCode.self, forKey: .code),
      why: try reason ?? keys.decode(String.self, forKey: .why),
      in: count.map { Places(count: $0, paths: paths ?? []) }
    )
  }
}

extension AuditReport.Summary: Decodable {
  private enum Key: CodingKey {
    case events, errors, warnings, notes, liveRegistrations, droppedEvents, processes, suppressed
    case libraries
  }

  package init(from decoder: any Decoder) throws {
    let keys = try decoder.container(keyedBy: Key.self)
    self.init()
    eventCount = try keys.decodeCount(forKey: .events)
    errorCount = try keys.decodeCount(forKey: .errors)
    warningCount = try keys.decodeCount(forKey: .warnings)
    noteCount = try keys.decodeCountIfPresent(forKey: .notes) ?? 0
    liveRegistrationCount = try keys.decodeCount(forKey: .liveRegistrations)
    droppedEventCount = try keys.decode(UInt64.self, forKey: .droppedEvents)
    processCount = try keys.decodeCountIfPresent(forKey: .processes) ?? 0
    suppressedCount = try keys.decodeCountIfPresent(forKey: .suppressed) ?? 0
    libraryCount = try keys.decodeCountIfPresent(forKey: .libraries) ?? 0
  }
}

extension SuppressionOutcome: Decodable {
  private enum Key: String, CodingKey {
    case file, line, state, findings, rule, path, frame, signature, until, reason
    case className = "class"
  }

  package init(from decoder: any Decoder) throws {
    let keys = try decoder.container(keyedBy: Key.self)
    func pattern(_ key: Key) throws -> GlobPattern? {
      try keys.decodeIfPresent(String.self, forKey: key).map { GlobPattern($0) }
    }
    let until = try keys.decode(String.self, forKey: .until)
    guard let day = CalendarDay(until) else {
      throw DecodingError.dataCorruptedError(
        forKey: .until,
        in: keys,
        debugDescription: "\"\(until)\" is no day"
      )
    }
    self.init(
      Suppression(
        file: try keys.decode(String.self, forKey: .file),
        line: try keys.decodeCount(forKey: .line),
        rule: try pattern(.rule) ?? GlobPattern("*"),
        className: try pattern(.className),
        keyPath: try pattern(.path),
        frame: try pattern(.frame),
        signature: try keys.decodeIfPresent(String.self, forKey: .signature)
          .map { SignaturePattern($0) },
        until: day,
        reason: try keys.decode(String.self, forKey: .reason)
      ),
      state: try keys.decodeCase(State.self, forKey: .state),
      matchCount: try keys.decodeCount(forKey: .findings)
    )
  }
}

extension KeyedDecodingContainer {
  /// A number of things: none below zero, and small enough that those of many reports can be added.
  func decodeCount(forKey key: Key) throws -> Int {
    try checked(try decode(Int.self, forKey: key), forKey: key)
  }

  /// The same; nil where the report does not say.
  func decodeCountIfPresent(forKey key: Key) throws -> Int? {
    try decodeIfPresent(Int.self, forKey: key).map { try checked($0, forKey: key) }
  }

  /// Numbers of things by name.
  func decodeCounts(forKey key: Key) throws -> [String: Int] {
    try decode([String: Int].self, forKey: key).mapValues { try checked($0, forKey: key) }
  }

  private func checked(_ count: Int, forKey key: Key) throws -> Int {
    let limit = 1 << 48
    if (0...limit).contains(count) { return count }
    throw DecodingError.dataCorruptedError(
      forKey: key,
      in: self,
      debugDescription: "\(count) is no number of things; it must be one from 0 to \(limit)"
    )
  }

  /// The case whose raw value stands for `key`.
  func decodeCase<Case>(
    _ type: Case.Type,
    forKey key: Key
  ) throws -> Case where Case: RawRepresentable & CaseIterable, Case.RawValue == String {
    let text = try decode(String.self, forKey: key)
    if let value = Case(rawValue: text) { return value }
    let known = Case.allCases.prefix(8).map { "\"\($0.rawValue)\"" }.joined(separator: ", ")
    throw DecodingError.dataCorruptedError(
      forKey: key,
      in: self,
      debugDescription: "\"\(text)\" is not known here; known are \(known)"
        + (Case.allCases.count > 8 ? ", …" : "")
    )
  }
}
