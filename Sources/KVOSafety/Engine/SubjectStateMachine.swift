internal import KVORules
internal import KVOTrace

/// The registrations on one object and who listens to which of its keys, as a pure state machine.
///
/// `SubjectStorage` runs it under a lock and acts on what it returns. Who may be told of what is
/// decided here and in the cells (`DeliveryCell`) that it hands out: a delivery is claimed before it
/// begins, and a registration that has ended is never claimed again, so that after a removal returned
/// no delivery begins.
struct SubjectStateMachine: Sendable {
  private var ledger: SubjectLedger
  private var observations = RegistrationTable()
  /// The links on this object, by key; a key that was listened to once keeps its place.
  private var links: [LinkList] = []
  private var cells = DeliveryCellPool()
  private var waiters: [DeliveryCellReference: [Waiter]] = [:]
  /// How many changes of some elements of a collection are under way.
  private var collectionChangeCount = 0
  private(set) var isDead = false

  init(historyCapacity: Int) {
    ledger = SubjectLedger(historyCapacity: historyCapacity)
  }

  /// What is to be done after registrations ended.
  struct End {
    /// The place of the event among those of the object.
    var order: UInt64
    /// What ended; nil where nothing did.
    var ended: Observation?
    /// What the cell held; to be released without the lock.
    var released: Unmanaged<Observation>?
    var verdicts: [Verdict]
  }

  // MARK: Registering

  /// Puts the observation into the table: from here on changes are delivered to it.
  mutating func add(_ observation: Observation, at evidence: Evidence) -> [Verdict] {
    let verdicts = ledger.add(observation.registration, at: evidence).verdicts
    observations.insert(observation)
    observation.take(cells.open(observation))
    let isSingle = observation.path.isEmpty
    append(
      ObservationLink(
        observation: observation,
        number: 0,
        key: observation.key,
        isDirect: isSingle,
        isIntermediate: !isSingle || observation.declaration.map(observation.follows) == true
      )
    )
    return verdicts
  }

  /// The initial delivery is done, or none was asked for.
  mutating func finishAdding(_ id: RegistrationID) { ledger.finishAdding(id) }

  mutating func beginInitial(_ id: RegistrationID, at evidence: Evidence) {
    ledger.beginInitial(id, at: evidence)
  }

  mutating func endInitial(_ id: RegistrationID) { ledger.endInitial(id) }

  // MARK: Ending

  /// Removes by name, as the classic form does.
  mutating func remove(
    _ removal: Removal,
    order: UInt64,
    at evidence: Evidence
  ) -> (
    end: End, matched: RegistrationID?
  ) {
    let outcome = ledger.remove(removal, at: evidence)
    var end = End(order: order, ended: nil, released: nil, verdicts: outcome.verdicts)
    if let id = outcome.matched { (end.ended, end.released) = forget(id) }
    return (end, outcome.matched)
  }

  /// Ends one registration otherwise; nothing happens where it has ended before.
  mutating func cancel(
    _ id: RegistrationID,
    by cause: CancelCause,
    order: UInt64,
    at evidence: Evidence
  ) -> End? {
    let (ended, released) = forget(id)
    guard let ended else { return nil }
    let outcome = ledger.cancel(id, by: cause, at: evidence)
    return End(order: order, ended: ended, released: released, verdicts: outcome.verdicts)
  }

  /// The object dies: everything ends.
  mutating func die(
    at evidence: Evidence
  ) -> (
    ended: [Observation], released: [Unmanaged<Observation>], verdicts: [Verdict]
  ) {
    isDead = true
    let outcome = ledger.subjectDied(at: evidence)
    var ended: [Observation] = []
    var released: [Unmanaged<Observation>] = []
    for id in outcome.ended.compactMap(\.id) {
      let (observation, held) = forget(id)
      if let observation { ended.append(observation) }
      if let held { released.append(held) }
    }
    links.removeAll()
    return (ended, released, outcome.verdicts)
  }

  private mutating func forget(
    _ id: RegistrationID
  ) -> (
    ended: Observation?, released: Unmanaged<Observation>?
  ) {
    guard let observation = observations.remove(id), let cell = observation.cell
    else { return (nil, nil) }
    _ = detach(id, number: 0, key: observation.key)
    guard cell.pointer.pointee.close() else { return (observation, nil) }
    return (observation, takeBack(cell))
  }

  private mutating func takeBack(_ cell: DeliveryCellReference) -> Unmanaged<Observation>? {
    defer { cells.takeBack(cell) }
    return cell.pointer.pointee.release()
  }

  // MARK: Delivering

  /// The links of observations that were made on other objects.
  var linksOfOthers: [ObservationLink] {
    links.flatMap { list in
      var list = list
      return list.all.filter { $0.number != 0 }
    }
  }

