package import KVOFindings
package import KVORules

extension Finding: ReportFields {
  package static var blank: Finding {
    Finding(
      code: .allCases[0],
      severity: .note,
      profile: .allCases[0],
      consequence: .allCases[0],
      message: "",
      hint: ""
    )
  }

  package mutating func pass<Coder: ReportCoder>(_ coder: inout Coder) throws(Coder.Failure) {
    try coder.word("code", &code)
    coder.written("slug", code.slug)
    try coder.word("severity", &severity)
    try coder.word("profile", &profile)
    try coder.text("message", &message)
    try coder.object("subject", &subject)
    try coder.object("observer", &observer)
    try coder.text("keyPath", &keyPath)
    try coder.text("context", &context)
    try coder.count("count", &count)
    try coder.numbers("events", &events)
    try coder.text("signature", &signature)
    try coder.list("lines", &lines, or: [])
    try coder.word("consequence", &consequence)
    try coder.word("confidence", &confidence)
    try coder.flag("expected", &isExpected)
    try coder.list("stacks", &stacks)
    try coder.list("cycle", &cycle)
    try coder.text("hint", &hint)
    try coder.flag("suppressed", &isSuppressed)
    try coder.list("consequences", &consequences)
    try coder.count("input", &input, or: 0)
    try coder.flag("historyLost", &isHistoryLost, or: false)
    try coder.flag("library", &isLibrary, or: false)
    try coder.count("processes", &processCount, or: 1)
    try coder.count("runs", &runCount, or: 1)
    try coder.object("suppression", &suppression)
    // How it compares with a baseline is a matter of that comparison.
    coder.written("baseline", baseline?.name)
    try coder.present("crash", &crashFacts)
    var seen = sightings.isEmpty ? nil : sightings
    try coder.present("sightings", &seen)
    sightings = seen ?? []
  }
}

extension Finding.Object: ReportFields {
  package static var blank: Finding.Object { Finding.Object(className: "", id: "") }

  package mutating func pass<Coder: ReportCoder>(_ coder: inout Coder) throws(Coder.Failure) {
    try coder.text("class", &className)
    try coder.text("id", &id)
  }

  /// The object that `text` spells as `Account#12`.
  fileprivate init(_ text: String) {
    guard let mark = text.lastIndex(of: "#") else {
      self.init(className: text, id: "")
      return
    }
    self.init(className: String(text[..<mark]), id: String(text[text.index(after: mark)...]))
  }
}

extension Finding.Line: ReportFields {
  package static var blank: Finding.Line {
    Finding.Line(location: nil, signature: "", version1: nil)
  }

  package mutating func pass<Coder: ReportCoder>(_ coder: inout Coder) throws(Coder.Failure) {
    try coder.text("place", &location)
    try coder.text("signature", &signature)
    try coder.text("version1", &version1)
  }
}

extension Finding.Stack: ReportFields {
  package static var blank: Finding.Stack { Finding.Stack(role: .failed, event: 0) }

  package mutating func pass<Coder: ReportCoder>(_ coder: inout Coder) throws(Coder.Failure) {
    try coder.word("role", &role)
    try coder.text("thread", &thread)
    try coder.list("frames", &frames)
    try coder.text("threadName", &threadName)
    // If a running process does not number its events, there is no number to write.
    var number = event == 0 ? nil : event
    try coder.count("event", &number)
    event = number ?? 0
    try coder.text("site", &site)
    try coder.text("function", &function)
  }
}

extension Finding.StackFrame: ReportFields {
  package static var blank: Finding.StackFrame { Finding.StackFrame() }

  package mutating func pass<Coder: ReportCoder>(_ coder: inout Coder) throws(Coder.Failure) {
    try coder.address("address", &address)
    try coder.text("symbol", &symbol)
    try coder.text("module", &module)
    try coder.text("file", &file)
    var number = line == 0 ? nil : line
    try coder.count("line", &number)
    line = number ?? 0
    try coder.flag("inlined", &isInlined)
    try coder.flag("own", &isFirstOwn, or: false)
  }
}

extension Finding.Edge: ReportFields {
  package static var blank: Finding.Edge {
    Finding.Edge(from: .blank, label: "", to: .blank, strength: "", certainty: "")
  }

  package mutating func pass<Coder: ReportCoder>(_ coder: inout Coder) throws(Coder.Failure) {
    var ends = (from: from.description, to: to.description)
    try coder.text("from", &ends.from)
    try coder.text("label", &label)
    try coder.text("to", &ends.to)
    (from, to) = (Finding.Object(ends.from), Finding.Object(ends.to))
    try coder.text("strength", &strength)
    try coder.text("certainty", &certainty)
    try coder.flag("shouldBeWeak", &shouldBeWeak, or: false)
  }
}

extension Finding.Sighting: ReportFields {
  package static var blank: Finding.Sighting {
    Finding.Sighting(origin: Origin(), count: 0, processCount: 0, runCount: 0)
  }

  package mutating func pass<Coder: ReportCoder>(_ coder: inout Coder) throws(Coder.Failure) {
    try coder.origin(&origin)
    try coder.count("count", &count)
    try coder.count("processes", &processCount)
    try coder.count("runs", &runCount)
  }
}

extension SuppressionNote: ReportFields {
  package static var blank: SuppressionNote { SuppressionNote(reason: "", until: "", location: "") }

  package mutating func pass<Coder: ReportCoder>(_ coder: inout Coder) throws(Coder.Failure) {
    try coder.text("reason", &reason)
    try coder.text("until", &until)
    try coder.text("place", &location)
  }
}

extension CrashFacts: ReportFields {
  package static var blank: CrashFacts { CrashFacts() }

  package mutating func pass<Coder: ReportCoder>(_ coder: inout Coder) throws(Coder.Failure) {
    try coder.text("exception", &exception)
    try coder.text("options", &options)
    try coder.texts("observances", &observances)
    try coder.texts("masked", &masked, or: [])
    try coder.count("reports", &reportCount)
    try coder.counts("processes", &processes)
    try coder.counts("versions", &versions)
    try coder.counts("systems", &systems)
    try coder.text("firstSeen", &firstSeen)
    try coder.text("lastSeen", &lastSeen)
  }
}

extension RecordedCrash: ReportFields {
  package static var blank: RecordedCrash {
    RecordedCrash(name: "", reason: nil, liveCount: nil, stack: .blank)
  }

  package mutating func pass<Coder: ReportCoder>(_ coder: inout Coder) throws(Coder.Failure) {
    try coder.count("input", &input)
    try coder.text("name", &name)
    try coder.text("reason", &reason)
    try coder.count("liveRegistrations", &liveCount)
    try coder.object("stack", &stack)
    try coder.present("findings", &findingCount)
  }
}
