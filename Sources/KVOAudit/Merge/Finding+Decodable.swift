package import KVORules

// The keys are those of ``JSONReportRenderer``. What earlier versions did not write may be missing.

extension Finding: Decodable {
  private enum Key: CodingKey {
    case code, severity, profile, message, subject, observer, keyPath, context, count, events
    case signature, consequence, confidence, expected, stacks, cycle, hint, suppressed
    case lines, consequences, input, historyLost, library, processes, runs, suppression, baseline,
      crash
  }

  package init(from decoder: any Decoder) throws {
    let keys = try decoder.container(keyedBy: Key.self)
    self.init(
      code: try keys.decodeCase(RuleCode.self, forKey: .code),
      severity: try keys.decodeCase(Severity.self, forKey: .severity),
      profile: try keys.decodeCase(Profile.self, forKey: .profile),
      consequence: try keys.decodeCase(Consequence.self, forKey: .consequence),
      confidence: try keys.decodeCase(Confidence.self, forKey: .confidence),
      message: try keys.decode(String.self, forKey: .message),
      subject: try keys.decodeIfPresent(Object.self, forKey: .subject),
      observer: try keys.decodeIfPresent(Object.self, forKey: .observer),
      keyPath: try keys.decodeIfPresent(String.self, forKey: .keyPath),
      context: try keys.decodeIfPresent(String.self, forKey: .context),
      count: try keys.decodeCount(forKey: .count),
      events: try keys.decode([Int].self, forKey: .events),
      input: try keys.decodeCountIfPresent(forKey: .input) ?? 0,
      stacks: try keys.decode([Stack].self, forKey: .stacks),
      isHistoryLost: try keys.decodeIfPresent(Bool.self, forKey: .historyLost) ?? false,
      cycle: try keys.decode([Edge].self, forKey: .cycle),
      hint: try keys.decode(String.self, forKey: .hint),
      signature: try keys.decode(String.self, forKey: .signature),
      isExpected: try keys.decode(Bool.self, forKey: .expected),
      isSuppressed: try keys.decode(Bool.self, forKey: .suppressed),
      consequences: try keys.decode([Finding].self, forKey: .consequences),
      crashFacts: try keys.decodeIfPresent(CrashFacts.self, forKey: .crash)
    )
    lines = try keys.decodeIfPresent([Line].self, forKey: .lines) ?? []
    isLibrary = try keys.decodeIfPresent(Bool.self, forKey: .library) ?? false
    processCount = try keys.decodeCountIfPresent(forKey: .processes) ?? 1
    runCount = try keys.decodeCountIfPresent(forKey: .runs) ?? 1
    suppression = try keys.decodeIfPresent(SuppressionNote.self, forKey: .suppression)
    // What it was beside a baseline is a matter of that comparison.
  }
}

extension Finding.Object: Decodable {
  private enum Key: String, CodingKey {
    case className = "class"
    case id
  }