  /// The links that listen to `key`, in order of addition.
  mutating func links(to key: StringID) -> [ObservationLink] {
    guard let place = place(of: key) else { return [] }
    return links[place].all
  }

  /// A delivery has ended that somebody waited for, or that was the last of a registration that had
  /// ended.
  mutating func settle(
    _ cell: DeliveryCellReference
  ) -> (
    released: Unmanaged<Observation>?, gates: [ThreadGate]
  ) {
    let gates = waiters.removeValue(forKey: cell)?.map(\.gate) ?? []
    if !gates.isEmpty { cell.pointer.pointee.stopAwaiting() }
    let released = cell.pointer.pointee.endPending() ? takeBack(cell) : nil
    return (released, gates)
  }

  private struct Waiter: Sendable {
    /// How many deliveries of the registration the waiting thread is itself inside of.
    var depth: Int
    var gate: ThreadGate
  }

  /// Makes a gate where deliveries of registration `id` are running on other threads.
  ///
  /// A thread that is itself waiting, inside its delivery, is not waited for: neither would end.
  ///
  /// - Parameters:
  ///   - id: the registration, which has ended.
  ///   - cell: where its deliveries were claimed.
  ///   - depth: how many of them the calling thread is inside of.
  /// - Returns: the gate; nil where there is nothing to wait for.
  mutating func wait(
    for id: RegistrationID,
    in cell: DeliveryCellReference,
    depth: Int
  ) -> ThreadGate? {
    // The cell may be another registration's by now: then this one's deliveries are long over.
    guard let held = cell.pointer.pointee.observation,
      held._withUnsafeGuaranteedRef({ $0.id }) == id
    else { return nil }
    let waiting = (waiters[cell] ?? []).reduce(depth) { $0 + $1.depth }
    guard cell.pointer.pointee.await() > waiting else {
      if waiters[cell] == nil { cell.pointer.pointee.stopAwaiting() }
      return nil
    }
    let gate = ThreadGate()
    waiters[cell, default: []].append(Waiter(depth: depth, gate: gate))
    return gate
  }

  // MARK: Listening

  /// Hangs a link of an observation on this object.
  ///
  /// False where the object is dead.
  mutating func attach(_ link: ObservationLink) -> Bool {
    guard !isDead else { return false }
    append(link)
    return true
  }

  /// Takes a link of an observation off this object.
  mutating func detach(_ id: RegistrationID, number: Int32, key: StringID) -> Bool {
    guard let place = place(of: key) else { return false }
    return links[place].remove(id, number: number)
  }

  private mutating func append(_ link: ObservationLink) {
    if let place = place(of: link.key) {
      links[place].append(link)
    } else {
      var list = LinkList(key: link.key)
      list.append(link)
      links.append(list)
    }
  }

  /// A change of some elements of a collection begins (1) or ends (-1).
  mutating func noteCollectionChange(_ step: Int) { collectionChangeCount += step }

  // MARK: Publishing

  /// Says what is true of `key` to those who ask without the lock.
  func publish(_ key: StringID, in published: borrowing PublishedKeys) {
    if let place = place(of: key) { published.publish(links[place]) }
    publishMasks(in: published)
  }

  /// Says which keys are listened to.
  func publishMasks(in published: borrowing PublishedKeys) {
    var listening: UInt64 = 0
    var before: UInt64 = collectionChangeCount > 0 ? .max : 0
    for place in links.indices where !links[place].isEmpty {
      listening |= PublishedKeys.bit(links[place].key)
      if links[place].concernedBeforeCount > 0 { before |= PublishedKeys.bit(links[place].key) }
    }
    published.publish(listening: listening, concernedBefore: before)
  }

  private func place(of key: StringID) -> Int? {
    for place in links.indices where links[place].key == key { return place }
    return nil
  }

  // MARK: Looking

  /// The observations that the object keeps: its own, and those that listen here to others' paths.
  var kept: [Observation] { observations.all + linksOfOthers.map(\.observation) }

  func observation(_ id: RegistrationID) -> Observation? { observations[id] }

  func contains(_ id: RegistrationID) -> Bool { observations[id] != nil }

  /// What is registered, oldest first.
  var registrations: [Registration] { ledger.registrations }

  /// The same, each with where it was.
  var registrationsWithEvidence: [(registration: Registration, registered: Evidence)] {
    ledger.registrationsWithEvidence
  }

  var count: Int { observations.count }

  func registration(_ id: RegistrationID) -> Registration? { observations[id]?.registration }

  /// Where the registration was made.
  func evidence(of id: RegistrationID) -> Evidence? { ledger.evidence(of: id) }

  /// Frees the cells; nobody may use the object's registrations any more.
  mutating func deallocateCells() { cells.deallocate() }
}
