import KVOTrace

extension EventDecoder {
  /// The event's own part, or nil where `name` is not the name of an event.
  mutating func body(_ name: String, _ line: LineFields) throws(FieldError) -> Event.Body? {
    switch name {
    case "process": .process(try process(line))
    case "module": .module(try module(line))
    case "threadName": .threadName(try requiredString("name", line))
    case "live": .live(try registration(line))
    case "register": .register(try registration(line))
    case "registerEnd": .registerEnd(try requiredIdentifier("registration", line))
    case "refused":
      .refused(
        try registration(line, isRefused: true),
        reason: try line.required("reason", line.choice("reason")),
        part: try string("part", line)
      )
    case "remove": .remove(try removal(line))
    case "removeEnd": .removeEnd(try removal(line))
    case "cancel":
      .cancel(
        try requiredIdentifier("registration", line),
        by: try line.required("by", line.choice("by"))
      )
    case "willChange": .willChange(try change(line))
    case "didChange": .didChange(try change(line))
    case "notify": .notify(try delivery(line))
    case "notifyEnd": .notifyEnd(try delivery(line))
    case "attach": .attach(try attachment(line))
    case "detach": .detach(try attachment(line))
    case "deinit": .deinit(try requiredObject("object", line))
    case "deinitEnd": .deinitEnd(try requiredObject("object", line))
    default: try laterBody(name, line)
    }
  }

  private mutating func laterBody(
    _ name: String,
    _ line: LineFields
  ) throws(FieldError) -> Event.Body? {
    switch name {
    case "write":
      .write(
        subject: try requiredObject("subject", line),
        key: try requiredString("key", line),
        fingerprint: names.id(
          of: try line.required("fingerprint", line.textOrNumber("fingerprint"))
        )
      )
    case "hold": .hold(try reference(line))
    case "drop": .drop(try reference(line))
    case "walkBegin": .walkBegin(roots: try objects("roots", line))
    case "walkEnd":
      .walkEnd(
        isComplete: try line.flag("complete") ?? true,
        opaque: try strings("opaque", line),
        isAsserted: try line.flag("asserted") ?? false
      )
    case "expectDeinit":
      .expectDeinit(try requiredObject("object", line), deadline: try line.number("deadline"))
    case "scopeBegin":
      .scopeBegin(
        Scope(
          id: try requiredIdentifier("id", line),
          parent: try identifier("parent", line),
          name: try string("name", line),
          repetition: try line.number("repetition")
        )
      )
    case "scopeEnd": .scopeEnd(try requiredIdentifier("id", line))
    case "lock": .lock(try requiredIdentifier("lock", line))
    case "unlock": .unlock(try requiredIdentifier("lock", line))
    case "class": try classChange(line)
    case "declares": .declares(try declaration(line))
    case "crash": .crash(try crash(line))
    case "dropped":
      .dropped(
        count: try line.required("count", line.number("count")),
        why: try string("why", line)
      )
    case "exit": .exit(status: try line.required("status", line.number("status")))
    case "expects": .expects(rules: try rules(line))
    default: nil
    }
  }

  /// The numbers of the codes of rules.
  private func rules(_ line: LineFields) throws(FieldError) -> [UInt16] {
    guard line["rules"] != nil else {
      throw FieldError(keys: line.path, message: "the event has no \"rules\"")
    }
    var rules: [UInt16] = []
    for code in try line.texts("rules") {
      guard code.hasPrefix("KVO"), code.utf8.count == 6, let number = UInt16(code.dropFirst(3))
      else {
        throw line.error(
          "rules",
          "\"rules\" holds \"\(code)\"; it must hold codes such as \"KVO001\""
        )
      }
      rules.append(number)
    }
    return rules
  }

  /// Without `kvoSubclass`, the name of the class says whether a runtime made it for observing.
  private mutating func classChange(_ line: LineFields) throws(FieldError) -> Event.Body {
    let object = try requiredObject("object", line)
    let name = try requiredString("class", line)
    let isKVOSubclass = try line.flag("kvoSubclass")
    return .classChanged(
      object,
      to: name,
      isKVOSubclass: isKVOSubclass ?? Grammar.isKVOSubclass(names[name])
    )
  }

  private func process(_ line: LineFields) throws(FieldError) -> ProcessInfo {
    ProcessInfo(
      schema: try line.number("schema") ?? ProcessInfo.schema,
      pid: try line.number("pid"),
      executable: try line.text("executable"),
      runtime: try line.choice("runtime"),
      os: try line.text("os"),
      started: try line.text("started"),
      isComplete: try line.flag("complete") ?? true,
      saysScopes: try line.flag("saysScopes") ?? false,
      omitsNotifications: try line.flag("omitsNotifications") ?? false
    )
  }

