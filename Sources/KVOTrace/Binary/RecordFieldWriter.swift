/// Takes the fields of records, each a number.
///
/// What the fields of an event are, and their order, stands in the extension, once for all who write
/// the binary form: into memory for a conversion, or straight into the log of a running process.
package protocol RecordFieldWriter {
  /// Takes the next field.
  mutating func number(_ value: UInt64)
  /// The number that the log has for a string.
  mutating func number(of string: StringID) -> UInt64
  /// The number that the log has for a text that is no interned string.
  mutating func number(ofText text: String) -> UInt64
}

extension RecordFieldWriter {
  /// Appends the fields of one kind of event, in the order in which the format lists them.
  package mutating func append(_ body: Event.Body) {
    switch body {
    case .process(let process): append(process)
    case .module(let module): append(module)
    case .threadName(let name): string(name)
    case .live(let registration), .register(let registration): append(registration)
    case .registerEnd(let registration): identifier(registration)
    case .refused(let registration, let reason, let part):
      append(registration)
      choice(reason)
      string(part)
    case .remove(let removal), .removeEnd(let removal): append(removal)
    case .cancel(let registration, let cause):
      identifier(registration)
      choice(cause)
    case .willChange(let change), .didChange(let change): append(change)
    case .notify(let delivery), .notifyEnd(let delivery): append(delivery)
    case .attach(let attachment), .detach(let attachment):
      identifier(attachment.registration)
      number(attachment.depth)
      string(attachment.key)
      object(attachment.object)
      choice(attachment.strength)
    case .deinit(let object), .deinitEnd(let object): self.object(object)
    case .write(let subject, let key, let fingerprint):
      object(subject)
      string(key)
      string(fingerprint)
    case .hold(let reference), .drop(let reference): append(reference)
    case .walkBegin(let roots):
      number(roots.count)
      for root in roots { object(root) }
    case .walkEnd(let isComplete, let opaque, let isAsserted):
      number((isComplete ? 1 : 0) | (isAsserted ? 1 << 1 : UInt64(0)))
      strings(opaque)
    case .expectDeinit(let object, let deadline):
      self.object(object)
      flag(deadline != nil)
      if let deadline { number(deadline) }
    case .scopeBegin(let scope): append(scope)
    case .scopeEnd(let id): identifier(id)
    case .lock(let id), .unlock(let id): identifier(id)
    case .classChanged(let object, let className, let isKVOSubclass):
      self.object(object)
      string(className)
      flag(isKVOSubclass)
    case .declares(let declaration):
      string(declaration.className)
      string(declaration.superclass)
      string(declaration.key)
      number((declaration.isManual ? 1 : 0) | (declaration.problem?.binaryNumber ?? 0) << 2)
      strings(declaration.affectedBy)
    case .crash(let crash):
      string(crash.signal)
      string(crash.exception)
      string(crash.reason)
      flag(crash.liveCount != nil)
      if let count = crash.liveCount { number(count) }
    case .dropped(let count, let why):
      number(count)
      string(why)
    case .exit(let status): number(zigzag: Int64(status))
    case .expects(let rules):
      number(rules.count)
      for rule in rules { number(UInt64(rule)) }
    }
  }

  package mutating func append(_ module: Module) {
    text(module.path)
    text(module.buildID)
    number(module.loadBias)
    number(module.textStart)
    number(module.textEnd)
  }

  private mutating func strings(_ values: [StringID]) {
    number(values.count)
    for value in values { string(value) }
  }

  package mutating func append(_ process: ProcessInfo) {
    number(process.schema)
    var shape: UInt64 = process.isComplete ? 1 << 5 : 0
    if process.pid != nil { shape |= 1 }
    if process.executable != nil { shape |= 1 << 1 }
    if process.runtime != nil { shape |= 1 << 2 }
    if process.os != nil { shape |= 1 << 3 }
    if process.started != nil { shape |= 1 << 4 }
    if process.saysScopes { shape |= 1 << 6 }
    if process.omitsNotifications { shape |= 1 << 7 }
    number(shape)
    if let pid = process.pid { number(pid) }
    if let executable = process.executable { text(executable) }
    if let runtime = process.runtime { choice(runtime) }
    if let os = process.os { text(os) }
    if let started = process.started { text(started) }
  }

