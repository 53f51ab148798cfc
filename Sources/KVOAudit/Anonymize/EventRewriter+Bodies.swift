import KVOTrace

extension EventRewriter {
  /// What happened, with other names.
  mutating func body(_ body: Event.Body, _ source: TraceNames) -> Event.Body {
    switch body {
    case .process(let process): .process(self.process(process))
    case .module(let module): .module(self.module(module))
    case .threadName(let name): .threadName(string(name, .prose, source))
    case .live(let registration): .live(self.registration(registration, source))
    case .register(let registration): .register(self.registration(registration, source))
    case .registerEnd(let id): .registerEnd(identifier(id, source))
    case .refused(let registration, let reason, let part):
      .refused(
        self.registration(registration, source),
        reason: reason,
        part: string(part, .name, source)
      )
    case .remove(let removal): .remove(self.removal(removal, source))
    case .removeEnd(let removal): .removeEnd(self.removal(removal, source))
    case .cancel(let id, let cause): .cancel(identifier(id, source), by: cause)
    case .willChange(let change): .willChange(self.change(change, source))
    case .didChange(let change): .didChange(self.change(change, source))
    case .notify(let delivery): .notify(self.delivery(delivery, source))
    case .notifyEnd(let delivery): .notifyEnd(self.delivery(delivery, source))
    case .attach(let attachment): .attach(self.attachment(attachment, source))
    case .detach(let attachment): .detach(self.attachment(attachment, source))
    case .deinit(let object): .deinit(self.object(object, source))
    case .deinitEnd(let object): .deinitEnd(self.object(object, source))
    case .write(let subject, let key, let fingerprint):
      .write(
        subject: object(subject, source),
        key: string(key, .name, source),
        fingerprint: string(fingerprint, .opaque, source)
      )
    case .hold(let reference): .hold(self.reference(reference, source))
    case .drop(let reference): .drop(self.reference(reference, source))
    case .walkBegin(let roots): .walkBegin(roots: roots.map { object($0, source) })
    case .walkEnd(let isComplete, let opaque, let isAsserted):
      .walkEnd(
        isComplete: isComplete,
        opaque: opaque.map { string($0, .name, source) },
        isAsserted: isAsserted
      )
    case .expectDeinit(let object, let deadline):
      .expectDeinit(self.object(object, source), deadline: deadline)
    case .scopeBegin(let scope): .scopeBegin(self.scope(scope, source))
    case .scopeEnd(let id): .scopeEnd(identifier(id, source))
    case .lock(let id): .lock(identifier(id, source))
    case .unlock(let id): .unlock(identifier(id, source))
    case .classChanged(let object, let className, let isKVOSubclass):
      .classChanged(
        self.object(object, source),
        to: string(className, .name, source),
        isKVOSubclass: isKVOSubclass
      )
    case .declares(let declaration): .declares(self.declaration(declaration, source))
    case .crash(let crash): .crash(self.crash(crash, source))
    case .dropped(let count, let why): .dropped(count: count, why: string(why, .prose, source))
    case .exit(let status): .exit(status: status)
    case .expects(let rules): .expects(rules: rules)
    }
  }

  private mutating func process(_ process: ProcessInfo) -> ProcessInfo {
    var copy = process
    copy.executable = process.executable.map { text($0, .image) }
    // Digits tell versions and times, and whether a log goes on: words in between may be anything.
    copy.os = process.os.map { text($0, .name) }
    copy.started = process.started.map { Self.isMoment($0) ? $0 : text($0, .prose) }
    return copy
  }

  /// Whether `text` has nothing but what times are written with.
  private static func isMoment(_ text: String) -> Bool {
    text.utf8.allSatisfy { (0x30...0x3a).contains($0) || "TZ+-.".utf8.contains($0) }
  }

  private mutating func object(_ object: ObjectRef, _ source: TraceNames) -> ObjectRef {
    ObjectRef(
      id: identifier(object.id, source),
      className: string(object.className, .name, source),
      kind: object.kind
    )
  }

  private mutating func context(_ context: Context, _ source: TraceNames) -> Context {
    guard case .named(let name) = context else { return context }
    return .named(string(name, .name, source))
  }

  private mutating func registration(
    _ registration: Registration,
    _ source: TraceNames
  ) -> Registration {
    Registration(
      id: registration.id.map { identifier($0, source) },
      subject: object(registration.subject, source),
      observer: registration.observer.map { object($0, source) },
      keyPath: string(registration.keyPath, .name, source),
      context: context(registration.context, source),
      options: registration.options,
      form: registration.form,
      token: registration.token.map { object($0, source) },
      site: string(registration.site, .code, source),
      executor: string(registration.executor, .prose, source),
      expectedToLive: string(registration.expectedToLive, .prose, source)
    )
  }

  private mutating func removal(_ removal: Removal, _ source: TraceNames) -> Removal {
    Removal(
      subject: object(removal.subject, source),
      observer: removal.observer.map { object($0, source) },
      keyPath: string(removal.keyPath, .name, source),
      context: context(removal.context, source),
      registration: removal.registration.map { identifier($0, source) },
      isUnmatched: removal.isUnmatched,
      site: string(removal.site, .code, source)
    )
  }

  private mutating func change(_ change: Change, _ source: TraceNames) -> Change {
    Change(
      subject: object(change.subject, source),
      key: string(change.key, .name, source),
      id: change.id.map { identifier($0, source) },
      kind: change.kind
    )
  }

  private mutating func delivery(_ delivery: Delivery, _ source: TraceNames) -> Delivery {
    Delivery(
      registration: identifier(delivery.registration, source),
      change: delivery.change.map { identifier($0, source) },
      phase: delivery.phase,
      executor: string(delivery.executor, .prose, source),
      isHandled: delivery.isHandled,
      exception: string(delivery.exception, .name, source)
    )
  }

  private mutating func attachment(_ attachment: Attachment, _ source: TraceNames) -> Attachment {
    Attachment(
      registration: identifier(attachment.registration, source),
      depth: attachment.depth,
      key: string(attachment.key, .name, source),
      object: object(attachment.object, source),
      strength: attachment.strength
    )
  }

  private mutating func reference(_ reference: Reference, _ source: TraceNames) -> Reference {
    Reference(
      from: object(reference.from, source),
      to: object(reference.to, source),
      label: string(reference.label, .name, source),
      strength: reference.strength,
      certainty: reference.certainty,
      site: string(reference.site, .code, source),
      unsaidKinds: reference.unsaidKinds
    )
  }

  private mutating func scope(_ scope: Scope, _ source: TraceNames) -> Scope {
    Scope(
      id: identifier(scope.id, source),
      parent: scope.parent.map { identifier($0, source) },
      name: string(scope.name, .prose, source),
      repetition: scope.repetition
    )
  }

  private mutating func declaration(
    _ declaration: KeyDeclaration,
    _ source: TraceNames
  ) -> KeyDeclaration {
    KeyDeclaration(
      className: string(declaration.className, .name, source),
      superclass: string(declaration.superclass, .name, source),
      key: string(declaration.key, .name, source),
      affectedBy: declaration.affectedBy.map { string($0, .name, source) },
      isManual: declaration.isManual,
      problem: declaration.problem
    )
  }

  private mutating func crash(_ crash: Crash, _ source: TraceNames) -> Crash {
    Crash(
      signal: string(crash.signal, .name, source),
      exception: string(crash.exception, .name, source),
      reason: string(crash.reason, .prose, source),
      liveCount: crash.liveCount
    )
  }
}
