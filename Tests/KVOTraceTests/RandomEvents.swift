import KVOTrace
import TestSupport

/// Makes events of every kind with awkward names, and the names that go with them.
struct RandomEvents {
  var random: SplitMix64
  var names = TraceNames()

  init(seed: UInt64) { random = SplitMix64(seed: seed) }

  private static let texts = [
    "Account", "balance", "owner.name", "a\"b", "back\\slash", "tab\there", "line\nend",
    "bell\u{7}",
    "grün", "日本語", "👩‍👩‍👧", "nul\u{0}", "\u{2028}", "{\"event\":\"exit\"}", " ", "0", "-1", "007",
    "18446744073709551616", "true", "null", "del\u{7f}", "(x:1)",
  ]

  static let bodyCount = Event.Body.names.count

  mutating func event(kind: Int) -> Event {
    Event(
      body(kind: kind),
      time: maybe { $0.random.next() },
      thread: maybe { $0.identifier() },
      order: maybe { $0.random.next() >> 3 },
      stack: stack(),
      scope: maybe { $0.identifier() }
    )
  }

  private mutating func maybe<Value>(_ make: (inout RandomEvents) -> Value) -> Value? {
    Bool.random(using: &random) ? make(&self) : nil
  }

  private mutating func spelling() -> String { Self.texts.randomElement(using: &random) ?? "x" }

  private mutating func text() -> StringID { names.id(of: spelling()) }

  private mutating func optionalText() -> StringID { maybe { $0.text() } ?? .none }

  private mutating func identifier<Tag>() -> Identifier<Tag> {
    Bool.random(using: &random)
      ? Identifier(random.next() >> UInt64.random(in: 2...63, using: &random))
      : names.identifier(spelling())
  }

  private mutating func choice<Choice: CaseIterable>(_ fallback: Choice) -> Choice {
    Choice.allCases.randomElement(using: &random) ?? fallback
  }

  private mutating func object() -> ObjectRef {
    ObjectRef(id: identifier(), className: text(), kind: choice(.object))
  }

  private mutating func stack() -> StackID {
    let frames = (0..<Int.random(in: 0...3, using: &random)).map { _ in
      Bool.random(using: &random)
        ? Frame(address: random.next())
        : Frame(
          address: maybe { $0.random.next() } ?? 0,
          symbol: optionalText(),
          module: optionalText(),
          file: optionalText(),
          line: maybe { UInt32(truncatingIfNeeded: $0.random.next()) } ?? 0
        )
    }
    return names.id(of: frames)
  }

  private mutating func context() -> Context {
    [.unspecified, .null, .named(names.id(of: "0x7f00"))].randomElement(using: &random) ?? .null
  }

  private mutating func registration() -> Registration {
    Registration(
      id: maybe { $0.identifier() },
      subject: object(),
      observer: maybe { $0.object() },
      keyPath: text(),
      context: context(),
      options: Registration.Options(rawValue: UInt8.random(in: 0...15, using: &random)),
      form: choice(.classic),
      token: maybe { $0.object() },
      site: optionalText(),
      executor: optionalText(),
      expectedToLive: optionalText()
    )
  }

  private mutating func removal() -> Removal {
    Removal(
      subject: object(),
      observer: maybe { $0.object() },
      keyPath: text(),
      context: context(),
      registration: maybe { $0.identifier() },
      isUnmatched: Bool.random(using: &random),
      site: optionalText()
    )
  }

  private mutating func change() -> Change {
    Change(subject: object(), key: text(), id: maybe { $0.identifier() }, kind: choice(.setting))
  }

  private mutating func delivery() -> Delivery {
    Delivery(
      registration: identifier(),
      change: maybe { $0.identifier() },
      phase: choice(.after),
      executor: optionalText(),
      isHandled: maybe { Bool.random(using: &$0.random) },
      exception: optionalText()
    )
  }

  private mutating func attachment() -> Attachment {
    Attachment(
      registration: identifier(),
      depth: Int.random(in: 0...9, using: &random),
      key: text(),
      object: object(),
      strength: choice(.strong)
    )
  }

  private mutating func reference() -> Reference {
    let (from, to) = (object(), object())
    return Reference(
      from: from,
      to: to,
      label: optionalText(),
      strength: choice(.strong),
      certainty: choice(.proven),
      site: optionalText(),
      unsaidKinds: unsaidKinds(of: [from, to])
    )
  }

  /// Ends of a reference that a line may leave the kind out of.
  private mutating func unsaidKinds(of ends: [ObjectRef]) -> Reference.Ends {
    var unsaid: Reference.Ends = []
    for (end, bit) in zip(ends, [Reference.Ends.from, .to])
    where end.kind == .object && Bool.random(using: &random) {
      unsaid.insert(bit)
    }
    return unsaid
  }

