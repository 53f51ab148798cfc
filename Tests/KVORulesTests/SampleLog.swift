import KVOFindings
import KVOReplay
import KVORules
import KVOTrace

/// A log that a test writes: events by text, numbered from 1.
///
/// Objects are written `Account#12`, with their kind before them where it is another than `object`:
/// `registry:Pool#4`.
struct SampleLog: Sendable {
  var names = TraceNames()
  var events: [Event] = []

  init(_ write: (inout SampleLog) -> Void = { _ in }) { write(&self) }

  /// What is wrong in the log, at its end included.
  func verdicts(
    profile: Profile? = nil,
    options: RuleEngine.Options = .init()
  ) -> [Verdict] {
    run(profile: profile, options: options).verdicts
  }

  func run(
    profile: Profile? = nil,
    options: RuleEngine.Options = .init()
  ) -> (verdicts: [Verdict], engine: RuleEngine) {
    var engine = RuleEngine(profile: profile, options: options)
    var notifying = NotifyingClasses()
    engine.learn(notifying.update(from: names))
    var verdicts: [Verdict] = []
    for (index, event) in events.enumerated() {
      verdicts += engine.consume(event, number: index + 1)
    }
    verdicts += engine.finish()
    return (verdicts, engine)
  }

  /// The codes of the verdicts in their order, each with its failed event: `KVO001@4`.
  func outcome(profile: Profile? = nil, options: RuleEngine.Options = .init()) -> [String] {
    verdicts(profile: profile, options: options).map(\.brief)
  }

  /// The whole text report, findings folded.
  func report(
    profile: Profile = .swift,
    threadNames: [String: String] = ["1": "main"],
    resolver: (any FrameResolver)? = nil,
    modules: [Module] = []
  ) -> String {
    var copy = self
    var spelled: [ThreadID: StringID] = [:]
    for (thread, name) in threadNames {
      spelled[copy.names.identifier(thread)] = copy.names.id(of: name)
    }
    let builder = FindingBuilder(
      names: copy.names,
      profile: profile,
      threadNames: spelled,
      modules: modules,
      resolver: resolver
    )
    var folder = FindingFolder()
    let recorded = profile == .swift ? nil : profile
    for verdict in verdicts(profile: recorded) { folder.add(builder.finding(for: verdict)) }
    return folder.findings.map(FindingText().render).joined(separator: "\n")
  }

  // MARK: - Words

  mutating func object(_ text: String) -> ObjectRef {
    let parts = text.split(separator: ":")
    let kind = parts.count > 1 ? ObjectRef.Kind(rawValue: String(parts[0])) : nil
    let name = (parts.last ?? "").split(separator: "#")
    return ObjectRef(
      id: names.identifier(String(name.last ?? "")),
      className: names.id(of: String(name.first ?? "")),
      kind: kind ?? .object
    )
  }

  mutating func context(_ text: String?) -> Context {
    switch text {
    case nil: .unspecified
    case "NULL": .null
    case let text?: .named(names.id(of: text))
    }
  }

  mutating func registration(
    _ id: String?,
    _ subject: String,
    by observer: String?,
    _ keyPath: String,
    context: String? = nil,
    options: Registration.Options = [],
    form: Registration.Form = .classic,
    at site: String = "",
    executor: String = "",
    token: String? = nil,
    expectedToLive: String = ""
  ) -> Registration {
    Registration(
      id: id.map { names.identifier($0) },
      subject: object(subject),
      observer: observer.map { object($0) },
      keyPath: names.id(of: keyPath),
      context: self.context(context),
      options: options,
      form: form,
      token: token.map { object($0) },
      site: names.id(of: site),
      executor: names.id(of: executor),
      expectedToLive: names.id(of: expectedToLive)
    )
  }

