import KVOTrace

/// The slices of one process: what is open, until its end is known.
struct ProcessTimeline {
  private struct Observation {
    var id: String
    var name: String
    var key: Key
    /// The observed object and the token: the observation ends with the deallocation of either.
    var holders: [ObjectID]
    var thread: Int
  }

  /// What a removal names.
  private struct Key: Hashable {
    var subject: ObjectID
    var observer: ObjectID?
    var keyPath: StringID
  }

  /// What distinguishes the changes that are open on a thread.
  private struct ChangeKey: Hashable {
    var id: ChangeID?
    var key: StringID
  }

  /// A change or a callback that has not ended.
  private struct Open {
    var start: UInt64
    /// What is changed, or the observation.
    var name: String
    /// Of a callback.
    var phase: Delivery.Phase?
  }

  private struct Origin {
    var time: UInt64
    var thread: Int
  }

  /// How many changes are known after their end, for callbacks that come later.
  private static let originLimit = 4_096
  /// How many deallocations are open at the most, and changes and callbacks of a thread: some logs state no end of any.
  private static let openLimit = 65_536

  let ordinal: Int
  private var process: ProcessInfo?
  private var hasEvents = false
  private var pid: Int { process?.pid ?? ordinal }
  private var lastTime: UInt64 = 0
  private var threads: [ThreadID: Int] = [:]
  private var observations: [RegistrationID: Observation] = [:]
  /// The registrations that a removal without a number may mean, the newest last.
  private var numbers: [Key: OpenValues<RegistrationID, RegistrationID>] = [:]
  /// The observations that end with an object, in the order of their registrations.
  private var held: [ObjectID: OpenValues<RegistrationID, RegistrationID>] = [:]
  private var nextNumber: UInt64 = 0
  /// By thread.
  private var changes: [Int: OpenValues<ChangeKey, Open>] = [:]
  private var callbacks: [Int: OpenValues<RegistrationID, Open>] = [:]
  /// Whether the log states ends of them: otherwise nothing is known to be open.
  private var endsChanges = false
  private var endsCallbacks = false
  private var origins: [ChangeID: Origin] = [:]
  private var originOrder: [ChangeID] = []
  /// The objects whose deallocation began, and has not ended.
  private var deallocating: Set<ObjectID> = []
  private var flowCount = 0

  init(ordinal: Int) { self.ordinal = ordinal }

  /// Whether `event` begins the log of another process.
  func isOver(at event: Event) -> Bool {
    guard case .process(let next) = event.body else { return false }
    return process.map { !$0.isContinued(by: next) } ?? hasEvents
  }

