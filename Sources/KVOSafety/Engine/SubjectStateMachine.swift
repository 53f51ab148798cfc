internal import KVORules
internal import KVOTrace

/// The registrations on one object and the links that listen to its keys, as a pure state machine.
///
/// `SubjectStorage` runs it under a lock and acts on what it returns. It and the cells (`DeliveryCell`) that it hands
/// out decide which observers may be notified: a delivery is claimed before it begins, and a registration that has
/// ended is never claimed again, so that no delivery begins after a removal has returned.
struct SubjectStateMachine: Sendable {
  private var ledger: SubjectLedger
  /// The cells in which deliveries of the registrations are claimed, by their indexes in the
  /// ledger.
  ///
  /// A free index keeps its cell for the next registration there, or has none if the previous registration is still
  /// delivering.
  private var cells: [DeliveryCellReference?] = []
  /// The links on this object, by key; a key that was once observed keeps its index.
  private var links: [LinkList] = []
  private var pool = DeliveryCellPool()
  private var waiters: [DeliveryCellReference: [Waiter]] = [:]
  /// How many running changes cover the notifications of setters inside them.
  private var coveringChangeCount = 0
  private(set) var isDeallocated = false

  /// Whether setters must check if the class notifies of their key itself.
  private let hasManualKeys: Bool

  init(historyCapacity: Int, hasManualKeys: Bool = false) {
    ledger = SubjectLedger(historyCapacity: historyCapacity, isLive: true)
    self.hasManualKeys = hasManualKeys
  }

  /// What remains to be done after a removal by name.
  struct End {
    /// The position of the event among those of the object.
    var order: UInt64
    /// The observation that ended; nil if none did.
    ///
    /// Possibly its last reference, which must be released outside of the lock.
    var ended: Observation?
    var verdicts: [Verdict] = []
  }

  // MARK: Registering

  /// Puts the observation into the table: from here on changes are delivered to it.
  ///
  /// - Parameters:
  ///   - observation: what is added; the machine takes over a reference.
  ///   - evidence: the stack and the source location of the call.
  ///   - isFinished: whether nothing of the addition remains to be done, such as an initial delivery; else
  ///     ``finishAdding(_:)`` follows.
  ///   - published: updated with the keys that are observed now.
  ///   - verdicts: receives the faults of the registration.
  /// - Returns: the cell in which its deliveries are claimed.
  mutating func add(
    _ observation: Unmanaged<Observation>,
    at evidence: Evidence,
    isFinished: Bool,
    in published: borrowing PublishedKeys,
    _ verdicts: inout [Verdict]
  ) -> DeliveryCellReference {
    observation._withUnsafeGuaranteedRef { known in
      let slot = ledger.add(known.registration, at: evidence, isFinished: isFinished, &verdicts)
      let cell = cell(at: slot)
      cell.pointer.pointee.open(observation)
      known.take(cell)
      let index = openIndex(of: known.key)
      links[index].append(first: observation)
      if let affecting = known.affecting { attach(known, to: affecting, in: published) }
      publish(index, in: published)
      return cell
    }
  }

  /// Links an observation to the keys of this object that affect its own.
  @inline(never)
  private mutating func attach(
    _ observation: Observation,
    to affecting: [StringID],
    in published: borrowing PublishedKeys
  ) {
    for (index, key) in affecting.enumerated() {
      let link = ObservationLink(
        observation: observation,
        number: Int32(index + 1),
        key: key,
        isDirect: false,
        isIntermediate: false
      )
      _ = attach(link, in: published)
    }
  }

  @inline(never)
  private mutating func detach(
    _ observation: Observation,
    from affecting: [StringID],
    in published: borrowing PublishedKeys
  ) {
    for (index, key) in affecting.enumerated() {
      _ = detach(observation.id, number: Int32(index + 1), key: key, in: published)
    }
  }

  /// A free cell for a registration at `slot`.
  private mutating func cell(at slot: Int) -> DeliveryCellReference {
    if slot < cells.count, let cell = cells[slot] { return cell }
    let cell = pool.take()
    if slot < cells.count { cells[slot] = cell } else { cells.append(cell) }
    return cell
  }

