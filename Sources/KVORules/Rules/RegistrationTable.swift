import KVOTrace

/// The live registrations of one observed object, in order of addition, found by what names them.
///
/// Up to ``linearLimit`` registrations are found by walking them, which is faster than hashing and
/// is what almost every object has. Beyond, four chains run through the same slots: all, those of
/// one observer, those of one observer and key path, and those of one triple.
///
/// Complexity: every operation is O(1) amortised, whatever the number of registrations.
struct RegistrationTable: Sendable {
  /// A registration and what is known of its life so far.
  struct Entry: Sendable {
    var registration: Registration
    var id: RegistrationID
    var registered: Evidence
    /// Where its initial delivery began, while that runs.
    var initial: Evidence?
    var isBeingAdded: Bool
  }

  /// Observer and key path; removals by name see only what was added by name.
  struct Pair: Hashable, Sendable {
    var observer: ObjectID?
    var keyPath: StringID
    var isClassic: Bool
  }

  /// A pair and its context, as added.
  struct Triple: Hashable, Sendable {
    var pair: Pair
    var context: Context
  }

  static let linearLimit = 8

  /// The four chains that run through a slot.
  private enum Track { case all, observer, pair, triple }

  private struct Link {
    var older = -1
    var newer = -1
  }

  /// The two ends of a chain and its length.
  private struct Chain {
    var oldest = -1
    var newest = -1
    var count = 0
    /// In the chain of a pair: how many different contexts it has.
    var contextCount = 0
  }

  private struct Slot {
    var entry: Entry
    var all = Link()
    var observer = Link()
    var pair = Link()
    var triple = Link()

    subscript(track: Track) -> Link {
      get {
        switch track {
        case .all: all
        case .observer: observer
        case .pair: pair
        case .triple: triple
        }
      }
      set {
        switch track {
        case .all: all = newValue
        case .observer: observer = newValue
        case .pair: pair = newValue
        case .triple: triple = newValue
        }
      }
    }
  }

  private var slots: [Slot?] = []
  private var free: [Int] = []
  private var all = Chain()
  private var isIndexed = false
  private var places: [RegistrationID: Int] = [:]
  private var observers: [ObjectID: Chain] = [:]
  private var pairs: [Pair: Chain] = [:]
  private var triples: [Triple: Chain] = [:]
  /// How many slots were looked at so far; lets a test see that nothing scans.
  private(set) var stepCount = 0

  var count: Int { all.count }

  /// The registrations, oldest first.
  ///
  /// Complexity: O(n).
  var entries: [Entry] {
    var result: [Entry] = []
    result.reserveCapacity(all.count)
    var at = all.oldest
    while at >= 0, let slot = slots[at] {
      result.append(slot.entry)
      at = slot.all.newer
    }
    return result
  }

  subscript(id: RegistrationID) -> Entry? {
    mutating get { place(of: id).flatMap { slots[$0]?.entry } }
    set {
      guard let newValue, let at = place(of: id) else { return }
      slots[at]?.entry = newValue
    }
  }

  /// The registration with the number `id`, without counting the steps.
  func entry(_ id: RegistrationID) -> Entry? {
    if isIndexed { return places[id].flatMap { slots[$0]?.entry } }
    var at = all.newest
    while at >= 0, let slot = slots[at] {
      if slot.entry.id == id { return slot.entry }
      at = slot.all.older
    }
    return nil
  }

  // MARK: - Looking up by name

  /// The newest registration of `triple` and how many there are.
  mutating func newest(_ triple: Triple) -> (entry: Entry, count: Int)? {
    if isIndexed {
      stepCount += 1
      guard let chain = triples[triple], let slot = slots[chain.newest] else { return nil }
      return (slot.entry, chain.count)
    }
    return newestByWalking { Self.triple(of: $0) == triple }
  }

  /// The newest registration of `pair` and how many there are.
  mutating func newest(_ pair: Pair) -> (entry: Entry, count: Int)? {
    if isIndexed {
      stepCount += 1
      guard let chain = pairs[pair], let slot = slots[chain.newest] else { return nil }
      return (slot.entry, chain.count)
    }
    return newestByWalking { Self.pair(of: $0) == pair }
  }

  /// The newest registration of `pair` under each context, newest first, `limit` at most.
  ///
  /// Looks no further than at the newest `limit` times 8 registrations.
  mutating func newestPerContext(_ pair: Pair, limit: Int) -> [Entry] {
    var result: [Entry] = []
    var looked = 0
    var at = isIndexed ? (pairs[pair]?.newest ?? -1) : all.newest
    while at >= 0, let slot = slots[at], result.count < limit, looked < limit * 8 {
      looked += 1
      let entry = slot.entry
      if isIndexed || Self.pair(of: entry.registration) == pair,
        !result.contains(where: {
          $0.registration.context.asAdded == entry.registration.context.asAdded
        })
      {
        result.append(entry)
      }
      at = isIndexed ? slot.pair.older : slot.all.older
    }
    stepCount += looked
    return result
  }

  /// Whether the registrations of `pair` have different contexts.
  mutating func hasSeveralContexts(_ pair: Pair) -> Bool {
    if isIndexed { return pairs[pair]?.contextCount ?? 0 > 1 }
    var first: Context?
    var at = all.newest
    while at >= 0, let slot = slots[at] {
      let registration = slot.entry.registration
      if Self.pair(of: registration) == pair {
        let context = registration.context.asAdded
        if let first, first != context { return true }
        first = context
      }
      at = slot.all.older
    }
    return false
  }

