package import KVOAudit
import KVORules

extension AuditReport: ReportFields {
  package static var blank: AuditReport { AuditReport() }

  package mutating func pass<Coder: ReportCoder>(_ coder: inout Coder) throws(Coder.Failure) {
    var schema = ReportFile.schema
    try coder.count("schema", &schema)
    try coder.list("inputs", &inputs)
    try coder.list("findings", &findings)
    try coder.list("notJudged", &notJudged)
    try coder.object("summary", &summary)
    try coder.list("unreadable", &failures, or: [])
    try coder.texts("unnamed", &unnamed, or: [])
    try coder.list("crashes", &crashes, or: [])
    try coder.list("suppressions", &suppressions, or: [])
    // A comparison with one report is not valid for another.
    coder.written("baseline", comparison)
    var left = omittedCount > 0 ? omittedCount : nil
    try coder.present("omittedFindings", &left)
    try coder.present("registrations", &registrations)
    var unlisted = unlistedInputs.isEmpty ? nil : unlistedInputs
    try coder.present("unlistedInputs", &unlisted)
    unlistedInputs = unlisted ?? []
    try coder.present("snapshot", &snapshot)
    countTexts()
  }
}

extension AuditReport.Input: ReportFields {
  package static var blank: AuditReport.Input {
    AuditReport.Input(path: "", kind: .jsonLines, eventCount: 0)
  }

  package mutating func pass<Coder: ReportCoder>(_ coder: inout Coder) throws(Coder.Failure) {
    try coder.text("path", &path)
    try coder.word("kind", &kind)
    try coder.count("events", &eventCount)
    try coder.list("damaged", &damaged)
    try coder.count("damagedCount", &damageCount)
    var words = endings.map(\.rawValue)
    try coder.texts("ended", &words, or: [])
    endings = words.compactMap(AuditReport.Ending.init)
    try coder.count("cutAt", &cutAt)
    try coder.present("kept", &keptReason)
    var earlier = earlierEventCount > 0 ? earlierEventCount : nil
    try coder.present("earlierEvents", &earlier)
    earlierEventCount = earlier ?? 0
    try coder.present("sampledOf1024", &sampledShare)
    var ignored = ignoredEventCount > 0 ? ignoredEventCount : nil
    try coder.present("ignoredEvents", &ignored)
    ignoredEventCount = ignored ?? 0
    try coder.lostEvents(&droppedEventCount)
    var reports = kind.isText ? reportCount : nil
    try coder.present("reports", &reports)
    reportCount = reports ?? 0
    try coder.present("origin", &origin)
    // A text with faults is known by them, and a report that is not JSON by its kind.
    var crashed = isCrashWithoutFault && kind != .crash ? true : nil
    try coder.present("crash", &crashed)
    isCrash = crashed ?? (kind == .crash)
    var own = hasOwnReport ? true : nil
    try coder.present("ownReport", &own)
    hasOwnReport = own ?? false
  }
}

extension AuditReport.UnlistedInputs: ReportFields {
  package static var blank: AuditReport.UnlistedInputs {
    AuditReport.UnlistedInputs(kind: .jsonLines, endings: [], count: 0, reportCount: 0)
  }

  package mutating func pass<Coder: ReportCoder>(_ coder: inout Coder) throws(Coder.Failure) {
    try coder.word("kind", &kind)
    var words = endings.map(\.rawValue)
    try coder.texts("ended", &words)
    endings = words.compactMap(AuditReport.Ending.init)
    try coder.count("inputs", &count)
    try coder.count("reports", &reportCount)
    try coder.lostEvents(&droppedEventCount)
  }
}

extension LogOrigin: ReportFields {
  package static var blank: LogOrigin { LogOrigin() }

  package mutating func pass<Coder: ReportCoder>(_ coder: inout Coder) throws(Coder.Failure) {
    try coder.origin(&origin)
    try coder.text("device", &device)
  }
}

extension RegistrationCount: ReportFields {
  package static var blank: RegistrationCount {
    let key = Key(origin: Origin(), subject: "", observer: nil, keyPath: "", location: nil)
    return RegistrationCount(key: key, madeCount: 0, liveCount: 0)
  }

  package mutating func pass<Coder: ReportCoder>(_ coder: inout Coder) throws(Coder.Failure) {
    try coder.origin(&key.origin)
    try coder.text("class", &key.subject)
    try coder.text("keyPath", &key.keyPath)
    try coder.text("observer", &key.observer)
    try coder.text("place", &key.location)
    try coder.count("made", &madeCount)
    try coder.count("live", &liveCount)
  }
}

extension ReportCoder {
  /// How many events a recorder lost; only written if it lost some.
  fileprivate mutating func lostEvents(_ count: inout UInt64) throws(Failure) {
    var lost = count > 0 ? count : nil
    try present("droppedEvents", &lost)
    count = lost ?? 0
  }

  /// The keys of an origin, in the object that has one.
  mutating func origin(_ origin: inout Origin) throws(Failure) {
    try text("version", &origin.version)
    try text("os", &origin.system)
    try text("day", &origin.day)
  }
}

