extension JSONLinesWriter {
  /// Writes the keys of one kind of event, in the order in which the grammar lists them.
  mutating func write(_ body: Event.Body) {
    switch body {
    case .process(let process): write(process)
    case .module(let module): write(module)
    case .threadName(let name): required("name", name)
    case .live(let registration), .register(let registration):
      write(registration, isKeyPathRequired: true)
    case .registerEnd(let registration): identifier("registration", registration)
    case .refused(let registration, let reason, let part):
      write(registration, isKeyPathRequired: false)
      text("reason", reason.rawValue)
      string("part", part)
    case .remove(let removal), .removeEnd(let removal): write(removal)
    case .cancel(let registration, let cause):
      identifier("registration", registration)
      text("by", cause.rawValue)
    case .willChange(let change), .didChange(let change): write(change)
    case .notify(let delivery), .notifyEnd(let delivery): write(delivery)
    case .attach(let attachment), .detach(let attachment): write(attachment)
    case .deinit(let object), .deinitEnd(let object): self.object("object", object)
    case .write(let subject, let key, let fingerprint):
      object("subject", subject)
      required("key", key)
      required("fingerprint", fingerprint)
    case .hold(let reference), .drop(let reference): write(reference)
    case .walkBegin(let roots): objects("roots", roots)
    case .walkEnd(let isComplete, let opaque, let isAsserted):
      flag("complete", isComplete)
      strings("opaque", opaque)
      if isAsserted { flag("asserted", true) }
    case .expectDeinit(let object, let deadline):
      self.object("object", object)
      number("deadline", deadline)
    case .scopeBegin(let scope): write(scope)
    case .scopeEnd(let id): identifier("id", id)
    case .lock(let lock), .unlock(let lock): identifier("lock", lock)
    case .classChanged(let object, let className, let isKVOSubclass):
      self.object("object", object)
      required("class", className)
      flag("kvoSubclass", isKVOSubclass)
    case .declares(let declaration): write(declaration)
    case .crash(let crash): write(crash)
    case .dropped(let count, let why):
      number("count", count)
      string("why", why)
    case .exit(let status): number("status", status)
    case .expects(let rules): codes("rules", rules)
    }
  }

  private mutating func write(_ process: ProcessInfo) {
    number("schema", process.schema)
    number("pid", process.pid)
    text("executable", process.executable)
    text("runtime", process.runtime?.rawValue)
    text("os", process.os)
    text("started", process.started)
    flag("complete", process.isComplete)
    if process.saysScopes { flag("saysScopes", true) }
    if process.omitsNotifications { flag("omitsNotifications", true) }
  }

  private mutating func write(_ module: Module) {
    text("path", module.path)
    if !module.buildID.isEmpty { text("buildID", module.buildID) }
    address("loadBias", module.loadBias)
    address("textStart", module.textStart)
    address("textEnd", module.textEnd)
  }

  private mutating func write(_ registration: Registration, isKeyPathRequired: Bool) {
    object("subject", registration.subject)
    object("observer", registration.observer)
    if isKeyPathRequired {
      required("keyPath", registration.keyPath)
    } else {
      string("keyPath", registration.keyPath)
    }
    context(registration.context)
    options(registration.options)
    identifier("registration", registration.id)
    text("form", registration.form.rawValue)
    object("token", registration.token)
    string("site", registration.site)
    string("executor", registration.executor)
    string("expectedToLive", registration.expectedToLive)
  }

  private mutating func write(_ removal: Removal) {
    object("subject", removal.subject)
    object("observer", removal.observer)
    required("keyPath", removal.keyPath)
    context(removal.context)
    identifier("registration", removal.registration)
    if removal.isUnmatched { null("registration") }
    string("site", removal.site)
  }

  private mutating func write(_ change: Change) {
    object("subject", change.subject)
    required("key", change.key)
    identifier("change", change.id)
    if change.kind != .setting { text("kind", change.kind.rawValue) }
  }

  private mutating func write(_ delivery: Delivery) {
    identifier("registration", delivery.registration)
    identifier("change", delivery.change)
    text("phase", delivery.phase.rawValue)
    string("executor", delivery.executor)
    if let isHandled = delivery.isHandled { flag("handled", isHandled) }
    string("exception", delivery.exception)
  }

  private mutating func write(_ attachment: Attachment) {
    identifier("registration", attachment.registration)
    number("depth", attachment.depth)
    required("key", attachment.key)
    object("object", attachment.object)
    text("strength", attachment.strength.rawValue)
  }

  private mutating func write(_ reference: Reference) {
    object("from", reference.from, isKindSaid: !reference.unsaidKinds.contains(.from))
    object("to", reference.to, isKindSaid: !reference.unsaidKinds.contains(.to))
    string("label", reference.label)
    text("strength", reference.strength.rawValue)
    text("certainty", reference.certainty.rawValue)
    string("site", reference.site)
  }

  private mutating func write(_ scope: Scope) {
    identifier("id", scope.id)
    identifier("parent", scope.parent)
    string("name", scope.name)
    number("repetition", scope.repetition)
  }

  private mutating func write(_ declaration: KeyDeclaration) {
    required("class", declaration.className)
    string("superclass", declaration.superclass)
    required("key", declaration.key)
    strings("affectedBy", declaration.affectedBy)
    flag("manual", declaration.isManual)
    if let problem = declaration.problem { text("problem", problem.rawValue) }
  }

  private mutating func write(_ crash: Crash) {
    string("signal", crash.signal)
    string("exception", crash.exception)
    string("reason", crash.reason)
    number("live", crash.liveCount)
  }
}
