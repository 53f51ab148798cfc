import KVORules

extension JSONText {
  mutating func write(_ finding: Finding) {
    object { text in
      text.writeHead(of: finding)
      text.key("stacks")
      text.list(finding.stacks) { $0.write($1) }
      text.key("cycle")
      text.list(finding.cycle) { $0.write($1) }
      text.key("hint")
      text.value(finding.hint)
      text.key("suppressed")
      text.value(finding.isSuppressed)
      text.key("consequences")
      text.list(finding.consequences) { $0.write($1) }
      text.key("input")
      text.value(finding.input)
      text.key("historyLost")
      text.value(finding.isHistoryLost)
      text.key("library")
      text.value(finding.isLibrary)
      text.key("processes")
      text.value(finding.processCount)
      text.key("runs")
      text.value(finding.runCount)
      text.key("suppression")
      text.write(finding.suppression)
      text.key("baseline")
      text.value(finding.baseline?.name)
      if let facts = finding.crashFacts {
        text.key("crash")
        text.write(facts)
      }
    }
  }

  private mutating func writeHead(of finding: Finding) {
    key("code")
    value(finding.code.rawValue)
    key("slug")
    value(finding.code.slug)
    key("severity")
    value(finding.severity.rawValue)
    key("profile")
    value(finding.profile.rawValue)
    key("message")
    value(finding.message)
    key("subject")
    write(finding.subject)
    key("observer")
    write(finding.observer)
    key("keyPath")
    value(finding.keyPath)
    key("context")
    value(finding.context)
    key("count")
    value(finding.count)
    key("events")
    numbers(finding.events)
    key("signature")
    value(finding.signature)
    key("lines")
    list(finding.lines) { $0.write($1) }
    key("consequence")
    value(finding.consequence.rawValue)
    key("confidence")
    value(finding.confidence.rawValue)
    key("expected")
    value(finding.isExpected)
  }

  private mutating func write(_ line: Finding.Line) {
    object { text in
      text.key("place")
      text.value(line.place)
      text.key("signature")
      text.value(line.signature)
      text.key("version1")
      text.value(line.version1)
    }
  }

  private mutating func write(_ note: SuppressionNote?) {
    guard let note else { return null() }
    object { text in
      text.key("reason")
      text.value(note.reason)
      text.key("until")
      text.value(note.until)
      text.key("place")
      text.value(note.place)
    }
  }

  private mutating func write(_ facts: CrashFacts) {
    object { text in
      text.key("exception")
      text.value(facts.exception)
      text.key("options")
      text.value(facts.options)
      text.key("observances")
      text.list(facts.observances) { $0.value($1) }
      text.key("masked")
      text.list(facts.masked) { $0.value($1) }
      text.key("reports")
      text.value(facts.reportCount)
      text.key("processes")
      text.write(facts.processes)
      text.key("versions")
      text.write(facts.versions)
      text.key("systems")
      text.write(facts.systems)
      text.key("firstSeen")
      text.value(facts.firstSeen)
      text.key("lastSeen")
      text.value(facts.lastSeen)
    }
  }

  private mutating func write(_ counts: [String: Int]) {
    let names = counts.keys.sorted { (counts[$1] ?? 0, $0) < (counts[$0] ?? 0, $1) }
    object { text in
      for name in names {
        text.key(name)
        text.value(counts[name])
      }
    }
  }

  private mutating func write(_ reference: Finding.Object?) {
    guard let reference else { return null() }
    object { text in
      text.key("class")
      text.value(reference.className)
      text.key("id")
      text.value(reference.id)
    }
  }

  mutating func write(_ crash: RecordedCrash) {
    object { text in
      text.key("input")
      text.value(crash.input)
      text.key("name")
      text.value(crash.name)
      text.key("reason")
      text.value(crash.reason)
      text.key("liveRegistrations")
      text.value(crash.liveCount)
      text.key("stack")
      text.write(crash.stack)
    }
  }

  mutating func write(_ stack: Finding.Stack) {
    object { text in
      text.key("role")
      text.value(stack.role.rawValue)
      text.key("thread")
      text.value(stack.thread)
      text.key("frames")
      text.list(stack.frames) { $0.write($1) }
      text.key("threadName")
      text.value(stack.threadName)
      text.key("event")
      // Where a running process does not number its events, there is no number to say.
      text.value(stack.event == 0 ? nil : stack.event)
      text.key("site")
      text.value(stack.site)
      text.key("function")
      text.value(stack.function)
    }
  }

  private mutating func write(_ frame: Finding.StackFrame) {
    object { text in
      text.key("address")
      text.address(frame.address)
      text.key("symbol")
      text.value(frame.symbol)
      text.key("module")
      text.value(frame.module)
      text.key("file")
      text.value(frame.file)
      text.key("line")
      text.value(frame.line == 0 ? nil : frame.line)
      text.key("inlined")
      text.value(frame.isInlined)
      text.key("own")
      text.value(frame.isFirstOwn)
    }
  }

  private mutating func write(_ edge: Finding.Edge) {
    object { text in
      text.key("from")
      text.value(edge.from.description)
      text.key("label")
      text.value(edge.label)
      text.key("to")
      text.value(edge.to.description)
      text.key("strength")
      text.value(edge.strength)
      text.key("certainty")
      text.value(edge.certainty)
      text.key("shouldBeWeak")
      text.value(edge.shouldBeWeak)
    }
  }
}