  private func module(_ line: LineFields) throws(FieldError) -> Module {
    Module(
      path: try line.required("path", line.text("path")),
      buildID: try line.text("buildID") ?? "",
      loadBias: try line.address("loadBias") ?? 0,
      textStart: try line.required("textStart", line.address("textStart")),
      textEnd: try line.required("textEnd", line.address("textEnd"))
    )
  }

  private mutating func registration(
    _ line: LineFields,
    isRefused: Bool = false
  ) throws(FieldError) -> Registration {
    let subject = try requiredObject("subject", line)
    let observer = try object("observer", line)
    let keyPath = isRefused ? try string("keyPath", line) : try requiredString("keyPath", line)
    let context = try context(line)
    let options = try options(line)
    let id: RegistrationID? = try identifier("registration", line)
    let form: Registration.Form? = try line.choice("form")
    let token = try object("token", line)
    return Registration(
      id: id,
      subject: subject,
      observer: observer,
      keyPath: keyPath,
      context: context,
      options: options,
      form: form ?? .unsaid(observer: observer, token: token),
      token: token,
      site: try string("site", line),
      executor: try string("executor", line),
      expectedToLive: try string("expectedToLive", line)
    )
  }

  private func options(_ line: LineFields) throws(FieldError) -> Registration.Options {
    var options: Registration.Options = []
    for name in try line.texts("options") {
      guard let named = Registration.Options.named.first(where: { $0.name == name }) else {
        let known = Registration.Options.named.map { "\"\($0.name)\"" }.joined(separator: ", ")
        throw line.error("options", "\"options\" holds \"\(name)\"; it must hold \(known) only")
      }
      options.insert(named.option)
    }
    return options
  }

  private mutating func removal(_ line: LineFields) throws(FieldError) -> Removal {
    Removal(
      subject: try requiredObject("subject", line),
      observer: try object("observer", line),
      keyPath: try requiredString("keyPath", line),
      context: try context(line),
      registration: try identifier("registration", line),
      isUnmatched: line.isNull("registration"),
      site: try string("site", line)
    )
  }

  private mutating func change(_ line: LineFields) throws(FieldError) -> Change {
    Change(
      subject: try requiredObject("subject", line),
      key: try requiredString("key", line),
      id: try identifier("change", line),
      kind: try line.choice("kind") ?? .setting
    )
  }

  private mutating func delivery(_ line: LineFields) throws(FieldError) -> Delivery {
    Delivery(
      registration: try requiredIdentifier("registration", line),
      change: try identifier("change", line),
      phase: try line.choice("phase") ?? .after,
      executor: try string("executor", line),
      isHandled: try line.flag("handled"),
      exception: try string("exception", line)
    )
  }

  private mutating func attachment(_ line: LineFields) throws(FieldError) -> Attachment {
    Attachment(
      registration: try requiredIdentifier("registration", line),
      depth: Int(try line.required("depth", line.number("depth", UInt32.self))),
      key: try requiredString("key", line),
      object: try requiredObject("object", line),
      strength: try line.choice("strength") ?? .strong
    )
  }

  private mutating func reference(_ line: LineFields) throws(FieldError) -> Reference {
    var unsaid: Reference.Ends = []
    let from = try requiredEnd("from", line, &unsaid, .from)
    return Reference(
      from: from,
      to: try requiredEnd("to", line, &unsaid, .to),
      label: try string("label", line),
      strength: try line.choice("strength") ?? .strong,
      certainty: try line.choice("certainty") ?? .proven,
      site: try string("site", line),
      unsaidKinds: unsaid
    )
  }

  /// One end of a reference: without a `kind`, its class says what it is, or nothing does.
  private mutating func requiredEnd(
    _ key: String,
    _ line: LineFields,
    _ unsaid: inout Reference.Ends,
    _ end: Reference.Ends
  ) throws(FieldError) -> ObjectRef {
    var object = try requiredObject(key, line)
    guard try line.fields(key)?["kind"] == nil else { return object }
    guard let kind = ObjectRef.Kind(className: names[object.className]) else {
      unsaid.insert(end)
      return object
    }
    object.kind = kind
    return object
  }

  private mutating func declaration(_ line: LineFields) throws(FieldError) -> KeyDeclaration {
    KeyDeclaration(
      className: try requiredString("class", line),
      superclass: try string("superclass", line),
      key: try requiredString("key", line),
      affectedBy: try strings("affectedBy", line),
      isManual: try line.flag("manual") ?? false,
      problem: try line.choice("problem")
    )
  }

  private mutating func crash(_ line: LineFields) throws(FieldError) -> Crash {
    Crash(
      signal: names.id(of: try line.textOrNumber("signal") ?? ""),
      exception: try string("exception", line),
      reason: try string("reason", line),
      liveCount: try line.number("live")
    )
  }
}
