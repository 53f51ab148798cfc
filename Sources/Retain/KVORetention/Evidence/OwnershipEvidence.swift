internal import CKVORetention

/// What reference counts say of words that may be references.
///
/// An object counts its owners, and each of them has its address in a word. If as many words of this process lead to
/// an object as it counts owners, each of them owns it. If more do, and all of them are part of one cycle, an owner
/// is part of it.
///
/// An allocation counts nobody: who has it is known only if every word that leads into it is.
struct OwnershipEvidence {
  /// What is known of the words that lead to an object or allocation.
  enum Finding {
    /// Each owns it.
    case allWords
    /// Some own it, and some do not: there are more of them than owners.
    case someWords
    /// Of an allocation, which counts no owners.
    case uncounted
    /// An owner is nowhere to be seen, or it is not known how many there are.
    case unknown
  }

  /// The words that lead to each target, by rising addresses; those in registers are at 0.
  private let words: [[WordSearch.Hit]]
  private(set) var findings: [Finding]

  /// Nil if memory cannot be searched, or is too much.
  ///
  /// - Parameters:
  ///   - targets: what suspected references lead to.
  ///   - reader: reads objects.
  ///   - entry: where the search began.
  ///   - deadline: when it is to end.
  /// - Complexity: O(bytes) of the process's writable memory.
  init?(
    of targets: [WordSearch.Target],
    reader: ObjectReader,
    entry: KVOSEntry,
    until deadline: ContinuousClock.Instant
  ) {
    guard !WordSearch.isTooMuch(reader.memory) else { return nil }
    let counts = targets.map { Self.ownerCount(of: $0, reader) }
    guard let search = WordSearch(for: targets), search.run(in: reader.memory, until: deadline)
    else { return nil }
    let copies = CopiedMemory(effort: 4_000_000)
    let unused = UnusedMemory(reader: reader, words: copies, entry: entry)
    var words: [[WordSearch.Hit]] = targets.map { _ in [] }
    let sideTables = targets.map { Self.sideTable(of: $0) }
    for number in 0..<search.hits.count {
      let hit = search.hits[number]
      guard hit.address != sideTables[Int(hit.target)], !unused.contains(hit.address) else {
        continue
      }
      words[Int(hit.target)].append(hit)
    }
    withUnsafeBytes(of: entry.registers) { registers in
      for word in registers.bindMemory(to: UInt.self).prefix(Int(entry.registerCount)) {
        for number in targets.indices where search.leads(word, to: UInt32(number)) {
          words[number].append(WordSearch.Hit(address: 0, target: UInt32(number)))
        }
      }
    }
    self.words = words.map { hits in hits.sorted { $0.address < $1.address } }
    findings = targets.indices.map { number in
      if targets[number].byteCount > 1 { return copies.effortLeft > 0 ? .uncounted : .unknown }
      // Another thread may have changed it meanwhile.
      guard let count = counts[number], Self.ownerCount(of: targets[number], reader) == count,
        copies.effortLeft > 0, words[number].count >= count
      else { return .unknown }
      return words[number].count == count ? .allWords : .someWords
    }
  }

  /// Whether each word that leads to a target lies in one of some ranges, which are sorted.
  func isHeldOnly(_ number: Int, by ranges: [Range<UInt>]) -> Bool {
    words[number].allSatisfy { hit in
      var (low, high) = (0, ranges.count)
      while low < high {
        let middle = (low + high) / 2
        if ranges[middle].upperBound <= hit.address { low = middle + 1 } else { high = middle }
      }
      return low < ranges.count && ranges[low].contains(hit.address)
    }
  }

  /// Whether a word that leads to a target lies in `range`.
  ///
  /// - Complexity: O(log n) in the words that lead there.
  func hasWord(_ number: Int, in range: Range<UInt>) -> Bool {
    let hits = words[number]
    var (low, high) = (0, hits.count)
    while low < high {
      let middle = (low + high) / 2
      if hits[middle].address < range.lowerBound { low = middle + 1 } else { high = middle }
    }
    return low < hits.count && hits[low].address < range.upperBound
  }

  // MARK: Counts

  /// How many owners an object counts; nil if it counts none, or not all.
  private static func ownerCount(of target: WordSearch.Target, _ reader: ObjectReader) -> Int? {
    guard target.byteCount == 1, reader.targets.isStillThere(target.address),
      let object = UnsafeRawPointer(bitPattern: target.address)
    else { return nil }
    if reader.store.known.blockClasses.contains(object.load(as: UInt.self)) {
      let flags = object.load(as: KVOSBlock.self).flags
      return flags & UInt32(KVOS_BLOCK_IS_COUNTED) == 0
        ? nil : Int(flags & UInt32(KVOS_BLOCK_COUNT)) >> 1
    }
    guard kvos_is_living(object.load(fromByteOffset: 8, as: UInt64.self)) != 0 else { return nil }
    // An object on the stack belongs to its function, which needs no word for it: its address is the frame's.
    guard swift_unownedRetainCount(object) == 1 else { return nil }
    return swift_retainCount(object)
  }

  /// Where the side table of an object is, whose first word leads to it and owns nothing.
  private static func sideTable(of target: WordSearch.Target) -> UInt? {
    guard target.byteCount == 1, let object = UnsafeRawPointer(bitPattern: target.address) else {
      return nil
    }
    let counts = object.load(fromByteOffset: 8, as: UInt64.self)
    return counts >> 62 == 3 ? UInt((counts << 2) >> 2) << 3 : nil
  }
}