  /// The initial delivery is done, or none was asked for.
  mutating func finishAdding(_ id: RegistrationID) { ledger.finishAdding(id) }

  mutating func beginInitial(_ id: RegistrationID, at evidence: Evidence) {
    ledger.beginInitial(id, at: evidence)
  }

  mutating func endInitial(_ id: RegistrationID) { ledger.endInitial(id) }

  /// An addition by name was refused.
  mutating func noteRefusal(of registration: Registration) {
    ledger.noteRefusal(of: registration)
  }

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
    if outcome.slot >= 0 {
      end.ended = forget(outcome.slot, in: published)?.takeRetainedValue()
    }
    return (end, outcome.matched)
  }

  /// Ends one registration in any other way; does nothing if it has ended already.
  ///
  /// `published` is updated with the keys that are observed now.
  ///
  /// - Returns: the ended registration; the caller takes over a reference.
  mutating func cancel(
    _ id: RegistrationID,
    by cause: CancelCause,
    at evidence: Evidence,
    in published: borrowing PublishedKeys,
    _ verdicts: inout [Verdict]
  ) -> Unmanaged<Observation>? {
    let slot = ledger.cancel(id, by: cause, at: evidence, &verdicts)
    return slot < 0 ? nil : forget(slot, in: published)
  }

  /// The same if the end need be neither reported nor remembered; otherwise does nothing.
  ///
  /// - Returns: the ended registration; the caller takes over a reference.
  mutating func drop(
    _ id: RegistrationID,
    by cause: CancelCause,
    in published: borrowing PublishedKeys
  ) -> Unmanaged<Observation>? {
    let slot = ledger.drop(id, by: cause)
    return slot < 0 ? nil : forget(slot, in: published)
  }

  /// The object is deallocated: everything ends.
  mutating func deallocate(
    at evidence: Evidence,
    in published: borrowing PublishedKeys
  ) -> (
    ended: [Observation], verdicts: [Verdict]
  ) {
    isDeallocated = true
    let slots = ledger.liveSlots
    let verdicts = ledger.subjectDeallocated(at: evidence).verdicts
    var ended: [Observation] = []
    for slot in slots {
      if let held = forget(slot, in: published) { ended.append(held.takeRetainedValue()) }
    }
    links.removeAll()
    publishMasks(in: published)
    return (ended, verdicts)
  }

  /// Removes the registration at `slot`: its deliveries can no longer be claimed.
  ///
  /// - Returns: the registration; the caller takes over a reference.
  private mutating func forget(
    _ slot: Int,
    in published: borrowing PublishedKeys
  ) -> Unmanaged<Observation>? {
    guard let cell = cells[slot], let held = cell.pointer.pointee.observation else { return nil }
    held._withUnsafeGuaranteedRef { known in
      if let affecting = known.affecting { detach(known, from: affecting, in: published) }
      if let index = self.index(of: known.key) {
        links[index].remove(first: held)
        publish(index, in: published)
      }
    }
    if cell.pointer.pointee.close() { return cell.pointer.pointee.release() }
    // The running delivery releases it.
    cells[slot] = nil
    return held.retain()
  }

  // MARK: Delivering

  /// The links of observations that are registered on other objects.
  var linksOfOthers: [ObservationLink] {
    links.flatMap { list in
      var list = list
      return list.all.filter { $0.number != 0 }
    }
  }

  /// The links that listen to `key`, in order of addition.
  mutating func links(to key: StringID) -> [ObservationLink] {
    guard let index = index(of: key) else { return [] }
    return links[index].all
  }

  /// Handles the end of a delivery that a thread waits for, or of the last delivery of an ended registration.
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
    /// How many deliveries of the registration the waiting thread itself is running.
    var depth: Int
    var gate: ThreadGate
  }

  /// Makes a gate if deliveries of registration `id` are running on other threads.
  ///
  /// It does not wait for a thread that is itself waiting inside its delivery: neither would end.
  ///
  /// - Parameters:
  ///   - id: the registration, which has ended.
  ///   - cell: the cell in which its deliveries were claimed.
  ///   - depth: how many of them the calling thread is running.
  /// - Returns: the gate; nil if there is nothing to wait for.
  mutating func wait(
    for id: RegistrationID,
    in cell: DeliveryCellReference,
    depth: Int
  ) -> ThreadGate? {
    // The cell may belong to another registration by now: then this one's deliveries have ended.
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

  /// Adds a link of an observation to this object.
  ///
  /// Returns false if the object is deallocated.
  mutating func attach(
    _ link: ObservationLink,
    in published: borrowing PublishedKeys
  ) -> Bool {
    guard !isDeallocated else { return false }
    let index = openIndex(of: link.key)
    links[index].append(link)
    publish(index, in: published)
    return true
  }

  /// Removes a link of an observation from this object.
  mutating func detach(
    _ id: RegistrationID,
    number: Int32,
    key: StringID,
    in published: borrowing PublishedKeys
  ) -> Bool {
    guard let index = index(of: key), links[index].remove(id, number: number) else { return false }
    publish(index, in: published)
    return true
  }

  /// The index of the links to `key`, made if there is none.
  private mutating func openIndex(of key: StringID) -> Int {
    if let index = index(of: key) { return index }
    links.append(LinkList(key: key))
    return links.count - 1
  }

  /// A change that covers the notifications of setters inside it begins (1) or ends (-1).
  mutating func noteCoveringChange(_ step: Int) { coveringChangeCount += step }

  // MARK: Publishing

  // Mutating although they change nothing: for a non-mutating method the whole value would be copied.

  /// Publishes the state of the key whose links are at `index` for readers without the lock.
  private mutating func publish(_ index: Int, in published: borrowing PublishedKeys) {
    // Only the registrations of this object have their cells here.
    let cell = links[index].only.flatMap { only in only._withUnsafeGuaranteedRef { $0.cell } }
    published.publish(links[index].key, cell: cell, isListenedTo: !links[index].isEmpty)
    publishMasks(in: published)
  }

  /// Publishes which keys are observed.
  mutating func publishMasks(in published: borrowing PublishedKeys) {
    var listening: UInt64 = 0
    var before: UInt64 = coveringChangeCount > 0 || hasManualKeys ? .max : 0
    for index in links.indices where !links[index].isEmpty {
      listening |= PublishedKeys.bit(links[index].key)
      if links[index].concernedBeforeCount > 0 { before |= PublishedKeys.bit(links[index].key) }
    }
    published.publish(listening: listening, concernedBefore: before)
  }

  private mutating func index(of key: StringID) -> Int? {
    for index in links.indices where links[index].key == key { return index }
    return nil
  }

  // MARK: Looking

  /// The observations that the object keeps: its own, and those that listen here to others' paths.
  var kept: [Observation] {
    ledger.liveSlots.compactMap { held(at: $0)?.takeUnretainedValue() }
      + linksOfOthers.map(\.observation)
  }

  func observation(_ id: RegistrationID) -> Observation? {
    let slot = ledger.slot(of: id)
    return slot < 0 ? nil : held(at: slot)?.takeUnretainedValue()
  }

  private func held(at slot: Int) -> Unmanaged<Observation>? {
    cells[slot]?.pointer.pointee.observation
  }

  func contains(_ id: RegistrationID) -> Bool { ledger.contains(id) }

  /// What is registered, oldest first.
  var registrations: [Registration] { ledger.registrations }

  /// The same, each with the evidence of its registration.
  var registrationsWithEvidence: [(registration: Registration, registered: Evidence)] {
    ledger.registrationsWithEvidence
  }

  var count: Int { ledger.count }

  func registration(_ id: RegistrationID) -> Registration? { ledger.registration(id) }

  /// The oldest equal registration that is older than `id`.
  func copy(of id: RegistrationID) -> RegistrationID? { ledger.copy(of: id) }

  /// The registration that the removal would end now.
  mutating func match(for removal: Removal) -> RegistrationID? { ledger.match(for: removal) }

  /// The evidence of the registration.
  func evidence(of id: RegistrationID) -> Evidence? { ledger.evidence(of: id) }

  /// Frees the cells; the object's registrations may not be used afterwards.
  mutating func deallocateCells() { pool.deallocate() }
}
