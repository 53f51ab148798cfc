public import KVOTrace

/// Observer and key path; removals by name match only registrations that were added by name.
package struct NamePair: Hashable, Sendable {
  package var observer: ObjectID?
  package var keyPath: StringID
  package var isClassic: Bool

  package init(observer: ObjectID?, keyPath: StringID, isClassic: Bool = true) {
    self.observer = observer
    self.keyPath = keyPath
    self.isClassic = isClassic
  }

  package init(_ registration: Registration) {
    observer = registration.observer?.id
    keyPath = registration.keyPath
    isClassic = registration.isClassic
  }

  package init(_ removal: Removal) {
    observer = removal.observer?.id
    keyPath = removal.keyPath
    isClassic = true
  }

  /// Whether `registration` has this observer and key path.
  package func fits(_ registration: Registration) -> Bool {
    registration.keyPath == keyPath && registration.observer?.id == observer
      && registration.isClassic == isClassic
  }
}

extension Registration {
  /// Whether it was added by name.
  ///
  /// Comparing the forms directly would compare their names.
  package var isClassic: Bool {
    if case .classic = form { true } else { false }
  }

  /// Whether it notifies its observer, which a context may help to distinguish: the classic form, and a controller's.
  package var notifiesByName: Bool {
    switch form {
    case .classic, .controller: true
    case .token, .stream: false
    }
  }
}

/// Finds the registrations of objects that have many of them, by name.
///
/// Three chains run through the slots of such an object: those of one observer and key path, those of one context among
/// them, and those of one key path. An object with few registrations has no chains: walking all registrations is
/// faster.
///
/// Complexity: O(1) amortized for every operation.
@usableFromInline
package struct NameIndex: Sendable {
  /// The newest slot of a chain and its length.
  @usableFromInline
  package struct Chain: Sendable {
    @usableFromInline package var newest: Int32 = -1
    package var count: Int32 = 0
    /// In the chain of a pair: how many different contexts it has.
    package var contextCount: Int32 = 0
  }

  private struct PairKey: Hashable {
    var subject: Int
    var pair: NamePair
  }

  private struct TripleKey: Hashable {
    var pair: PairKey
    var context: Context
  }

  private struct PathKey: Hashable {
    var subject: Int
    var keyPath: StringID
  }

  private struct Link: Sendable {
    var older: Int32 = -1
    var newer: Int32 = -1
  }

  /// The three chains that run through a slot.
  private enum Track { case pair, triple, path }

  /// The position of a slot in its three chains.
  private struct Links: Sendable {
    var pair = Link()
    var triple = Link()
    var path = Link()

    subscript(track: Track) -> Link {
      get {
        switch track {
        case .pair: pair
        case .triple: triple
        case .path: path
        }
      }
      set {
        switch track {
        case .pair: pair = newValue
        case .triple: triple = newValue
        case .path: path = newValue
        }
      }
    }
  }

  private var links: [Links] = []
  private var pairs: [PairKey: Chain] = [:]
  private var triples: [TripleKey: Chain] = [:]
  private var paths: [PathKey: Chain] = [:]

  /// How many slots have links.
  package var capacity: Int { links.count }

  package func chain(of pair: NamePair, on subject: Int) -> Chain {
    pairs[PairKey(subject: subject, pair: pair)] ?? Chain()
  }

  /// `context` is one as added.
  package func chain(of pair: NamePair, _ context: Context, on subject: Int) -> Chain {
    triples[TripleKey(pair: PairKey(subject: subject, pair: pair), context: context)] ?? Chain()
  }

  @usableFromInline
  package func chain(of keyPath: StringID, on subject: Int) -> Chain {
    paths[PathKey(subject: subject, keyPath: keyPath)] ?? Chain()
  }

  /// The next older slot of the same pair, or -1.
  package func olderOfPair(_ slot: Int) -> Int { Int(links[slot].pair.older) }

  /// The next older slot of the same key path, or -1.
  @usableFromInline
  package func olderOfPath(_ slot: Int) -> Int { Int(links[slot].path.older) }

  /// Adds `slot` as the newest of its object.
  package mutating func insert(_ slot: Int, _ registration: Registration, on subject: Int) {
    while links.count <= slot { links.append(Links()) }
    let pair = PairKey(subject: subject, pair: NamePair(registration))
    let triple = TripleKey(pair: pair, context: registration.context.asAdded)
    let path = PathKey(subject: subject, keyPath: registration.keyPath)
    var isNewContext = false
    Self.append(slot, to: &triples[triple, default: Chain()], .triple, &links)
    if triples[triple]?.count == 1 { isNewContext = true }
    Self.append(slot, to: &pairs[pair, default: Chain()], .pair, &links)
    if isNewContext { pairs[pair]?.contextCount += 1 }
    Self.append(slot, to: &paths[path, default: Chain()], .path, &links)
  }

  /// Removes `slot`.
  package mutating func remove(_ slot: Int, _ registration: Registration, on subject: Int) {
    let pair = PairKey(subject: subject, pair: NamePair(registration))
    let triple = TripleKey(pair: pair, context: registration.context.asAdded)
    let path = PathKey(subject: subject, keyPath: registration.keyPath)
    if var chain = triples[triple] {
      Self.unlink(slot, from: &chain, .triple, &links)
      triples[triple] = chain.count == 0 ? nil : chain
      if chain.count == 0 { pairs[pair]?.contextCount -= 1 }
    }
    if var chain = pairs[pair] {
      Self.unlink(slot, from: &chain, .pair, &links)
      pairs[pair] = chain.count == 0 ? nil : chain
    }
    if var chain = paths[path] {
      Self.unlink(slot, from: &chain, .path, &links)
      paths[path] = chain.count == 0 ? nil : chain
    }
  }

  // Static, with the links as an argument, because the chain is part of the same index.
  private static func append(
    _ slot: Int,
    to chain: inout Chain,
    _ track: Track,
    _ links: inout [Links]
  ) {
    links[slot][track] = Link(older: chain.newest, newer: -1)
    if chain.newest >= 0 { links[Int(chain.newest)][track].newer = Int32(slot) }
    chain.newest = Int32(slot)
    chain.count += 1
  }

  private static func unlink(
    _ slot: Int,
    from chain: inout Chain,
    _ track: Track,
    _ links: inout [Links]
  ) {
    let link = links[slot][track]
    if link.older >= 0 { links[Int(link.older)][track].newer = link.newer }
    if link.newer >= 0 {
      links[Int(link.newer)][track].older = link.older
    } else {
      chain.newest = link.older
    }
    chain.count -= 1
  }
}