  package mutating func append(_ registration: Registration) {
    var shape = registration.context.shapeNumber << 3
    shape |= registration.form.binaryNumber << 5
    shape |= UInt64(registration.options.rawValue & 15) << 7
    if registration.id != nil { shape |= 1 }
    if registration.observer != nil { shape |= 1 << 1 }
    if registration.token != nil { shape |= 1 << 2 }
    if registration.site != .none { shape |= 1 << 11 }
    if registration.executor != .none { shape |= 1 << 12 }
    if registration.expectedToLive != .none { shape |= 1 << 13 }
    number(shape)
    object(registration.subject)
    string(registration.keyPath)
    if let id = registration.id { identifier(id) }
    if let observer = registration.observer { object(observer) }
    if case .named(let name) = registration.context { string(name) }
    if let token = registration.token { object(token) }
    if registration.site != .none { string(registration.site) }
    if registration.executor != .none { string(registration.executor) }
    if registration.expectedToLive != .none { string(registration.expectedToLive) }
  }

  private mutating func append(_ removal: Removal) {
    var shape = removal.context.shapeNumber << 2
    if removal.observer != nil { shape |= 1 }
    if removal.registration != nil { shape |= 1 << 1 }
    if removal.site != .none { shape |= 1 << 4 }
    if removal.isUnmatched { shape |= 1 << 5 }
    number(shape)
    object(removal.subject)
    string(removal.keyPath)
    if let observer = removal.observer { object(observer) }
    if let registration = removal.registration { identifier(registration) }
    if case .named(let name) = removal.context { string(name) }
    if removal.site != .none { string(removal.site) }
  }

  private mutating func append(_ change: Change) {
    number(change.kind.binaryNumber | (change.id == nil ? 0 : 1 << 2))
    object(change.subject)
    string(change.key)
    if let id = change.id { identifier(id) }
  }

  private mutating func append(_ delivery: Delivery) {
    var shape = delivery.phase.binaryNumber
    if delivery.change != nil { shape |= 1 << 2 }
    if delivery.executor != .none { shape |= 1 << 3 }
    if let isHandled = delivery.isHandled { shape |= (isHandled ? 2 : 1) << 4 }
    if delivery.exception != .none { shape |= 1 << 6 }
    number(shape)
    identifier(delivery.registration)
    if let change = delivery.change { identifier(change) }
    if delivery.executor != .none { string(delivery.executor) }
    if delivery.exception != .none { string(delivery.exception) }
  }

  private mutating func append(_ reference: Reference) {
    object(reference.from)
    object(reference.to)
    string(reference.label)
    number(
      reference.strength.binaryNumber | reference.certainty.binaryNumber << 2
        | UInt64(reference.unsaidKinds.rawValue) << 3
    )
    string(reference.site)
  }

  private mutating func append(_ scope: Scope) {
    number((scope.parent == nil ? 0 : 1) | (scope.repetition == nil ? UInt64(0) : 2))
    identifier(scope.id)
    string(scope.name)
    if let parent = scope.parent { identifier(parent) }
    if let repetition = scope.repetition { number(repetition) }
  }
}

// MARK: - Single fields

extension RecordFieldWriter {
  /// A count or size, which the grammar keeps from being negative.
  mutating func number(_ value: Int) { number(UInt64(clamping: value)) }

  mutating func number(zigzag value: Int64) {
    number(UInt64(bitPattern: value << 1 ^ value >> 63))
  }

  mutating func flag(_ value: Bool) { number(value ? 1 : UInt64(0)) }

  mutating func choice(_ value: some BinaryNumbered) { number(value.binaryNumber) }

  mutating func string(_ value: StringID) { number(number(of: value)) }

  mutating func text(_ value: String) { number(number(ofText: value)) }

  mutating func identifier<Tag>(_ value: Identifier<Tag>) { number(encoded(value)) }

  mutating func object(_ value: ObjectRef) {
    identifier(value.id)
    number(number(of: value.className) << 2 | value.kind.binaryNumber)
  }

  /// A number, a text or a reader's number, told apart by the two lowest bits.
  package mutating func encoded<Tag>(_ value: Identifier<Tag>) -> UInt64 {
    if let name = value.name { return number(of: name) << 2 | BinaryFormat.IDTag.text }
    if let generation = value.generation {
      return generation << 2 | BinaryFormat.IDTag.generation
    }
    return (value.number ?? 0) << 2 | BinaryFormat.IDTag.number
  }
}

extension Context {
  /// As the shape of a record has it.
  fileprivate var shapeNumber: UInt64 {
    switch self {
    case .unspecified: 0
    case .null: 1
    case .named: 2
    }
  }
}