  private mutating func consumer() -> Consumer {
    Consumer(
      id: identifier(),
      form: choice(.loop),
      awaited: optionalText(),
      site: optionalText(),
      registration: maybe { $0.identifier() },
      task: optionalText(),
      priority: maybe { Int.random(in: 0...255, using: &$0.random) },
      expectedToLive: optionalText(),
      since: maybe { $0.random.next() },
      isOrphaned: Bool.random(using: &random),
      isLeft: Bool.random(using: &random)
    )
  }

  private mutating func process() -> ProcessInfo {
    ProcessInfo(
      pid: maybe { Int.random(in: 1...99999, using: &$0.random) },
      executable: maybe { $0.spelling() },
      runtime: maybe { $0.choice(.swift) },
      os: maybe { $0.spelling() },
      started: maybe { $0.spelling() },
      isComplete: Bool.random(using: &random),
      saysScopes: Bool.random(using: &random),
      omitsNotifications: Bool.random(using: &random),
      appVersion: maybe { $0.spelling() },
      earlierEventCount: maybe { Int.random(in: 0...99999, using: &$0.random) },
      sampledShare: maybe { Int.random(in: 0...1_024, using: &$0.random) }
    )
  }

  private mutating func module() -> Module {
    Module(
      path: spelling(),
      buildID: Bool.random(using: &random) ? "" : "c0ffee",
      loadBias: random.next(),
      textStart: random.next(),
      textEnd: random.next()
    )
  }

  private mutating func body(kind: Int) -> Event.Body {
    switch Event.Body.names[kind] {
    case "process": .process(process())
    case "module": .module(module())
    case "threadName": .threadName(text())
    case "live": .live(registration())
    case "register": .register(registration())
    case "registerEnd": .registerEnd(identifier())
    case "refused":
      .refused(registration(), reason: choice(.nilKeyPath), part: optionalText())
    case "remove": .remove(removal())
    case "removeEnd": .removeEnd(removal())
    case "cancel": .cancel(identifier(), by: choice(.user))
    case "willChange": .willChange(change())
    case "didChange": .didChange(change())
    case "notify": .notify(delivery())
    case "notifyEnd": .notifyEnd(delivery())
    case "attach": .attach(attachment())
    case "detach": .detach(attachment())
    case "deinit": .deinit(object())
    case "deinitEnd": .deinitEnd(object())
    case "write": .write(subject: object(), key: text(), fingerprint: text())
    case "hold": .hold(reference())
    case "drop": .drop(reference())
    case "walkBegin": .walkBegin(roots: [object(), object()])
    case "walkEnd":
      .walkEnd(
        isComplete: Bool.random(using: &random),
        opaque: [text(), text()],
        isAsserted: Bool.random(using: &random)
      )
    case "expectDeinit": .expectDeinit(object(), deadline: maybe { $0.random.next() })
    case "scopeBegin":
      .scopeBegin(
        Scope(
          id: identifier(),
          parent: maybe { $0.identifier() },
          name: text(),
          repetition: maybe { Int.random(in: 0...9, using: &$0.random) }
        )
      )
    case "scopeEnd": .scopeEnd(identifier())
    case "lock": .lock(identifier())
    case "unlock": .unlock(identifier())
    case "class":
      .classChanged(object(), to: text(), isKVOSubclass: Bool.random(using: &random))
    case "declares":
      .declares(
        KeyDeclaration(
          className: text(),
          superclass: optionalText(),
          key: text(),
          affectedBy: [names.affectingPath(spelling())],
          isManual: Bool.random(using: &random),
          problem: maybe { $0.choice(.noAccessor) }
        )
      )
    case "crash":
      .crash(
        Crash(
          signal: optionalText(),
          exception: optionalText(),
          reason: optionalText(),
          liveCount: maybe { Int.random(in: 0...9, using: &$0.random) }
        )
      )
    case "dropped": .dropped(count: random.next(), why: optionalText())
    case "consumerBegin": .consumerBegin(consumer())
    case "parked": .parked(consumer())
    case "consumerEnd": .consumerEnd(identifier(), why: choice(.finished))
    case "expects":
      .expects(rules: (0..<2).map { _ in UInt16.random(in: 0...999, using: &random) })
    case "keep": .keep(text())
    case "sample": .sample(share: UInt64.random(in: 0...1_024, using: &random), why: optionalText())
    default: .exit(status: Int.random(in: -1...255, using: &random))
    }
  }
}