  mutating func add(
    _ body: Event.Body,
    thread: String? = "1",
    order: UInt64? = nil,
    scope: String? = nil,
    stack: [String] = []
  ) {
    let frames = stack.map { Frame(symbol: names.id(of: $0)) }
    events.append(
      Event(
        body,
        thread: thread.map { names.identifier($0) },
        order: order,
        stack: names.id(of: frames),
        scope: scope.map { names.identifier($0) }
      )
    )
  }

  // MARK: - Events

  mutating func register(
    _ id: String? = "1",
    _ subject: String = "Account#12",
    by observer: String? = "Screen#3",
    _ keyPath: String = "balance",
    context: String? = nil,
    options: Registration.Options = [],
    form: Registration.Form = .classic,
    at site: String = "",
    executor: String = "",
    token: String? = nil,
    expectedToLive: String = "",
    thread: String? = "1",
    order: UInt64? = nil,
    scope: String? = nil,
    stack: [String] = ["Screen.init(account:) (Screen.swift:12)"]
  ) {
    let registration = registration(
      id,
      subject,
      by: observer,
      keyPath,
      context: context,
      options: options,
      form: form,
      at: site,
      executor: executor,
      token: token,
      expectedToLive: expectedToLive
    )
    add(.register(registration), thread: thread, order: order, scope: scope, stack: stack)
  }

  mutating func registerEnd(_ id: String = "1", thread: String? = "1") {
    add(.registerEnd(names.identifier(id)), thread: thread)
  }

  mutating func remove(
    _ id: String? = nil,
    _ subject: String = "Account#12",
    by observer: String? = "Screen#3",
    _ keyPath: String = "balance",
    context: String? = nil,
    isUnmatched: Bool = false,
    thread: String? = "1",
    order: UInt64? = nil,
    stack: [String] = ["Screen.close() (Screen.swift:29)"]
  ) {
    var removal = removal(id, subject, by: observer, keyPath, context: context)
    removal.isUnmatched = isUnmatched
    add(.remove(removal), thread: thread, order: order, stack: stack)
  }

  mutating func removeEnd(
    _ id: String? = nil,
    _ subject: String = "Account#12",
    by observer: String? = "Screen#3",
    _ keyPath: String = "balance",
    context: String? = nil,
    thread: String? = "1",
    order: UInt64? = nil
  ) {
    let removal = removal(id, subject, by: observer, keyPath, context: context)
    add(.removeEnd(removal), thread: thread, order: order)
  }

  private mutating func removal(
    _ id: String?,
    _ subject: String,
    by observer: String?,
    _ keyPath: String,
    context: String?
  ) -> Removal {
    Removal(
      subject: object(subject),
      observer: observer.map { object($0) },
      keyPath: names.id(of: keyPath),
      context: self.context(context),
      registration: id.map { names.identifier($0) }
    )
  }

  mutating func cancel(
    _ id: String = "1",
    by cause: CancelCause,
    thread: String? = "1",
    order: UInt64? = nil,
    scope: String? = nil,
    stack: [String] = []
  ) {
    add(
      .cancel(names.identifier(id), by: cause),
      thread: thread,
      order: order,
      scope: scope,
      stack: stack
    )
  }

  mutating func will(
    _ subject: String = "Account#12",
    _ key: String = "balance",
    change: String? = nil,
    kind: Change.Kind = .setting,
    thread: String? = "1",
    order: UInt64? = nil,
    scope: String? = nil,
    stack: [String] = ["Account.deposit(_:) (Account.swift:7)"]
  ) {
    let body = Event.Body.willChange(half(subject, key, change, kind))
    add(body, thread: thread, order: order, scope: scope, stack: stack)
  }

  mutating func did(
    _ subject: String = "Account#12",
    _ key: String = "balance",
    change: String? = nil,
    kind: Change.Kind = .setting,
    thread: String? = "1",
    order: UInt64? = nil,
    scope: String? = nil,
    stack: [String] = ["Account.deposit(_:) (Account.swift:9)"]
  ) {
    let body = Event.Body.didChange(half(subject, key, change, kind))
    add(body, thread: thread, order: order, scope: scope, stack: stack)
  }