  mutating func take(
    _ event: Event,
    number: Int,
    names: TraceNames,
    _ writer: inout TraceEventWriter
  ) {
    // A log without times is drawn with a microsecond for each of its events.
    let time = event.time ?? UInt64(number) * 1_000
    lastTime = max(lastTime, time)
    let thread = thread(event.thread, names, &writer)
    switch event.body {
    case .process(let info): begin(info, &writer)
    case .threadName(let name):
      writer.append(metadata("thread_name", thread: thread, names[name]))
    case .register(let registration), .live(let registration):
      open(registration, at: time, thread, event.body, names, &writer)
    case .remove(let removal):
      let key = Key(
        subject: removal.subject.id,
        observer: removal.observer?.id,
        keyPath: removal.keyPath
      )
      if let id = removal.registration ?? numbers[key]?.last {
        close(id, at: time, thread, by: "remove", &writer)
      }
    case .cancel(let id, let cause): close(id, at: time, thread, by: cause.rawValue, &writer)
    case .willChange(let change):
      let changed = "\(name(of: change.subject, names)).\(names[change.key])"
      changes[thread, default: OpenValues(limit: Self.openLimit)]
        .open(ChangeKey(id: change.id, key: change.key), Open(start: time, name: changed))
      if let id = change.id { remember(id, Origin(time: time, thread: thread)) }
    case .didChange(let change):
      endsChanges = true
      let key = ChangeKey(id: change.id, key: change.key)
      guard let opened = changes[thread]?.close(key) else { return }
      writer.append(slice(opened, until: time, thread))
    case .notify(let delivery):
      flow(to: delivery, at: time, thread, &writer)
      let observed = observations[delivery.registration]?.name ?? "ended observation"
      callbacks[thread, default: OpenValues(limit: Self.openLimit)]
        .open(
          delivery.registration,
          Open(start: time, name: observed, phase: delivery.phase)
        )
    case .notifyEnd(let delivery):
      endsCallbacks = true
      guard var opened = callbacks[thread]?.close(delivery.registration) else { return }
      opened.phase = delivery.phase
      writer.append(slice(opened, until: time, thread))
    case .deinit(let object):
      if deallocating.count == Self.openLimit { deallocating = [] }
      deallocating.insert(object.id)
      instant("deinit \(name(of: object, names))", at: time, thread, &writer)
    case .deinitEnd(let object):
      // A log may state only the ends.
      if deallocating.remove(object.id) == nil {
        instant("deinit \(name(of: object, names))", at: time, thread, &writer)
      }
      for id in held[object.id]?.values ?? [] {
        close(id, at: time, thread, by: "deinit", &writer)
      }
    case .crash(let crash):
      let name = crash.name == .none ? "crash" : "crash \(names[crash.name])"
      instant(name, at: time, thread, &writer)
    default: break
    }
    if case .process = event.body {} else { hasEvents = true }
  }

  /// Ends what is still open at the last time of the log: in a callback the process may have crashed.
  mutating func finish(names: TraceNames, _ writer: inout TraceEventWriter) {
    if endsChanges { finish(changes.mapValues(\.values), &writer) }
    if endsCallbacks { finish(callbacks.mapValues(\.values), &writer) }
    for id in observations.keys.sorted(by: { $0.rawValue < $1.rawValue }) {
      let thread = observations[id]?.thread ?? 0
      close(id, at: lastTime, thread, by: "live at the end", &writer)
    }
  }

  private func finish(_ open: [Int: [Open]], _ writer: inout TraceEventWriter) {
    for (thread, all) in open.sorted(by: { $0.key < $1.key }) {
      for one in all {
        var event = slice(one, until: lastTime, thread)
        event.arguments.append(("ended by", .text("open at the end")))
        writer.append(event)
      }
    }
  }

  // MARK: - Parts

  private mutating func begin(_ info: ProcessInfo, _ writer: inout TraceEventWriter) {
    guard process == nil else { return }
    process = info
    let name = info.executable?.split(separator: "/").last.map(String.init) ?? "process \(pid)"
    writer.append(metadata("process_name", thread: 0, name))
  }

  private mutating func open(
    _ registration: Registration,
    at time: UInt64,
    _ thread: Int,
    _ body: Event.Body,
    _ names: TraceNames,
    _ writer: inout TraceEventWriter
  ) {
    let id = registration.id ?? made()
    let key = Key(
      subject: registration.subject.id,
      observer: registration.observer?.id,
      keyPath: registration.keyPath
    )
    // A later part of a log says again what is live.
    if observations[id] != nil { return }
    let observer = registration.observer.map { " ← \(name(of: $0, names))" } ?? ""
    let subject = name(of: registration.subject, names)
    let observation = Observation(
      id: "\(pid)-\(registration.id == nil ? "unnumbered-" : "")\(names.text(of: id))",
      name: "\(subject).\(names[registration.keyPath])\(observer)",
      key: key,
      holders: [registration.subject.id] + (registration.token.map { [$0.id] } ?? []),
      thread: thread
    )
    observations[id] = observation
    for holder in observation.holders { held[holder, default: OpenValues()].open(id, id) }
    numbers[key, default: OpenValues()].open(id, id)
    var event = TraceEventWriter.Event(
      phase: .begin,
      name: observation.name,
      category: "observation",
      time: time,
      process: pid,
      thread: thread,
      id: observation.id
    )
    if let site = names.site(registration.site) { event.arguments = [("site", .text(site.text))] }
    writer.append(event)
  }