  /// The registrations whose observer is `observer`, oldest first.
  ///
  /// Complexity: O(their number).
  mutating func entries(observedBy observer: ObjectID) -> [Entry] {
    guard isIndexed else {
      stepCount += all.count
      return entries.filter { $0.registration.observer?.id == observer }
    }
    var result: [Entry] = []
    var at = observers[observer]?.oldest ?? -1
    while at >= 0, let slot = slots[at] {
      stepCount += 1
      result.append(slot.entry)
      at = slot.observer.newer
    }
    return result
  }

  // MARK: - Changing

  /// Adds `entry` as the newest; its number must be new.
  mutating func insert(_ entry: Entry) {
    let at: Int
    if let reused = free.popLast() {
      slots[reused] = Slot(entry: entry)
      at = reused
    } else {
      at = slots.count
      slots.append(Slot(entry: entry))
    }
    Self.append(at, to: &all, .all, in: &slots)
    if isIndexed {
      index(at, entry)
    } else if all.count > Self.linearLimit {
      isIndexed = true
      var next = all.oldest
      while next >= 0, let slot = slots[next] {
        index(next, slot.entry)
        next = slot.all.newer
      }
    }
  }

  /// Takes out the registration with the number `id`.
  mutating func remove(_ id: RegistrationID) -> Entry? {
    guard let at = place(of: id), let slot = slots[at] else { return nil }
    let entry = slot.entry
    Self.unlink(at, from: &all, .all, in: &slots)
    if isIndexed { unindex(at, entry) }
    slots[at] = nil
    free.append(at)
    if all.count == 0 { becomeEmpty() }
    return entry
  }

  /// Takes out everything and gives the memory back.
  mutating func removeAll() {
    let steps = stepCount
    self = RegistrationTable()
    stepCount = steps
  }

  /// Nothing is registered any more: an object that is observed again and again keeps its few slots.
  private mutating func becomeEmpty() {
    if isIndexed { return removeAll() }
    slots.removeAll(keepingCapacity: true)
    free.removeAll(keepingCapacity: true)
    all = Chain()
  }

  static func pair(of registration: Registration) -> Pair {
    Pair(
      observer: registration.observer?.id,
      keyPath: registration.keyPath,
      isClassic: registration.form == .classic
    )
  }

  static func triple(of registration: Registration) -> Triple {
    Triple(pair: pair(of: registration), context: registration.context.asAdded)
  }

  // MARK: - Chains

  private mutating func place(of id: RegistrationID) -> Int? {
    if isIndexed {
      stepCount += 1
      return places[id]
    }
    var at = all.newest
    while at >= 0, let slot = slots[at] {
      stepCount += 1
      if slot.entry.id == id { return at }
      at = slot.all.older
    }
    return nil
  }

  private mutating func newestByWalking(
    where matches: (Registration) -> Bool
  ) -> (entry: Entry, count: Int)? {
    var found: Entry?
    var count = 0
    var at = all.newest
    while at >= 0, let slot = slots[at] {
      stepCount += 1
      if matches(slot.entry.registration) {
        if found == nil { found = slot.entry }
        count += 1
      }
      at = slot.all.older
    }
    return found.map { ($0, count) }
  }

  private mutating func index(_ at: Int, _ entry: Entry) {
    places[entry.id] = at
    let triple = Self.triple(of: entry.registration)
    if let observer = triple.pair.observer {
      Self.append(at, to: &observers[observer, default: Chain()], .observer, in: &slots)
    }
    Self.append(at, to: &triples[triple, default: Chain()], .triple, in: &slots)
    Self.append(at, to: &pairs[triple.pair, default: Chain()], .pair, in: &slots)
    if triples[triple]?.count == 1 { pairs[triple.pair]?.contextCount += 1 }
  }

  private mutating func unindex(_ at: Int, _ entry: Entry) {
    places[entry.id] = nil
    let triple = Self.triple(of: entry.registration)
    if let observer = triple.pair.observer, var chain = observers[observer] {
      Self.unlink(at, from: &chain, .observer, in: &slots)
      observers[observer] = chain.count == 0 ? nil : chain
    }
    if var chain = triples[triple] {
      Self.unlink(at, from: &chain, .triple, in: &slots)
      triples[triple] = chain.count == 0 ? nil : chain
      if chain.count == 0 { pairs[triple.pair]?.contextCount -= 1 }
    }
    if var chain = pairs[triple.pair] {
      Self.unlink(at, from: &chain, .pair, in: &slots)
      pairs[triple.pair] = chain.count == 0 ? nil : chain
    }
  }

  // Static, with the slots as an argument: the chain is a part of the same table.
  private static func append(
    _ at: Int,
    to chain: inout Chain,
    _ track: Track,
    in slots: inout [Slot?]
  ) {
    slots[at]?[track] = Link(older: chain.newest, newer: -1)
    if chain.newest >= 0 { slots[chain.newest]?[track].newer = at } else { chain.oldest = at }
    chain.newest = at
    chain.count += 1
  }

  private static func unlink(
    _ at: Int,
    from chain: inout Chain,
    _ track: Track,
    in slots: inout [Slot?]
  ) {
    guard let link = slots[at]?[track] else { return }
    if link.older >= 0 {
      slots[link.older]?[track].newer = link.newer
    } else {
      chain.oldest = link.newer
    }
    if link.newer >= 0 {
      slots[link.newer]?[track].older = link.older
    } else {
      chain.newest = link.older
    }
    chain.count -= 1
  }
}