  private mutating func half(
    _ subject: String,
    _ key: String,
    _ change: String?,
    _ kind: Change.Kind
  ) -> Change {
    Change(
      subject: object(subject),
      key: names.id(of: key),
      id: change.map { names.identifier($0) },
      kind: kind
    )
  }

  mutating func notify(
    _ id: String = "1",
    _ phase: Delivery.Phase = .after,
    change: String? = nil,
    executor: String = "",
    thread: String? = "1",
    order: UInt64? = nil,
    stack: [String] = []
  ) {
    let delivery = Delivery(
      registration: names.identifier(id),
      change: change.map { names.identifier($0) },
      phase: phase,
      executor: names.id(of: executor)
    )
    add(.notify(delivery), thread: thread, order: order, stack: stack)
  }

  mutating func notifyEnd(
    _ id: String = "1",
    _ phase: Delivery.Phase = .after,
    change: String? = nil,
    handled: Bool? = nil,
    exception: String = "",
    thread: String? = "1",
    stack: [String] = []
  ) {
    let delivery = Delivery(
      registration: names.identifier(id),
      change: change.map { names.identifier($0) },
      phase: phase,
      isHandled: handled,
      exception: names.id(of: exception)
    )
    add(.notifyEnd(delivery), thread: thread, stack: stack)
  }

  mutating func lose() { add(.dropped(count: 1, why: .none), thread: nil) }

  mutating func beginDeinit(
    _ text: String,
    thread: String? = "1",
    order: UInt64? = nil,
    stack: [String] = []
  ) {
    let object = object(text)
    add(.deinit(object), thread: thread, order: order, stack: stack)
  }

  mutating func endDeinit(
    _ text: String,
    thread: String? = "1",
    order: UInt64? = nil,
    stack: [String] = []
  ) {
    let object = object(text)
    add(.deinitEnd(object), thread: thread, order: order, stack: stack)
  }

  mutating func beginScope(_ id: String, in parent: String? = nil, name: String = "test") {
    let scope = Scope(
      id: names.identifier(id),
      parent: parent.map { names.identifier($0) },
      name: names.id(of: name)
    )
    add(.scopeBegin(scope), scope: parent)
  }

  mutating func endScope(_ id: String) { add(.scopeEnd(names.identifier(id))) }

  mutating func refuse(_ reason: RefusalReason, part: String, _ keyPath: String = "balanse") {
    let registration = registration(nil, "Account#12", by: "Screen#3", keyPath)
    add(
      .refused(registration, reason: reason, part: names.id(of: part)),
      stack: ["Screen.init(account:) (Screen.swift:12)"]
    )
  }

  mutating func process(isComplete: Bool = true, runtime: ProcessInfo.Runtime? = nil) {
    let process = ProcessInfo(runtime: runtime, isComplete: isComplete)
    add(.process(process), thread: nil)
  }

  mutating func exit(thread: String? = "1") { add(.exit(status: 0), thread: thread) }

  /// The same log after one event was changed.
  func twin(_ change: (inout SampleLog) -> Void) -> SampleLog {
    var copy = self
    change(&copy)
    return copy
  }

  /// Leaves out the event with the 1-based number `number`.
  func without(_ number: Int) -> SampleLog { twin { $0.events.remove(at: number - 1) } }

  /// Puts the last event that `write` adds before the event with the number `number`.
  func inserting(before number: Int, _ write: (inout SampleLog) -> Void) -> SampleLog {
    twin { log in
      write(&log)
      let event = log.events.removeLast()
      log.events.insert(event, at: number - 1)
    }
  }

  /// Replaces the event with the number `number` by the one that `write` adds.
  func replacing(_ number: Int, _ write: (inout SampleLog) -> Void) -> SampleLog {
    inserting(before: number, write).without(number + 1)
  }
}

extension Verdict {
  /// The code and the failed event: `KVO001@4`.
  var brief: String { "\(code.rawValue)@\(evidence.first?.event ?? 0)" }
}
