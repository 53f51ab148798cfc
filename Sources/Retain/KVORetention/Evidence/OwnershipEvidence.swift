internal import CKVORetention

/// Uses reference counts as evidence on words that may be references.
///
/// An object counts its owners, and each owner has its address in a word. If the number of words
/// that lead to an object equals its count of owners, each of these words is an owner's. If there
/// are more words, and all of them are in objects of one cycle, at least one object of the cycle is
/// an owner.
///
/// An allocation counts no owners: its owners are known only if every word that leads into it is
/// known.
struct OwnershipEvidence {
  /// The evidence on the words that lead to an object or allocation.
  enum Finding {
    /// Each word owns it.
    case allWords
    /// Some words own it, and some do not: there are more words than owners.
    case someWords
    /// It is an allocation, which counts no owners.
    case uncounted
    /// An owner was not found, or the number of owners is not known.
    case unknown
  }

  /// The words that lead to each target, by rising addresses; those in registers have the address
  /// 0.
  private let words: [[WordSearch.Hit]]
  private(set) var findings: [Finding]

  /// Returns nil if memory cannot be searched, or if there is too much of it.
  ///
  /// - Parameters:
  ///   - targets: the targets of suspected references.
  ///   - reader: reads objects.
  ///   - entry: the frame and registers with which the search began.
  ///   - stacks: the stacks of the threads.
  ///   - deadline: when the search must end.
  /// - Complexity: O(bytes) of the process's writable memory.
  init?(
    of targets: [WordSearch.Target],
    reader: ObjectReader,
    entry: KVOSEntry,
    stacks: ThreadStacks,
    until deadline: ContinuousClock.Instant
  ) {
    guard !WordSearch.isTooMuch(reader.memory) else { return nil }
    let counts = targets.map { Self.ownerCount(of: $0, reader) }
    guard let search = WordSearch(for: targets), search.run(in: reader.memory, until: deadline)
    else { return nil }
    let copies = CopiedMemory(effort: 4_000_000)
    let unused = UnusedMemory(reader: reader, words: copies, stacks: stacks)
    var words: [[WordSearch.Hit]] = targets.map { _ in [] }
    let sideTables = targets.map { Self.sideTable(of: $0, reader) }
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
      // Another thread may have changed the count during the search.
      guard let count = counts[number], Self.ownerCount(of: targets[number], reader) == count,
        copies.effortLeft > 0, words[number].count >= count
      else { return .unknown }
      return words[number].count == count ? .allWords : .someWords
    }
  }

  /// Whether each word that leads to a target is in one of some sorted ranges.
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

  /// Whether a word that leads to a target is in `range`.
  ///
  /// - Complexity: O(log n) in the words that lead to the target.
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

  /// The number of owners that an object counts; nil if it counts none, or not all.
  private static func ownerCount(of target: WordSearch.Target, _ reader: ObjectReader) -> Int? {
    target.byteCount == 1 ? reader.targets.ownerCountNow(of: target.address, inWords: true) : nil
  }

  /// The address of an object's side table, whose first word leads to the object and owns nothing.
  private static func sideTable(of target: WordSearch.Target, _ reader: ObjectReader) -> UInt? {
    target.byteCount == 1 ? reader.targets.sideTableNow(ofObjectAt: target.address) : nil
  }
}
