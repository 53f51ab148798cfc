extension BinaryRecordEncoder {
  /// Appends the fields of one kind of event, in the order in which the format lists them.
  mutating func append(_ body: Event.Body, _ names: TraceNames) {
    switch body {
    case .process(let process): append(process)
    case .module(let module):
      text(module.path)
      text(module.buildID)
      number(module.loadBias)
      number(module.textStart)
      number(module.textEnd)
    case .threadName(let name): string(name, names)
    case .live(let registration), .register(let registration): append(registration, names)
    case .registerEnd(let registration): identifier(registration, names)
    case .refused(let registration, let reason, let part):
      append(registration, names)
      choice(reason)
      string(part, names)
    case .remove(let removal), .removeEnd(let removal): append(removal, names)
    case .cancel(let registration, let cause):
      identifier(registration, names)
      choice(cause)
    case .willChange(let change), .didChange(let change): append(change, names)
    case .notify(let delivery), .notifyEnd(let delivery): append(delivery, names)
    case .attach(let attachment), .detach(let attachment):
      identifier(attachment.registration, names)
      number(attachment.depth)
      string(attachment.key, names)
      object(attachment.object, names)
      choice(attachment.strength)
    case .deinit(let object), .deinitEnd(let object): self.object(object, names)
    case .write(let subject, let key, let fingerprint):
      object(subject, names)
      string(key, names)
      string(fingerprint, names)
    case .hold(let reference), .drop(let reference): append(reference, names)
    case .walkBegin(let roots):
      number(roots.count)
      for root in roots { object(root, names) }
    case .walkEnd(let isComplete, let opaque):
      flag(isComplete)
      strings(opaque, names)
    case .expectDeinit(let object, let deadline):
      self.object(object, names)
      flag(deadline != nil)
      if let deadline { number(deadline) }
    case .scopeBegin(let scope): append(scope, names)
    case .scopeEnd(let id): identifier(id, names)
    case .lock(let id), .unlock(let id): identifier(id, names)
    case .classChanged(let object, let className, let isKVOSubclass):
      self.object(object, names)
      string(className, names)
      flag(isKVOSubclass)
    case .declares(let declaration):
      string(declaration.className, names)
      string(declaration.superclass, names)
      string(declaration.key, names)
      flag(declaration.isManual)
      strings(declaration.affectedBy, names)
    case .crash(let crash):
      string(crash.signal, names)
      string(crash.exception, names)
      string(crash.reason, names)
      flag(crash.liveCount != nil)
      if let count = crash.liveCount { number(count) }
    case .dropped(let count, let why):
      number(count)
      string(why, names)
    case .exit(let status): bytes.append(zigzag: Int64(status))
    }
  }

  private mutating func strings(_ values: [StringID], _ names: TraceNames) {
    number(values.count)
    for value in values { string(value, names) }
  }

  private mutating func append(_ process: ProcessInfo) {
    number(process.schema)
    var shape: UInt64 = process.isComplete ? 1 << 5 : 0
    if process.pid != nil { shape |= 1 }
    if process.executable != nil { shape |= 1 << 1 }
    if process.runtime != nil { shape |= 1 << 2 }
    if process.os != nil { shape |= 1 << 3 }
    if process.started != nil { shape |= 1 << 4 }
    number(shape)
    if let pid = process.pid { number(pid) }
    if let executable = process.executable { text(executable) }
    if let runtime = process.runtime { choice(runtime) }
    if let os = process.os { text(os) }
    if let started = process.started { text(started) }
  }

  private mutating func append(_ registration: Registration, _ names: TraceNames) {
    var shape = Self.number(of: registration.context) << 3
    shape |= registration.form.binaryNumber << 5
    shape |= UInt64(registration.options.rawValue & 15) << 7
    if registration.id != nil { shape |= 1 }
    if registration.observer != nil { shape |= 1 << 1 }
    if registration.token != nil { shape |= 1 << 2 }
    if registration.site != .none { shape |= 1 << 11 }
    if registration.executor != .none { shape |= 1 << 12 }
    if registration.expectedToLive != .none { shape |= 1 << 13 }
    number(shape)
    object(registration.subject, names)
    string(registration.keyPath, names)
    if let id = registration.id { identifier(id, names) }
    if let observer = registration.observer { object(observer, names) }
    if case .named(let name) = registration.context { string(name, names) }
    if let token = registration.token { object(token, names) }
    if registration.site != .none { string(registration.site, names) }
    if registration.executor != .none { string(registration.executor, names) }
    if registration.expectedToLive != .none { string(registration.expectedToLive, names) }
  }

  private mutating func append(_ removal: Removal, _ names: TraceNames) {
    var shape = Self.number(of: removal.context) << 2
    if removal.observer != nil { shape |= 1 }
    if removal.registration != nil { shape |= 1 << 1 }
    if removal.site != .none { shape |= 1 << 4 }
    number(shape)
    object(removal.subject, names)
    string(removal.keyPath, names)
    if let observer = removal.observer { object(observer, names) }
    if let registration = removal.registration { identifier(registration, names) }
    if case .named(let name) = removal.context { string(name, names) }
    if removal.site != .none { string(removal.site, names) }
  }

  private static func number(of context: Context) -> UInt64 {
    switch context {
    case .unspecified: 0
    case .null: 1
    case .named: 2
    }
  }

  private mutating func append(_ change: Change, _ names: TraceNames) {
    number(change.kind.binaryNumber | (change.id == nil ? 0 : 1 << 2))
    object(change.subject, names)
    string(change.key, names)
    if let id = change.id { identifier(id, names) }
  }

  private mutating func append(_ delivery: Delivery, _ names: TraceNames) {
    var shape = delivery.phase.binaryNumber
    if delivery.change != nil { shape |= 1 << 2 }
    if delivery.executor != .none { shape |= 1 << 3 }
    if let isHandled = delivery.isHandled { shape |= (isHandled ? 2 : 1) << 4 }
    number(shape)
    identifier(delivery.registration, names)
    if let change = delivery.change { identifier(change, names) }
    if delivery.executor != .none { string(delivery.executor, names) }
  }

  private mutating func append(_ reference: Reference, _ names: TraceNames) {
    object(reference.from, names)
    object(reference.to, names)
    string(reference.label, names)
    number(reference.strength.binaryNumber | reference.certainty.binaryNumber << 2)
    string(reference.site, names)
  }

  private mutating func append(_ scope: Scope, _ names: TraceNames) {
    number((scope.parent == nil ? 0 : 1) | (scope.repetition == nil ? UInt64(0) : 2))
    identifier(scope.id, names)
    string(scope.name, names)
    if let parent = scope.parent { identifier(parent, names) }
    if let repetition = scope.repetition { number(repetition) }
  }
}