  private mutating func close(
    _ id: RegistrationID,
    at time: UInt64,
    _ thread: Int,
    by cause: String,
    _ writer: inout TraceEventWriter
  ) {
    guard let observation = observations.removeValue(forKey: id) else { return }
    numbers[observation.key]?.close(id)
    if numbers[observation.key]?.isEmpty == true { numbers[observation.key] = nil }
    for holder in observation.holders {
      held[holder]?.close(id)
      if held[holder]?.isEmpty == true { held[holder] = nil }
    }
    writer.append(
      TraceEventWriter.Event(
        phase: .end,
        name: observation.name,
        category: "observation",
        time: time,
        process: pid,
        thread: thread,
        id: observation.id,
        arguments: [("ended by", .text(cause))]
      )
    )
  }

  /// An arrow from the change to the callback.
  private mutating func flow(
    to delivery: Delivery,
    at time: UInt64,
    _ thread: Int,
    _ writer: inout TraceEventWriter
  ) {
    let open = changes[thread]?.last.map { Origin(time: $0.start, thread: thread) }
    guard let origin = delivery.change.flatMap({ origins[$0] }) ?? open else { return }
    flowCount += 1
    for (phase, time, thread) in [
      (TraceEventWriter.Phase.flowStart, origin.time, origin.thread), (.flowEnd, time, thread),
    ] {
      writer.append(
        TraceEventWriter.Event(
          phase: phase,
          name: "delivery",
          category: "delivery",
          time: time,
          process: pid,
          thread: thread,
          id: "\(pid)-\(flowCount)"
        )
      )
    }
  }

  private mutating func remember(_ id: ChangeID, _ origin: Origin) {
    if origins.updateValue(origin, forKey: id) == nil { originOrder.append(id) }
    guard originOrder.count >= 2 * Self.originLimit else { return }
    for old in originOrder.prefix(Self.originLimit) { origins[old] = nil }
    originOrder.removeFirst(Self.originLimit)
  }

  private func slice(_ open: Open, until end: UInt64, _ thread: Int) -> TraceEventWriter.Event {
    var event = TraceEventWriter.Event(
      phase: .complete,
      name: open.name,
      category: open.phase == nil ? "change" : "notification",
      time: open.start,
      duration: end > open.start ? end - open.start : 0,
      process: pid,
      thread: thread
    )
    if let phase = open.phase { event.arguments = [("phase", .text(phase.rawValue))] }
    return event
  }

  private func instant(
    _ name: String,
    at time: UInt64,
    _ thread: Int,
    _ writer: inout TraceEventWriter
  ) {
    writer.append(
      TraceEventWriter.Event(
        phase: .instant,
        name: name,
        category: "lifetime",
        time: time,
        process: pid,
        thread: thread
      )
    )
  }

  private func metadata(_ what: String, thread: Int, _ name: String) -> TraceEventWriter.Event {
    TraceEventWriter.Event(
      phase: .metadata,
      name: what,
      process: pid,
      thread: thread,
      arguments: [("name", .text(name))]
    )
  }

  /// A number for a thread: viewers take no other names.
  private mutating func thread(
    _ id: ThreadID?,
    _ names: TraceNames,
    _ writer: inout TraceEventWriter
  ) -> Int {
    guard let id else { return 0 }
    if let known = threads[id] { return known }
    if let number = id.number, number <= UInt64(Int32.max) {
      threads[id] = Int(number)
      return Int(number)
    }
    // Numbers that no system gives to a thread.
    let number = Int(Int32.max) - threads.count
    threads[id] = number
    writer.append(metadata("thread_name", thread: number, names.text(of: id)))
    return number
  }

  /// A number for a registration to which the writer gave none.
  private mutating func made() -> RegistrationID {
    nextNumber += 1
    return RegistrationID(generation: nextNumber)
  }

  private func name(of object: ObjectRef, _ names: TraceNames) -> String {
    "\(names[object.className])#\(names.text(of: object.id))"
  }
}
