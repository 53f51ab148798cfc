public import KVOTrace

/// The registrations of any number of observed objects, live ones and the most recently ended, in slots of one array.
///
/// State, all of it owned by the value:
/// - A slot is free, live, or ended. An ended registration stays in its slot as long as the history of its object
///   remembers it, the caller holds it (``release(_:)``) or a callback of it is running; then the slot is reused.
/// - Two chains run through the slots: the live ones of an object, or the history of an object,
///   oldest first (a slot is in one of the two); and the live ones of an observer.
/// - Up to ``walkLimit`` registrations of an object are found by walking them, which is faster than hashing and is what
///   almost every object has. Beyond, `names` finds them.
///
/// Complexity: every operation is O(1) amortized, regardless of the number of registrations. Memory is bounded by the
/// registrations that were live or remembered at one time.
@usableFromInline
package struct RegistrationLedger: Sendable {
  package static let walkLimit = 8
  /// How many ended registrations of an object are remembered if those of all objects are too many.
  package static let crowdedHistory = 4

  @usableFromInline package internal(set) var slots: [Slot] = []
  private var freeSlot = -1
  @usableFromInline package internal(set) var subjects: [Subject] = []
  private var freeSubject = -1
  /// The slots of live or retained registrations, by number; in a ledger of this process, only if an object has many.
  @usableFromInline package private(set) var ids: WordTable
  /// The newest slot of each observer.
  package private(set) var observers = WordTable()
  @usableFromInline package private(set) var names = NameIndex()
  private let historyCapacity: Int
  /// How many ended registrations are remembered before every object remembers ``crowdedHistory`` at most.
  private let totalHistoryCapacity: Int
  private var rememberedCount = 0
  /// The refused additions of each object that has any; none in most programs.
  var refusals: [Int: [RefusedAddition]] = [:]
  /// Whether the registrations are those of one object of this process.
  @usableFromInline let isLive: Bool
  package private(set) var liveCount = 0
  /// How many slots were examined so far; lets a test see that nothing scans.
  package var stepCount = 0

  /// A ledger without registrations.
  ///
  /// - Parameters:
  ///   - historyCapacity: how many ended registrations of an object are remembered.
  ///   - totalHistoryCapacity: as many of all objects; beyond, an object remembers ``crowdedHistory``, so that a million
  ///     objects do not take memory for 64 million ended registrations.
  ///   - isLive: see ``isLive``: the library counts their numbers, and never looks them up by key path alone.
  package init(historyCapacity: Int, totalHistoryCapacity: Int = 1 << 18, isLive: Bool = false) {
    self.historyCapacity = max(0, historyCapacity)
    self.totalHistoryCapacity = totalHistoryCapacity
    ids = WordTable(isCounting: isLive)
    self.isLive = isLive
  }

  /// How many slots and buckets there are, used or not.
  package var capacities: [Int] {
    [slots.count, subjects.count, ids.capacity, observers.capacity, names.capacity]
  }

  // MARK: - Objects

  /// Begins to track an object.
  package mutating func open(
    _ id: ObjectID,
    _ semantics: MatchingSemantics,
    hasUnknownPast: Bool
  ) -> Int {
    let subject = Subject(id: id, semantics: semantics, hasUnknownPast: hasUnknownPast)
    guard freeSubject >= 0 else {
      subjects.append(subject)
      return subjects.count - 1
    }
    let index = freeSubject
    freeSubject = Int(subjects[index].oldest)
    subjects[index] = subject
    return index
  }

  /// Whether anything is remembered of what `subject` no longer has.
  package func hasPast(_ subject: Int) -> Bool {
    subjects[subject].newestEnded >= 0 || (!refusals.isEmpty && refusals[subject] != nil)
  }

  /// Removes an object without live registrations, and its history.
  package mutating func close(_ subject: Int) {
    var at = Int(subjects[subject].oldestEnded)
    while at >= 0 {
      let next = Int(slots[at].newer)
      leaveHistory(at)
      at = next
    }
    if !refusals.isEmpty { refusals[subject] = nil }
    subjects[subject].oldest = Int32(freeSubject)
    freeSubject = subject
  }

  /// An event of the object has the position `order` among its events.
  @inlinable @inline(__always)
  package mutating func note(_ order: UInt64, of subject: Int) {
    if subjects[subject].lastOrder < order { subjects[subject].lastOrder = order }
  }

  // MARK: - Finding

  /// The slot of the registration with the number `id`, live or held; -1 if there is none.
  @inlinable @inline(__always)
  package func slot(of id: RegistrationID) -> Int { ids.find(id.rawValue) }

  /// The slot of the live registration with the number `id`; -1 if there is none.
  // Inlined: a call from a mutating method would copy the whole ledger.
  @inlinable @inline(__always)
  package func liveSlot(of id: RegistrationID) -> Int {
    if isLive, !subjects[0].isIndexed { return walk(to: id) }
    let at = ids.find(id.rawValue)
    return at >= 0 && slots[at].state == .live ? at : -1
  }

  @inlinable @inline(__always) func walk(to id: RegistrationID) -> Int {
    var at = Int(subjects[0].newest)
    while at >= 0, slots[at].registration.id != id { at = Int(slots[at].older) }
    return at
  }

  @inlinable @inline(__always)
  package func isLive(_ slot: Int) -> Bool { slots[slot].state == .live }

  /// The object that the registration at `slot` is or was on; -1 if it is no longer tracked.
  @inlinable @inline(__always)
  package func subject(of slot: Int) -> Int {
    let subject = Int(slots[slot].subject)
    if case .live = slots[slot].state { return subject }
    // The slot may have been reused for another object.
    return subjects[subject].id == slots[slot].registration.subject.id ? subject : -1
  }

  // MARK: - Storing

  /// Puts `registration`, whose number is set, after the others of `subject`.
  package mutating func insert(
    _ registration: Registration,
    on subject: Int,
    at evidence: Evidence,
    isBeingAdded: Bool
  ) -> Int {
    let newest = subjects[subject].newest
    let observer = registration.observer?.id
    let olderOfObserver = observer.map { observers.find($0.rawValue) } ?? -1
    let at: Int
    if freeSlot >= 0 {
      at = freeSlot
      freeSlot = Int(slots[at].older)
    } else {
      at = slots.count
      slots.append(Slot(registration: registration, evidence))
    }
    Self.fill(
      &slots[at],
      registration,
      on: Int32(subject),
      at: evidence,
      isBeingAdded: isBeingAdded,
      older: newest,
      olderOfObserver: Int32(olderOfObserver)
    )
    if newest >= 0 { slots[Int(newest)].newer = Int32(at) }
    Self.append(Int32(at), to: &subjects[subject])
    if let observer {
      if olderOfObserver >= 0 { slots[olderOfObserver].newerOfObserver = Int32(at) }
      observers.set(observer.rawValue, at)
    }
    liveCount += 1
    if !isLive, let id = registration.id { ids.set(id.rawValue, at) }
    if subjects[subject].isIndexed {
      index(at, on: subject)
    } else if subjects[subject].count > Self.walkLimit {
      subjects[subject].isIndexed = true
      for other in live(of: subject) { index(other, on: subject) }
    }
    return at
  }

  // One access to the slot for all of it: a whole new value would be copied once more.
  @inline(__always)
  private static func fill(
    _ slot: inout Slot,
    _ registration: Registration,
    on subject: Int32,
    at evidence: Evidence,
    isBeingAdded: Bool,
    older: Int32,
    olderOfObserver: Int32
  ) {
    slot.subject = subject
    slot.isBeingAdded = isBeingAdded
    slot.older = older
    slot.olderOfObserver = olderOfObserver
    slot.newer = -1
    slot.newerOfObserver = -1
    slot.callbackCount = 0
    slot.state = .live
    slot.isDeliveringInitial = false
    slot.isHeld = false
    slot.wasNotified = false
    slot.isNumbered = true
    slot.isScoped = false
    slot.isEndGuessed = false
    slot.isEndShared = false
    slot.cause = nil
    slot.registration = registration
    slot.registered = evidence.as(.registered)
    slot.later = evidence
  }

  private static func append(_ slot: Int32, to subject: inout Subject) {
    if subject.newest < 0 { subject.oldest = slot }
    subject.newest = slot
    subject.count += 1
  }

  /// Ends the live registration at `slot`, and holds it until ``release(_:)``.
  ///
  /// It becomes the newest of the history of its object if it `isRemembered` and may be looked up there: a removal
  /// names an observer, or matched it before. Token registrations are never looked up by name.
  package mutating func end(
    _ slot: Int,
    at evidence: Evidence,
    by cause: CancelCause?,
    isRemembered: Bool = true
  ) {
    unlink(slot)
    liveCount -= 1
    slots[slot].later = evidence.as(.removed)
    slots[slot].cause = cause
    slots[slot].isHeld = true
    slots[slot].state = .forgotten
    guard isRemembered, cause == nil || slots[slot].registration.observer != nil else { return }
    let subject = Int(slots[slot].subject)
    guard historyCapacity > 0 else {
      subjects[subject].hasLostHistory = true
      return
    }
    let newest = subjects[subject].newestEnded
    slots[slot].state = .remembered
    slots[slot].older = newest
    slots[slot].newer = -1
    if newest >= 0 {
      slots[Int(newest)].newer = Int32(slot)
    } else {
      subjects[subject].oldestEnded = Int32(slot)
    }
    subjects[subject].newestEnded = Int32(slot)
    subjects[subject].endedCount += 1
    rememberedCount += 1
    let isCrowded = rememberedCount > totalHistoryCapacity
    let capacity = isCrowded ? min(historyCapacity, Self.crowdedHistory) : historyCapacity
    while subjects[subject].endedCount > capacity {
      let oldest = Int(subjects[subject].oldestEnded)
      // The program may still remove what the runtime ended, and without it that would be a fault.
      if slots[oldest].cause == .runtime, subjects[subject].endedCount <= historyCapacity { break }
      subjects[subject].endedCount -= 1
      subjects[subject].hasLostHistory = true
      subjects[subject].oldestEnded = slots[oldest].newer
      leaveHistory(oldest)
    }
  }

  /// Ends and releases the live registration at `slot`, if its end by `cause` needs neither a verdict nor a record: the
  /// registration of a token whose object is alive.
  ///
  /// - Returns: whether it was ended.
  package mutating func drop(_ slot: Int, by cause: CancelCause) -> Bool {
    switch cause {
    case .subject, .observer: return false
    case .user, .owner, .token, .runtime: break
    }
    guard slots[slot].registration.observer == nil, !slots[slot].isDeliveringInitial,
      slots[slot].callbackCount == 0
    else { return false }
    unlink(slot)
    liveCount -= 1
    if ids.count > 0, let id = slots[slot].registration.id { ids.remove(id.rawValue) }
    free(slot)
    return true
  }

  /// The caller no longer needs the registration at `slot`, which it ended.
  package mutating func release(_ slot: Int) {
    guard slots[slot].isHeld else { return }
    slots[slot].isHeld = false
    if let id = slots[slot].registration.id, ids.find(id.rawValue) == slot {
      ids.remove(id.rawValue)
    }
    freeIfUnused(slot)
  }

  /// The program removed a registration that the runtime had already ended: from here on it counts as removed.
  package mutating func noteRemoval(_ slot: Int, at evidence: Evidence) {
    slots[slot].cause = nil
    slots[slot].later = evidence.as(.removed)
  }

  private mutating func leaveHistory(_ slot: Int) {
    rememberedCount -= 1
    slots[slot].state = .forgotten
    freeIfUnused(slot)
  }

  @usableFromInline mutating func freeIfUnused(_ slot: Int) {
    guard slots[slot].state == .forgotten, !slots[slot].isHeld, slots[slot].callbackCount == 0
    else { return }
    free(slot)
  }

  private mutating func free(_ slot: Int) {
    slots[slot].state = .free
    slots[slot].older = Int32(freeSlot)
    freeSlot = slot
  }

  /// Removes a live slot from its chains.
  private mutating func unlink(_ slot: Int) {
    let subject = Int(slots[slot].subject)
    let older = slots[slot].older
    let newer = slots[slot].newer
    if older >= 0 { slots[Int(older)].newer = newer }
    if newer >= 0 { slots[Int(newer)].older = older }
    let isIndexed = Self.unlink(between: older, newer, from: &subjects[subject])
    if let observer = slots[slot].registration.observer?.id { unlink(slot, from: observer) }
    if isIndexed, isNamed(slots[slot].registration) {
      names.remove(slot, slots[slot].registration, on: subject)
    }
  }

  /// Whether `registration` may be looked up by name: not for a token's, which no removal names.
  private func isNamed(_ registration: Registration) -> Bool {
    !isLive || registration.observer != nil || registration.isClassic
  }

  /// Makes a registration findable among many.
  private mutating func index(_ slot: Int, on subject: Int) {
    let registration = slots[slot].registration
    if isLive, let id = registration.id { ids.set(id.rawValue, slot) }
    if isNamed(registration) { names.insert(slot, registration, on: subject) }
  }

  // One access to the object for all of it.
  private static func unlink(
    between older: Int32,
    _ newer: Int32,
    from subject: inout Subject
  ) -> Bool {
    if older < 0 { subject.oldest = newer }
    if newer < 0 { subject.newest = older }
    subject.count -= 1
    let isIndexed = subject.isIndexed
    if subject.count == 0 { subject.isIndexed = false }
    return isIndexed
  }

  private mutating func unlink(_ slot: Int, from observer: ObjectID) {
    let older = slots[slot].olderOfObserver
    let newer = slots[slot].newerOfObserver
    if older >= 0 { slots[Int(older)].newerOfObserver = newer }
    if newer >= 0 {
      slots[Int(newer)].olderOfObserver = older
    } else if older >= 0 {
      observers.set(observer.rawValue, Int(older))
    } else {
      observers.remove(observer.rawValue)
    }
  }
}
