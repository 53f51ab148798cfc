public import KVOTrace

// Lookup of registrations by name; -1 means none.
extension RegistrationLedger {
  /// The newest live registration of `pair` on `subject`, under `context` if that is given (as
  /// added), and how many there are; the slot is -1 if there is none.
  package mutating func newest(
    _ pair: NamePair,
    _ context: Context?,
    on subject: Int
  ) -> (slot: Int, count: Int) {
    if subjects[subject].isIndexed {
      stepCount &+= 1
      let chain =
        context.map { names.chain(of: pair, $0, on: subject) } ?? names.chain(of: pair, on: subject)
      return (Int(chain.newest), Int(chain.count))
    }
    var found = -1
    var count = 0
    var at = Int(subjects[subject].newest)
    while at >= 0 {
      stepCount &+= 1
      if pair.fits(slots[at].registration),
        context == nil || slots[at].registration.context.asAdded == context
      {
        if found < 0 { found = at }
        count += 1
      }
      at = Int(slots[at].older)
    }
    return (found, count)
  }

  /// The oldest live registration that is older than that at `slot`, which names its observer, and equal to it.
  package func copy(of slot: Int, on subject: Int) -> Int {
    let registration = slots[slot].registration
    let pair = NamePair(registration)
    let isIndexed = subjects[subject].isIndexed
    var found = -1
    var at = slot
    while true {
      at = isIndexed ? names.olderOfPair(at) : Int(slots[at].older)
      guard at >= 0 else { break }
      let other = slots[at].registration
      if isIndexed || pair.fits(other), other.form == registration.form,
        other.token?.id == registration.token?.id,
        other.context.asAdded == registration.context.asAdded
      {
        found = at
      }
    }
    return found
  }

  /// The newest registration of `pair` under each context, newest first, `limit` at most.
  ///
  /// Examines at most the newest `limit` times 8 registrations.
  package mutating func newestPerContext(_ pair: NamePair, on subject: Int, limit: Int) -> [Int] {
    newest(pair, on: subject, limit: limit) { slot, found in
      !found.contains(slot.registration.context.asAdded)
    }
  }

  /// The live registrations of `pair` under `context`, as added, newest first, `limit` at most.
  ///
  /// Examines at most the newest `limit` times 8 registrations.
  package mutating func copies(
    of pair: NamePair,
    _ context: Context,
    on subject: Int,
    limit: Int
  ) -> [Int] {
    newest(pair, on: subject, limit: limit) { slot, _ in
      slot.registration.context.asAdded == context
    }
  }

  /// The newest live registration of `pair` whose number the log does not state, under `context` if that is given (as
  /// added); -1: none.
  ///
  /// Examines at most the newest 512 registrations.
  package mutating func newestUnnumbered(
    _ pair: NamePair,
    _ context: Context?,
    on subject: Int
  ) -> Int {
    newest(pair, on: subject, limit: 64) { slot, found in
      found.isEmpty && !slot.isNumbered
        && (context == nil || slot.registration.context.asAdded == context)
    }.first ?? -1
  }

  /// The live registrations of `pair` that are wanted, newest first, `limit` at most.
  ///
  /// Examines at most the newest `limit` times 8 registrations. `isWanted` decides by the slot, and by the contexts, as
  /// added, of what was found before.
  private mutating func newest(
    _ pair: NamePair,
    on subject: Int,
    limit: Int,
    where isWanted: (_ slot: Slot, _ found: [Context]) -> Bool
  ) -> [Int] {
    let isIndexed = subjects[subject].isIndexed
    var result: [Int] = []
    var contexts: [Context] = []
    var looked = 0
    var at =
      isIndexed
      ? Int(names.chain(of: pair, on: subject).newest) : Int(subjects[subject].newest)
    while at >= 0, result.count < limit, looked < limit * 8 {
      looked += 1
      if isIndexed || pair.fits(slots[at].registration), isWanted(slots[at], contexts) {
        result.append(at)
        contexts.append(slots[at].registration.context.asAdded)
      }
      at = isIndexed ? names.olderOfPair(at) : Int(slots[at].older)
    }
    stepCount &+= looked
    return result
  }

  /// Whether the registrations of `pair` have different contexts.
  package mutating func hasSeveralContexts(_ pair: NamePair, on subject: Int) -> Bool {
    if subjects[subject].isIndexed {
      return names.chain(of: pair, on: subject).contextCount > 1
    }
    var first: Context?
    var at = Int(subjects[subject].newest)
    while at >= 0 {
      if pair.fits(slots[at].registration) {
        let context = slots[at].registration.context.asAdded
        if let first, first != context { return true }
        first = context
      }
      stepCount &+= 1
      at = Int(slots[at].older)
    }
    return false
  }

  /// Calls `body` with the slots of the live registrations of `keyPath` on `subject`, in no order.
  @inlinable @inline(__always)
  package func forEach(of keyPath: StringID, on subject: Int, _ body: (Int) -> Void) {
    let isIndexed = subjects[subject].isIndexed
    var at =
      isIndexed
      ? Int(names.chain(of: keyPath, on: subject).newest) : Int(subjects[subject].newest)
    while at >= 0 {
      if isIndexed || slots[at].registration.keyPath == keyPath { body(at) }
      at = isIndexed ? names.olderOfPath(at) : Int(slots[at].older)
    }
  }

  /// The slots of the live registrations of `subject`, oldest first.
  ///
  /// Complexity: O(n).
  package func live(of subject: Int) -> [Int] {
    var result: [Int] = []
    var at = Int(subjects[subject].oldest)
    while at >= 0 {
      result.append(at)
      at = Int(slots[at].newer)
    }
    return result
  }

  /// The slots of the live registrations whose observer is `observer`, oldest first.
  ///
  /// Complexity: O(n).
  package mutating func live(observedBy observer: ObjectID) -> [Int] {
    var result: [Int] = []
    var at = observers.find(observer.rawValue)
    while at >= 0 {
      result.append(at)
      at = Int(slots[at].olderOfObserver)
    }
    stepCount &+= result.count
    return result.reversed()
  }

  /// The newest registration in the history of `subject` of which `matches` is true; -1: none.
  ///
  /// Complexity: O(history), which is a constant.
  package func newestEnded(of subject: Int, where matches: (Slot) -> Bool) -> Int {
    var at = Int(subjects[subject].newestEnded)
    if at < 0 { return -1 }
    while !matches(slots[at]) {
      // What was before the oldest one is forgotten, and its slot possibly reused.
      if at == Int(subjects[subject].oldestEnded) { return -1 }
      at = Int(slots[at].older)
    }
    return at
  }
}