extension LogDamage: ReportFields {
  package static var blank: LogDamage {
    LogDamage(location: .bytes(offset: 0, byteCount: 0), message: "", number: 0)
  }

  package mutating func pass<Coder: ReportCoder>(_ coder: inout Coder) throws(Coder.Failure) {
    var text: (line: Int?, column: Int?)
    var bytes: (offset: Int?, byteCount: Int?)
    switch location {
    case .text(let line, let column): text = (line, column)
    case .bytes(let offset, let byteCount): bytes = (offset, byteCount)
    }
    try coder.count("line", &text.line)
    try coder.count("column", &text.column)
    try coder.text("message", &message)
    try coder.count("offset", &bytes.offset)
    try coder.count("byteCount", &bytes.byteCount)
    try coder.text("path", &path)
    if let line = text.line {
      location = .text(line: line, column: text.column ?? 1)
      number = line
    } else {
      location = .bytes(offset: bytes.offset ?? 0, byteCount: bytes.byteCount ?? 0)
    }
  }
}

extension InputFailure: ReportFields {
  package static var blank: InputFailure { InputFailure(input: "", reason: "") }

  package mutating func pass<Coder: ReportCoder>(_ coder: inout Coder) throws(Coder.Failure) {
    try coder.text("path", &input)
    try coder.count("line", &line)
    try coder.count("column", &column)
    try coder.text("message", &reason)
  }
}

extension AuditReport.NotJudged: ReportFields {
  package static var blank: AuditReport.NotJudged {
    AuditReport.NotJudged(code: .allCases[0], why: "")
  }

  package mutating func pass<Coder: ReportCoder>(_ coder: inout Coder) throws(Coder.Failure) {
    try coder.word("code", &code)
    var sentence = why
    try coder.text("why", &sentence)
    var alone: String? = reason
    try coder.text("reason", &alone)
    // Earlier versions had one reason, of all inputs.
    reason = alone ?? sentence
    var count = affectedInputs?.count
    try coder.count("inputs", &count)
    var paths = affectedInputs?.paths ?? []
    try coder.texts("paths", &paths, or: [])
    affectedInputs = count.map { AffectedInputs(count: $0, paths: paths) }
  }
}

extension AuditReport.Summary: ReportFields {
  package static var blank: AuditReport.Summary { AuditReport.Summary() }

  package mutating func pass<Coder: ReportCoder>(_ coder: inout Coder) throws(Coder.Failure) {
    try coder.count("events", &eventCount)
    try coder.count("errors", &errorCount)
    try coder.count("warnings", &warningCount)
    try coder.count("liveRegistrations", &liveRegistrationCount)
    try coder.number("droppedEvents", &droppedEventCount)
    try coder.count("notes", &noteCount, or: 0)
    try coder.count("processes", &processCount, or: 0)
    try coder.count("suppressed", &suppressedCount, or: 0)
    try coder.count("libraries", &libraryCount, or: 0)
  }
}

extension BaselineComparison: ReportFields {
  package static var blank: BaselineComparison {
    BaselineComparison(path: "", countsNewOnly: false)
  }

  package mutating func pass<Coder: ReportCoder>(_ coder: inout Coder) throws(Coder.Failure) {
    try coder.text("path", &path)
    try coder.count("new", &newCount)
    try coder.count("moved", &movedCount)
    try coder.count("unchanged", &unchangedCount)
    try coder.list("fixed", &fixed)
    try coder.list("notJudged", &unjudged)
  }
}

extension SuppressionOutcome: ReportFields {
  package static var blank: SuppressionOutcome {
    SuppressionOutcome(
      Suppression(
        file: "",
        line: 0,
        rule: GlobPattern("*"),
        until: CalendarDay(secondsSince1970: 0),
        reason: ""
      ),
      state: .used,
      matchCount: 0
    )
  }

  package mutating func pass<Coder: ReportCoder>(_ coder: inout Coder) throws(Coder.Failure) {
    try coder.text("file", &suppression.file)
    try coder.count("line", &suppression.line)
    try coder.word("state", &state)
    coder.written("severity", severity?.rawValue)
    try coder.count("findings", &matchCount)
    var rule: String? = suppression.rule.text
    try coder.text("rule", &rule)
    suppression.rule = GlobPattern(rule ?? "*")
    try coder.pattern("class", &suppression.className)
    try coder.pattern("path", &suppression.keyPath)
    try coder.pattern("frame", &suppression.frame)
    var signature = suppression.signature?.text
    try coder.text("signature", &signature)
    suppression.signature = signature.map { SignaturePattern($0) }
    var until = suppression.until.description
    try coder.text("until", &until)
    if let day = CalendarDay(until) {
      suppression.until = day
    } else {
      try coder.refuse("until", "\"\(until)\" is not a day")
    }
    try coder.text("reason", &suppression.reason)
  }
}

extension ReportCoder {
  fileprivate mutating func pattern(
    _ key: String,
    _ value: inout GlobPattern?
  ) throws(Failure) {
    var text = value?.text
    try self.text(key, &text)
    value = text.map { GlobPattern($0) }
  }
}
