import KVOTrace

extension CanonicalScanner {
  /// Reads the event's own part: its keys in the order of the grammar, each of them once or not at
  /// all.
  @inline(__always)
  mutating func read(
    _ body: inout Event.Body,
    _ kind: CanonicalKind,
    _ line: inout LineCursor,
    _ names: inout TraceNames
  ) throws(NotCanonical) {
    switch kind {
    case .notify: body = .notify(try delivery(&line, &names))
    case .notifyEnd: body = .notifyEnd(try delivery(&line, &names))
    case .willChange: body = .willChange(try change(&line, &names))
    case .didChange: body = .didChange(try change(&line, &names))
    case .register: body = .register(try registration(&line, &names))
    case .registerEnd:
      try line.expect(#","registration":"#)
      body = .registerEnd(try identifier(&line, &names))
    case .remove: body = .remove(try removal(&line, &names))
    case .removeEnd: body = .removeEnd(try removal(&line, &names))
    case .deinit:
      try line.expect(#","object":"#)
      body = .deinit(try object(&line, &names))
    case .deinitEnd:
      try line.expect(#","object":"#)
      body = .deinitEnd(try object(&line, &names))
    default: body = try rareBody(kind, &line, &names)
    }
  }

  @inline(never)
  private mutating func rareBody(
    _ kind: CanonicalKind,
    _ line: inout LineCursor,
    _ names: inout TraceNames
  ) throws(NotCanonical) -> Event.Body {
    switch kind {
    case .process: return .process(try process(&line))
    case .module: return .module(try module(&line))
    case .threadName:
      try line.expect(#","name":"#)
      return .threadName(try string(&line, &names))
    case .live: return .live(try registration(&line, &names))
    case .refused: return try refused(&line, &names)
    case .cancel: return try cancel(&line, &names)
    case .attach: return .attach(try attachment(&line, &names))
    case .detach: return .detach(try attachment(&line, &names))
    case .write: return try write(&line, &names)
    case .hold: return .hold(try reference(&line, &names))
    case .drop: return .drop(try reference(&line, &names))
    case .walkBegin:
      return .walkBegin(roots: line.take(#","roots":"#) ? try objects(&line, &names) : [])
    case .walkEnd:
      return .walkEnd(
        isComplete: line.take(#","complete":"#) ? try flag(&line) : true,
        opaque: line.take(#","opaque":"#) ? try strings(&line, &names) : [],
        isAsserted: line.take(#","asserted":"#) ? try flag(&line) : false
      )
    case .expectDeinit:
      try line.expect(#","object":"#)
      return .expectDeinit(
        try object(&line, &names),
        deadline: line.take(#","deadline":"#) ? try number(&line) : nil
      )
    case .scopeBegin: return .scopeBegin(try scope(&line, &names))
    case .scopeEnd:
      try line.expect(#","id":"#)
      return .scopeEnd(try identifier(&line, &names))
    case .lock:
      try line.expect(#","lock":"#)
      return .lock(try identifier(&line, &names))
    case .unlock:
      try line.expect(#","lock":"#)
      return .unlock(try identifier(&line, &names))
    case .class: return try classChange(&line, &names)
    case .declares: return .declares(try declaration(&line, &names))
    case .crash: return .crash(try crash(&line, &names))
    case .dropped:
      try line.expect(#","count":"#)
      return .dropped(
        count: try number(&line),
        why: line.take(#","why":"#) ? try string(&line, &names) : .none
      )
    case .exit:
      try line.expect(#","status":"#)
      return .exit(status: try integer(&line))
    case .expects:
      try line.expect(#","rules":"#)
      return .expects(rules: try rules(&line))
    default: throw NotCanonical()
    }
  }

  // MARK: Registrations

  @inline(__always)
  private mutating func registration(
    _ line: inout LineCursor,
    _ names: inout TraceNames,
    isRefused: Bool = false
  ) throws(NotCanonical) -> Registration {
    try line.expect(#","subject":"#)
    let subject = try object(&line, &names)
    let observer = line.take(#","observer":"#) ? try object(&line, &names) : nil
    let hasKeyPath = line.take(#","keyPath":"#)
    guard hasKeyPath || isRefused else { throw NotCanonical() }
    let keyPath = hasKeyPath ? try string(&line, &names) : .none
    let context = line.take(#","context":"#) ? try context(&line, &names) : .unspecified
    let options = line.take(#","options":"#) ? try options(&line) : []
    let id: RegistrationID? =
      line.take(#","registration":"#) ? try identifier(&line, &names) : nil
    let form = try form(&line)
    let token = line.take(#","token":"#) ? try object(&line, &names) : nil
    return Registration(
      id: id,
      subject: subject,
      observer: observer,
      keyPath: keyPath,
      context: context,
      options: options,
      form: form ?? .unsaid(observer: observer, token: token),
      token: token,
      site: line.take(#","site":"#) ? try string(&line, &names) : .none,
      executor: line.take(#","executor":"#) ? try string(&line, &names) : .none,
      expectedToLive: line.take(#","expectedToLive":"#) ? try string(&line, &names) : .none
    )
  }

  @inline(__always)
  private func options(_ line: inout LineCursor) throws(NotCanonical) -> Registration.Options {
    var options: Registration.Options = []
    try line.expect("[")
    repeat {
      if line.take(#""new""#) {
        options.insert(.new)
      } else if line.take(#""old""#) {
        options.insert(.old)
      } else if line.take(#""initial""#) {
        options.insert(.initial)
      } else {
        try line.expect(#""prior""#)
        options.insert(.prior)
      }
    } while line.take(",")
    try line.expect("]")
    return options
  }

  @inline(__always)
  private func form(_ line: inout LineCursor) throws(NotCanonical) -> Registration.Form? {
    if line.take(#","form":"classic""#) { return .classic }
    guard line.take(#","form":"#) else { return nil }
    if line.take(#""token""#) { return .token }
    if line.take(#""controller""#) { return .controller }
    try line.expect(#""stream""#)
    return .stream
  }

  private mutating func refused(
    _ line: inout LineCursor,
    _ names: inout TraceNames
  ) throws(NotCanonical) -> Event.Body {
    .refused(
      try registration(&line, &names, isRefused: true),
      reason: try reason(&line),
      part: line.take(#","part":"#) ? try string(&line, &names) : .none
    )
  }

  private func reason(_ line: inout LineCursor) throws(NotCanonical) -> RefusalReason {
    try line.expect(#","reason":"#)
    if line.take(#""nilKeyPath""#) { return .nilKeyPath }
    if line.take(#""emptyKeyPath""#) { return .emptyKeyPath }
    if line.take(#""unknownKey""#) { return .unknownKey }
    if line.take(#""throughCollection""#) { return .throughCollection }
    if line.take(#""readOnly""#) { return .readOnly }
    try line.expect(#""notObservable""#)
    return .notObservable
  }

  @inline(__always)
  private mutating func removal(
    _ line: inout LineCursor,
    _ names: inout TraceNames
  ) throws(NotCanonical) -> Removal {
    try line.expect(#","subject":"#)
    let subject = try object(&line, &names)
    let observer = line.take(#","observer":"#) ? try object(&line, &names) : nil
    try line.expect(#","keyPath":"#)
    let keyPath = try string(&line, &names)
    let context = line.take(#","context":"#) ? try context(&line, &names) : .unspecified
    let isUnmatched = line.take(#","registration":null"#)
    return Removal(
      subject: subject,
      observer: observer,
      keyPath: keyPath,
      context: context,
      registration: line.take(#","registration":"#) ? try identifier(&line, &names) : nil,
      isUnmatched: isUnmatched,
      site: line.take(#","site":"#) ? try string(&line, &names) : .none
    )
  }

  private mutating func cancel(
    _ line: inout LineCursor,
    _ names: inout TraceNames
  ) throws(NotCanonical) -> Event.Body {
    try line.expect(#","registration":"#)
    let registration: RegistrationID = try identifier(&line, &names)
    try line.expect(#","by":"#)
    if line.take(#""user""#) { return .cancel(registration, by: .user) }
    if line.take(#""owner""#) { return .cancel(registration, by: .owner) }
    if line.take(#""subject""#) { return .cancel(registration, by: .subject) }
    if line.take(#""token""#) { return .cancel(registration, by: .token) }
    if line.take(#""observer""#) { return .cancel(registration, by: .observer) }
    try line.expect(#""runtime""#)
    return .cancel(registration, by: .runtime)
  }

  // MARK: Changes

  @inline(__always)
  private mutating func change(
    _ line: inout LineCursor,
    _ names: inout TraceNames
  ) throws(NotCanonical) -> Change {
    try line.expect(#","subject":"#)
    let subject = try object(&line, &names)
    try line.expect(#","key":"#)
    return Change(
      subject: subject,
      key: try string(&line, &names),
      id: line.take(#","change":"#) ? try identifier(&line, &names) : nil,
      kind: line.take(#","kind":"#) ? try changeKind(&line) : .setting
    )
  }

  private func changeKind(_ line: inout LineCursor) throws(NotCanonical) -> Change.Kind {
    if line.take(#""setting""#) { return .setting }
    if line.take(#""insertion""#) { return .insertion }
    if line.take(#""removal""#) { return .removal }
    try line.expect(#""replacement""#)
    return .replacement
  }

  @inline(__always)
  private mutating func delivery(
    _ line: inout LineCursor,
    _ names: inout TraceNames
  ) throws(NotCanonical) -> Delivery {
    try line.expect(#","registration":"#)
    return Delivery(
      registration: try identifier(&line, &names),
      change: line.take(#","change":"#) ? try identifier(&line, &names) : nil,
      phase: try phase(&line),
      executor: line.take(#","executor":"#) ? try string(&line, &names) : .none,
      isHandled: line.take(#","handled":"#) ? try flag(&line) : nil,
      exception: line.take(#","exception":"#) ? try string(&line, &names) : .none
    )
  }

  @inline(__always)
  private func phase(_ line: inout LineCursor) throws(NotCanonical) -> Delivery.Phase {
    if line.take(#","phase":"after""#) { return .after }
    guard line.take(#","phase":"#) else { return .after }
    if line.take(#""initial""#) { return .initial }
    try line.expect(#""prior""#)
    return .prior
  }

  private mutating func attachment(
    _ line: inout LineCursor,
    _ names: inout TraceNames
  ) throws(NotCanonical) -> Attachment {
    try line.expect(#","registration":"#)
    let registration: RegistrationID = try identifier(&line, &names)
    try line.expect(#","depth":"#)
    guard let depth = UInt32(exactly: try number(&line)) else { throw NotCanonical() }
    try line.expect(#","key":"#)
    let key = try string(&line, &names)
    try line.expect(#","object":"#)
    return Attachment(
      registration: registration,
      depth: Int(depth),
      key: key,
      object: try object(&line, &names),
      strength: try strength(&line)
    )
  }

  // MARK: References

  private mutating func reference(
    _ line: inout LineCursor,
    _ names: inout TraceNames
  ) throws(NotCanonical) -> Reference {
    var unsaid: Reference.Ends = []
    try line.expect(#","from":"#)
    let from = try end(&line, &names, &unsaid, .from)
    try line.expect(#","to":"#)
    return Reference(
      from: from,
      to: try end(&line, &names, &unsaid, .to),
      label: line.take(#","label":"#) ? try string(&line, &names) : .none,
      strength: try strength(&line),
      certainty: try certainty(&line),
      site: line.take(#","site":"#) ? try string(&line, &names) : .none,
      unsaidKinds: unsaid
    )
  }

  /// One end of a reference, as ``EventDecoder`` takes it.
  private mutating func end(
    _ line: inout LineCursor,
    _ names: inout TraceNames,
    _ unsaid: inout Reference.Ends,
    _ end: Reference.Ends
  ) throws(NotCanonical) -> ObjectRef {
    var (object, isKindSaid) = try self.end(&line, &names)
    guard !isKindSaid else { return object }
    guard let kind = ObjectRef.Kind(className: names[object.className]) else {
      unsaid.insert(end)
      return object
    }
    object.kind = kind
    return object
  }

  private func strength(_ line: inout LineCursor) throws(NotCanonical) -> Reference.Strength {
    guard line.take(#","strength":"#) else { return .strong }
    if line.take(#""strong""#) { return .strong }
    if line.take(#""weak""#) { return .weak }
    try line.expect(#""unowned""#)
    return .unowned
  }

  private func certainty(_ line: inout LineCursor) throws(NotCanonical) -> Reference.Certainty {
    guard line.take(#","certainty":"#) else { return .proven }
    if line.take(#""proven""#) { return .proven }
    try line.expect(#""suspected""#)
    return .suspected
  }
}
