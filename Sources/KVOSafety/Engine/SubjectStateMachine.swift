internal import KVORules
internal import KVOTrace

/// The registrations on one object and the deliveries under way, as a pure state machine.
///
/// `SubjectStorage` runs it under a lock and acts on what it returns. Who may be told of what is
/// decided here: a delivery is claimed before it begins, and a registration that has ended is never
/// claimed again, so that after a removal returned no delivery begins.
struct SubjectStateMachine: Sendable {
  private var ledger: SubjectLedger
  private var observations: [RegistrationID: Observation] = [:]
  /// The links on this object, by key, in order of addition.
  private var links: [StringID: LinkList] = [:]
  /// The threads that are inside a delivery, once per delivery.
  private var deliveries: [RegistrationID: [ThreadID]] = [:]
  private var waiters: [RegistrationID: [Waiter]] = [:]
  private var lastOrder: UInt64 = 0
  private(set) var isDead = false

  init(historyCapacity: Int) {
    ledger = SubjectLedger(historyCapacity: historyCapacity)
  }

  /// What is to be done after a registration ended.
  struct End {
    /// The place of the event among those of the object.
    var order: UInt64
    /// What ended; empty where nothing did.
    var ended: [Observation]
    var verdicts: [Verdict]
  }

  /// The next place among the events of the object.
  mutating func nextOrder() -> UInt64 {
    lastOrder += 1
    return lastOrder
  }

  // MARK: Registering

  /// Puts the observation into the table: from here on changes are delivered to it.
  mutating func add(
    _ observation: Observation,
    at evidence: Evidence
  ) -> (order: UInt64, verdicts: [Verdict]) {
    let evidence = numbered(evidence)
    let verdicts = ledger.add(observation.registration, at: evidence).verdicts
    observations[observation.id] = observation
    links[observation.keys[0], default: LinkList()]
      .append(ObservationLink(observation: observation, depth: 0))
    return (lastOrder, verdicts)
  }

  /// The initial delivery is done, or none was asked for.
  mutating func finishAdding(_ id: RegistrationID) -> UInt64 {
    ledger.finishAdding(id)
    return nextOrder()
  }

  // MARK: Ending

  /// Removes by name, as the classic form does.
  mutating func remove(
    _ removal: Removal,
    at evidence: Evidence
  ) -> (
    end: End, matched: RegistrationID?
  ) {
    let outcome = ledger.remove(removal, at: numbered(evidence))
    let ended = outcome.matched.map { forget([$0]) } ?? []
    return (End(order: lastOrder, ended: ended, verdicts: outcome.verdicts), outcome.matched)
  }

  /// Ends one registration otherwise; nothing happens where it has ended before.
  mutating func cancel(
    _ id: RegistrationID,
    by cause: CancelCause,
    at evidence: Evidence
  ) -> End? {
    guard observations[id] != nil else { return nil }
    let outcome = ledger.cancel(id, by: cause, at: numbered(evidence))
    return End(order: lastOrder, ended: forget([id]), verdicts: outcome.verdicts)
  }

  /// The object dies: everything ends.
  mutating func die(at evidence: Evidence) -> End {
    isDead = true
    let outcome = ledger.subjectDied(at: numbered(evidence))
    let order = lastOrder
    let ended = forget(outcome.ended.compactMap(\.id))
    links.removeAll()
    return End(order: order, ended: ended, verdicts: outcome.verdicts)
  }

  // MARK: Delivering

  /// The links that listen to `key`, in order of addition.
  func links(to key: StringID) -> [ObservationLink] { links[key]?.all ?? [] }

  /// Claims a delivery for the calling thread.
  ///
  /// - Returns: its place among the events of the object; nil where the registration has ended.
  mutating func claim(
    _ id: RegistrationID,
    on thread: ThreadID,
    isInitial: Bool
  ) -> UInt64? {
    guard observations[id] != nil else { return nil }
    deliveries[id, default: []].append(thread)
    let order = nextOrder()
    if isInitial { ledger.beginInitial(id, at: Evidence(order: order)) }
    return order
  }

  /// How many deliveries of `id` the thread is inside of.
  ///
  /// Complexity: O(deliveries of `id` that are running).
  func depth(of id: RegistrationID, on thread: ThreadID) -> Int {
    deliveries[id]?.count { $0 == thread } ?? 0
  }

  /// A claimed delivery is done.
  ///
  /// - Returns: its place among the events, and who waits for the end of all deliveries.
  mutating func finishDelivery(
    _ id: RegistrationID,
    on thread: ThreadID,
    isInitial: Bool
  ) -> (order: UInt64, gates: [ThreadGate]) {
    if isInitial { ledger.endInitial(id) }
    if let index = deliveries[id]?.lastIndex(of: thread) { deliveries[id]?.remove(at: index) }
    if deliveries[id]?.isEmpty == true { deliveries[id] = nil }
    return (nextOrder(), waiters.removeValue(forKey: id)?.map(\.gate) ?? [])
  }

  private struct Waiter: Sendable {
    var thread: ThreadID
    var gate: ThreadGate
  }

  /// Makes a gate where deliveries of `id` are running on other threads than `thread`.
  ///
  /// A thread that is itself waiting, inside its delivery, is not waited for: neither would end.
  mutating func wait(for id: RegistrationID, on thread: ThreadID) -> ThreadGate? {
    let waiting = (waiters[id] ?? []).map(\.thread) + [thread]
    guard deliveries[id]?.contains(where: { !waiting.contains($0) }) == true else { return nil }
    let gate = ThreadGate()
    waiters[id, default: []].append(Waiter(thread: thread, gate: gate))
    return gate
  }

  // MARK: Deep paths

  /// Hangs a link of another object's observation on this object.
  ///
  /// False where the object is dead.
  mutating func attach(_ link: ObservationLink) -> Bool {
    guard !isDead else { return false }
    links[link.key, default: LinkList()].append(link)
    return true
  }

  /// Takes a link of another object's observation off this object.
  mutating func detach(_ id: RegistrationID, depth: Int, key: StringID) -> Bool {
    let isRemoved = links[key]?.remove(id, depth: depth) ?? false
    if links[key]?.isEmpty == true { links[key] = nil }
    return isRemoved
  }

  // MARK: Looking

  func contains(_ id: RegistrationID) -> Bool { observations[id] != nil }

  /// What is registered, oldest first.
  var registrations: [Registration] { ledger.registrations }

  var count: Int { observations.count }

  func registration(_ id: RegistrationID) -> Registration? { observations[id]?.registration }

  /// Where the registration was made.
  func evidence(of id: RegistrationID) -> Evidence? { ledger.evidence(of: id) }

  private mutating func numbered(_ evidence: Evidence) -> Evidence {
    var evidence = evidence
    evidence.order = nextOrder()
    return evidence
  }

  private mutating func forget(_ ids: [RegistrationID]) -> [Observation] {
    ids.compactMap { id in
      guard let observation = observations.removeValue(forKey: id) else { return nil }
      _ = detach(id, depth: 0, key: observation.keys[0])
      return observation
    }
  }
}