  package init(from decoder: any Decoder) throws {
    let keys = try decoder.container(keyedBy: Key.self)
    self.init(
      className: try keys.decode(String.self, forKey: .className),
      id: try keys.decode(String.self, forKey: .id)
    )
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

extension Finding.Line: Decodable {
  private enum Key: CodingKey { case place, signature, version1 }

  package init(from decoder: any Decoder) throws {
    let keys = try decoder.container(keyedBy: Key.self)
    self.init(
      place: try keys.decodeIfPresent(String.self, forKey: .place),
      signature: try keys.decode(String.self, forKey: .signature),
      version1: try keys.decodeIfPresent(String.self, forKey: .version1)
    )
  }
}

extension Finding.Stack: Decodable {
  private enum Key: CodingKey { case role, thread, frames, threadName, event, site, function }

  package init(from decoder: any Decoder) throws {
    let keys = try decoder.container(keyedBy: Key.self)
    self.init(
      role: try keys.decodeCase(Evidence.Role.self, forKey: .role),
      thread: try keys.decodeIfPresent(String.self, forKey: .thread),
      threadName: try keys.decodeIfPresent(String.self, forKey: .threadName),
      event: try keys.decodeCountIfPresent(forKey: .event) ?? 0,
      site: try keys.decodeIfPresent(String.self, forKey: .site),
      function: try keys.decodeIfPresent(String.self, forKey: .function),
      frames: try keys.decode([Finding.StackFrame].self, forKey: .frames)
    )
  }
}

extension Finding.StackFrame: Decodable {
  private enum Key: CodingKey { case address, symbol, module, file, line, inlined, own }

  package init(from decoder: any Decoder) throws {
    let keys = try decoder.container(keyedBy: Key.self)
    let address = try keys.decodeIfPresent(String.self, forKey: .address)
    self.init(
      address: address.flatMap { UInt64($0.dropFirst(2), radix: 16) },
      symbol: try keys.decodeIfPresent(String.self, forKey: .symbol),
      module: try keys.decodeIfPresent(String.self, forKey: .module),
      file: try keys.decodeIfPresent(String.self, forKey: .file),
      line: try keys.decodeCountIfPresent(forKey: .line) ?? 0,
      isInlined: try keys.decode(Bool.self, forKey: .inlined),
      isFirstOwn: try keys.decodeIfPresent(Bool.self, forKey: .own) ?? false
    )
  }
}

extension Finding.Edge: Decodable {
  private enum Key: CodingKey { case from, label, to, strength, certainty, shouldBeWeak }

  package init(from decoder: any Decoder) throws {
    let keys = try decoder.container(keyedBy: Key.self)
    self.init(
      from: Finding.Object(try keys.decode(String.self, forKey: .from)),
      label: try keys.decode(String.self, forKey: .label),
      to: Finding.Object(try keys.decode(String.self, forKey: .to)),
      strength: try keys.decode(String.self, forKey: .strength),
      certainty: try keys.decode(String.self, forKey: .certainty),
      shouldBeWeak: try keys.decodeIfPresent(Bool.self, forKey: .shouldBeWeak) ?? false
    )
  }
}

extension SuppressionNote: Decodable {
  private enum Key: CodingKey { case reason, until, place }

  package init(from decoder: any Decoder) throws {
    let keys = try decoder.container(keyedBy: Key.self)
    self.init(
      reason: try keys.decode(String.self, forKey: .reason),
      until: try keys.decode(String.self, forKey: .until),
      place: try keys.decode(String.self, forKey: .place)
    )
  }
}

extension CrashFacts: Decodable {
  private enum Key: CodingKey {
    case exception, options, observances, masked, reports, processes, versions, systems, firstSeen,
      lastSeen
  }

  package init(from decoder: any Decoder) throws {
    let keys = try decoder.container(keyedBy: Key.self)
    self.init(
      exception: try keys.decodeIfPresent(String.self, forKey: .exception),
      options: try keys.decodeIfPresent(String.self, forKey: .options),
      observances: try keys.decode([String].self, forKey: .observances),
      masked: try keys.decodeIfPresent([String].self, forKey: .masked) ?? [],
      reportCount: try keys.decodeCount(forKey: .reports)
    )
    processes = try keys.decodeCounts(forKey: .processes)
    versions = try keys.decodeCounts(forKey: .versions)
    systems = try keys.decodeCounts(forKey: .systems)
    firstSeen = try keys.decodeIfPresent(String.self, forKey: .firstSeen)
    lastSeen = try keys.decodeIfPresent(String.self, forKey: .lastSeen)
  }
}

extension RecordedCrash: Decodable {
  private enum Key: CodingKey { case input, name, reason, liveRegistrations, stack }

  package init(from decoder: any Decoder) throws {
    let keys = try decoder.container(keyedBy: Key.self)
    self.init(
      name: try keys.decode(String.self, forKey: .name),
      reason: try keys.decodeIfPresent(String.self, forKey: .reason),
      liveCount: try keys.decodeCountIfPresent(forKey: .liveRegistrations),
      stack: try keys.decode(Finding.Stack.self, forKey: .stack),
      input: try keys.decodeCount(forKey: .input)
    )
  }
}
