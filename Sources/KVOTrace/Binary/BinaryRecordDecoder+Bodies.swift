extension BinaryRecordDecoder {
  /// Decodes the fields of an event; `isSound` says afterwards whether they were any.
  ///
  /// - Returns: the event; any where `kind` is none.
  @inline(__always)
  mutating func body(_ kind: BinaryFormat.Record) -> Event.Body {
    switch kind {
    case .willChange: return .willChange(change())
    case .didChange: return .didChange(change())
    case .notify: return .notify(delivery())
    case .notifyEnd: return .notifyEnd(delivery())
    case .live: return .live(registration())
    case .register: return .register(registration())
    case .registerEnd: return .registerEnd(identifier())
    case .remove: return .remove(removal())
    case .removeEnd: return .removeEnd(removal())
    case .deinit: return .deinit(object())
    case .deinitEnd: return .deinitEnd(object())
    case .cancel: return .cancel(identifier(), by: choice(.user))
    case .lock: return .lock(identifier())
    case .unlock: return .unlock(identifier())
    default: return rareBody(kind)
    }
  }

  @inline(never)
  private mutating func rareBody(_ kind: BinaryFormat.Record) -> Event.Body {
    switch kind {
    case .process: return .process(process())
    case .module: return .module(module())
    case .threadName: return .threadName(string())
    case .refused:
      return .refused(registration(), reason: choice(.nilKeyPath), part: string())
    case .attach: return .attach(attachment())
    case .detach: return .detach(attachment())
    case .write: return .write(subject: object(), key: string(), fingerprint: string())
    case .hold: return .hold(reference())
    case .drop: return .drop(reference())
    case .walkBegin: return .walkBegin(roots: objects())
    case .walkEnd:
      let shape = shape(3)
      return .walkEnd(
        isComplete: shape & 1 != 0,
        opaque: stringList(),
        isAsserted: shape & 1 << 1 != 0
      )
    case .expectDeinit: return .expectDeinit(object(), deadline: flag() ? varint() : nil)
    case .scopeBegin: return .scopeBegin(scope())
    case .scopeEnd: return .scopeEnd(identifier())
    case .classChanged:
      return .classChanged(object(), to: string(), isKVOSubclass: flag())
    case .declares: return .declares(declaration())
    case .crash: return .crash(crash())
    case .dropped: return .dropped(count: varint(), why: string())
    case .exit: return .exit(status: Int(zigzag()))
    case .expects: return .expects(rules: ruleList())
    default:
      markMalformed()
      return .exit(status: 0)
    }
  }

  private mutating func process() -> ProcessInfo {
    let schema = count()
    let shape = self.shape(0xff)
    return ProcessInfo(
      schema: schema,
      pid: shape & 1 != 0 ? count() : nil,
      executable: shape & 1 << 1 != 0 ? spelledString() : nil,
      runtime: shape & 1 << 2 != 0 ? choice(.swift) : nil,
      os: shape & 1 << 3 != 0 ? spelledString() : nil,
      started: shape & 1 << 4 != 0 ? spelledString() : nil,
      isComplete: shape & 1 << 5 != 0,
      saysScopes: shape & 1 << 6 != 0,
      omitsNotifications: shape & 1 << 7 != 0
    )
  }

  private mutating func module() -> Module {
    Module(
      path: spelledString(),
      buildID: spelledString(),
      loadBias: varint(),
      textStart: varint(),
      textEnd: varint()
    )
  }

  private mutating func registration() -> Registration {
    let shape = self.shape(0x3fff)
    let subject = object()
    let keyPath = string()
    let id: RegistrationID? = shape & 1 != 0 ? identifier() : nil
    let observer = shape & 1 << 1 != 0 ? object() : nil
    return Registration(
      id: id,
      subject: subject,
      observer: observer,
      keyPath: keyPath,
      context: context(shape >> 3),
      options: Registration.Options(rawValue: UInt8(truncatingIfNeeded: shape >> 7 & 15)),
      form: choice(shape >> 5 & 3, .classic),
      token: shape & 1 << 2 != 0 ? object() : nil,
      site: shape & 1 << 11 != 0 ? string() : .none,
      executor: shape & 1 << 12 != 0 ? string() : .none,
      expectedToLive: shape & 1 << 13 != 0 ? string() : .none
    )
  }

  private mutating func removal() -> Removal {
    let shape = self.shape(0x3f)
    let subject = object()
    let keyPath = string()
    let observer = shape & 1 != 0 ? object() : nil
    let registration: RegistrationID? = shape & 1 << 1 != 0 ? identifier() : nil
    return Removal(
      subject: subject,
      observer: observer,
      keyPath: keyPath,
      context: context(shape >> 2),
      registration: registration,
      isUnmatched: shape & 1 << 5 != 0,
      site: shape & 1 << 4 != 0 ? string() : .none
    )
  }

  /// The two lowest bits of `number` say whether a name follows.
  private mutating func context(_ number: UInt64) -> Context {
    switch number & 3 {
    case 0: return .unspecified
    case 1: return .null
    case 2: return .named(string())
    default:
      markMalformed()
      return .unspecified
    }
  }

  @inline(__always)
  private mutating func change() -> Change {
    let shape = self.shape(7)
    let subject = object()
    let key = string()
    return Change(
      subject: subject,
      key: key,
      id: shape & 4 != 0 ? identifier() : nil,
      kind: choice(shape & 3, .setting)
    )
  }

  @inline(__always)
  private mutating func delivery() -> Delivery {
    let shape = self.shape(0x7f)
    let handled = shape >> 4 & 3
    if handled > 2 { markMalformed() }
    return Delivery(
      registration: identifier(),
      change: shape & 4 != 0 ? identifier() : nil,
      phase: choice(shape & 3, .after),
      executor: shape & 8 != 0 ? string() : .none,
      isHandled: handled == 0 ? nil : handled == 2,
      exception: shape & 0x40 != 0 ? string() : .none
    )
  }

  private mutating func attachment() -> Attachment {
    Attachment(
      registration: identifier(),
      depth: count(upTo: UInt64(UInt32.max)),
      key: string(),
      object: object(),
      strength: choice(.strong)
    )
  }

  private mutating func reference() -> Reference {
    let from = object()
    let to = object()
    let label = string()
    let shape = self.shape(0x1f)
    return Reference(
      from: from,
      to: to,
      label: label,
      strength: choice(shape & 3, .strong),
      certainty: choice(shape >> 2 & 1, .proven),
      site: string(),
      unsaidKinds: Reference.Ends(rawValue: UInt8(truncatingIfNeeded: shape >> 3))
    )
  }

  private mutating func scope() -> Scope {
    let shape = self.shape(3)
    let id: ScopeID = identifier()
    let name = string()
    return Scope(
      id: id,
      parent: shape & 1 != 0 ? identifier() : nil,
      name: name,
      repetition: shape & 2 != 0 ? count() : nil
    )
  }

  private mutating func declaration() -> KeyDeclaration {
    let className = string()
    let superclass = string()
    let key = string()
    let shape = self.shape(0xd)
    let problem = shape >> 2
    return KeyDeclaration(
      className: className,
      superclass: superclass,
      key: key,
      affectedBy: stringList(),
      isManual: shape & 1 != 0,
      problem: problem == 0 ? nil : choice(problem, .noAccessor)
    )
  }

  private mutating func crash() -> Crash {
    Crash(
      signal: string(),
      exception: string(),
      reason: string(),
      liveCount: flag() ? count() : nil
    )
  }
}
