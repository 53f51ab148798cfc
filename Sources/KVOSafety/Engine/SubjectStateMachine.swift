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
  /// Where deliveries of the registrations are claimed, by their places in the ledger.
  ///
  /// A place that is free keeps its cell for the next registration there, or has none where the last one still
  /// delivers.
  private var cells: [DeliveryCellReference?] = []
  /// The links on this object, by key; a key that was listened to once keeps its place.
  private var links: [LinkList] = []
  private var pool = DeliveryCellPool()
  private var waiters: [DeliveryCellReference: [Waiter]] = [:]
  /// How many changes that cover what setters say inside them are under way.
  private var coveringChangeCount = 0
  private(set) var isDead = false

  /// Whether setters must ask if their key is one that the class notifies itself.
  private let hasManualKeys: Bool

  init(historyCapacity: Int, hasManualKeys: Bool = false) {
    ledger = SubjectLedger(historyCapacity: historyCapacity, isLive: true)
    self.hasManualKeys = hasManualKeys
  }

  /// What is to be done after a removal by name.
  struct End {
    /// The place of the event among those of the object.
    var order: UInt64
    /// What ended; nil where nothing did.
    ///
    /// Perhaps its last reference, to be given up without the lock.
    var ended: Observation?
    var verdicts: [Verdict] = []
  }

  // MARK: Registering

  /// Puts the observation into the table: from here on changes are delivered to it.
  ///
  /// - Parameters:
  ///   - observation: what is added; the machine takes over a reference.
  ///   - evidence: where.
  ///   - isFinished: whether nothing of the addition remains to be done, such as an initial delivery; else
  ///     ``finishAdding(_:)`` follows.
  ///   - published: is told who listens now.
  ///   - verdicts: takes what is wrong with it.
  /// - Returns: where its deliveries are claimed.
  mutating func add(
    _ observation: Unmanaged<Observation>,
    at evidence: Evidence,
    isFinished: Bool,
    in published: borrowing PublishedKeys,
    _ verdicts: inout [Verdict]
  ) -> DeliveryCellReference {
    observation._withUnsafeGuaranteedRef { known in
      let place = ledger.add(known.registration, at: evidence, isFinished: isFinished, &verdicts)
      let cell = cell(at: place)
      cell.pointer.pointee.open(observation)
      known.take(cell)
      let at = openPlace(of: known.key)
      links[at].append(first: observation)
      publish(at, in: published)
      return cell
    }
  }

  /// A free cell for a registration at `place`.
  private mutating func cell(at place: Int) -> DeliveryCellReference {
    if place < cells.count, let cell = cells[place] { return cell }
    let cell = pool.take()
    if place < cells.count { cells[place] = cell } else { cells.append(cell) }
    return cell
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
    at evidence: Evidence,
    in published: borrowing PublishedKeys
  ) -> (
    end: End, matched: RegistrationID?
  ) {
    let outcome = ledger.remove(removal, at: evidence)
    var end = End(order: order, ended: nil, verdicts: outcome.verdicts)
    if outcome.place >= 0 {
      end.ended = forget(outcome.place, in: published)?.takeRetainedValue()
    }
    return (end, outcome.matched)
  }

  /// Ends one registration otherwise; nothing happens where it has ended before.
  ///
  /// `published` is told who listens now.
  ///
  /// - Returns: what ended; the caller takes over a reference.
  mutating func cancel(
    _ id: RegistrationID,
    by cause: CancelCause,
    at evidence: Evidence,
    in published: borrowing PublishedKeys,
    _ verdicts: inout [Verdict]
  ) -> Unmanaged<Observation>? {
    let place = ledger.cancel(id, by: cause, at: evidence, &verdicts)
    return place < 0 ? nil : forget(place, in: published)
  }

  /// The same where nothing is to be said of the end and nothing is kept of it; else nothing happens.
  ///
  /// - Returns: what ended; the caller takes over a reference.
  mutating func drop(
    _ id: RegistrationID,
    by cause: CancelCause,
    in published: borrowing PublishedKeys
  ) -> Unmanaged<Observation>? {
    let place = ledger.drop(id, by: cause)
    return place < 0 ? nil : forget(place, in: published)
  }

  /// The object dies: everything ends.
  mutating func die(
    at evidence: Evidence,
    in published: borrowing PublishedKeys
  ) -> (
    ended: [Observation], verdicts: [Verdict]
  ) {
    isDead = true
    let places = ledger.places
    let verdicts = ledger.subjectDied(at: evidence).verdicts
    var ended: [Observation] = []
    for place in places {
      if let held = forget(place, in: published) { ended.append(held.takeRetainedValue()) }
    }
    links.removeAll()
    publishMasks(in: published)
    return (ended, verdicts)
  }

  /// Forgets what was registered at `place`: nothing is claimed any more.
  ///
  /// - Returns: what it was; the caller takes over a reference.
  private mutating func forget(
    _ place: Int,
    in published: borrowing PublishedKeys
  ) -> Unmanaged<Observation>? {
    guard let cell = cells[place], let held = cell.pointer.pointee.observation else { return nil }
    let key = held._withUnsafeGuaranteedRef { $0.key }
    if let place = self.place(of: key) {
      links[place].remove(first: held)
      publish(place, in: published)
    }
    if cell.pointer.pointee.close() { return cell.pointer.pointee.release() }
    // Who is running lets it go.
    cells[place] = nil
    return held.retain()
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
    guard cell.pointer.pointee.endPending() else { return (nil, gates) }
    defer { pool.takeBack(cell) }
    return (cell.pointer.pointee.release(), gates)
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
    links[openPlace(of: link.key)].append(link)
    return true
  }

  /// Takes a link of an observation off this object.
  mutating func detach(_ id: RegistrationID, number: Int32, key: StringID) -> Bool {
    guard let place = place(of: key) else { return false }
    return links[place].remove(id, number: number)
  }

  /// The place of the links to `key`, made where there is none.
  private mutating func openPlace(of key: StringID) -> Int {
    if let place = place(of: key) { return place }
    links.append(LinkList(key: key))
    return links.count - 1
  }

  /// A change that covers what setters say inside it begins (1) or ends (-1).
  mutating func noteCoveringChange(_ step: Int) { coveringChangeCount += step }

  // MARK: Publishing

  // Mutating, though they change nothing: a method that is not has the whole value copied for its call.

  /// Says what is true of `key` to those who ask without the lock.
  mutating func publish(_ key: StringID, in published: borrowing PublishedKeys) {
    if let place = place(of: key) { publish(place, in: published) }
  }

  /// The same of the key whose links are at `place`.
  private mutating func publish(_ place: Int, in published: borrowing PublishedKeys) {
    // Only the registrations of this object have their cells here.
    let cell = links[place].only.flatMap { only in only._withUnsafeGuaranteedRef { $0.cell } }
    published.publish(links[place].key, cell: cell, isListenedTo: !links[place].isEmpty)
    publishMasks(in: published)
  }

  /// Says which keys are listened to.
  mutating func publishMasks(in published: borrowing PublishedKeys) {
    var listening: UInt64 = 0
    var before: UInt64 = coveringChangeCount > 0 || hasManualKeys ? .max : 0
    for place in links.indices where !links[place].isEmpty {
      listening |= PublishedKeys.bit(links[place].key)
      if links[place].concernedBeforeCount > 0 { before |= PublishedKeys.bit(links[place].key) }
    }
    published.publish(listening: listening, concernedBefore: before)
  }

  private mutating func place(of key: StringID) -> Int? {
    for place in links.indices where links[place].key == key { return place }
    return nil
  }

  // MARK: Looking

  /// The observations that the object keeps: its own, and those that listen here to others' paths.
  var kept: [Observation] {
    ledger.places.compactMap { held(at: $0)?.takeUnretainedValue() }
      + linksOfOthers.map(\.observation)
  }

  func observation(_ id: RegistrationID) -> Observation? {
    let place = ledger.place(of: id)
    return place < 0 ? nil : held(at: place)?.takeUnretainedValue()
  }

  private func held(at place: Int) -> Unmanaged<Observation>? {
    cells[place]?.pointer.pointee.observation
  }

  func contains(_ id: RegistrationID) -> Bool { ledger.contains(id) }

  /// What is registered, oldest first.
  var registrations: [Registration] { ledger.registrations }

  /// The same, each with where it was.
  var registrationsWithEvidence: [(registration: Registration, registered: Evidence)] {
    ledger.registrationsWithEvidence
  }

  var count: Int { ledger.count }

  func registration(_ id: RegistrationID) -> Registration? { ledger.registration(id) }

  /// Where the registration was made.
  func evidence(of id: RegistrationID) -> Evidence? { ledger.evidence(of: id) }

  /// Frees the cells; nobody may use the object's registrations any more.
  mutating func deallocateCells() { pool.deallocate() }
}
