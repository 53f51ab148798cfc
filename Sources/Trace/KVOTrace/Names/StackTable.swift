/// Stacks, each stored once in one array of frames and named by a small number; 0 is not a stack.
struct StackTable: Sendable {
  /// The stacks one after the other, each with its innermost frame first.
  private var frames: [Frame] = []
  /// Where each stack ends in `frames`; it begins where the previous one ends.
  private var ends: [Int] = [0]
  private var ids = IDTable()
  private let seed = TextHash.processSeed

  /// The highest id; ids are dense.
  var lastID: UInt32 { UInt32(ids.count) }

  /// The id of `stack`, stored if it is new.
  ///
  /// Complexity: O(frames).
  mutating func id(of stack: [Frame]) -> UInt32 {
    if stack.isEmpty { return 0 }
    let hash = Self.hash(stack[...], seed: seed)
    let known = ids.find(hash) { id in
      let range = range(of: id)
      return range.count == stack.count && zip(frames[range], stack).allSatisfy { $0 == $1 }
    }
    if let known { return known }
    append(stack, hash: hash)
    return lastID
  }

  /// Gives the next id to `stack`; if it is stored already, lookups still find the lower id.
  mutating func append(_ stack: [Frame]) {
    append(stack, hash: Self.hash(stack[...], seed: seed))
  }

  private mutating func append(_ stack: [Frame], hash: UInt64) {
    frames.append(contentsOf: stack)
    ends.append(frames.count)
    // `ids` must not access `self` while it changes.
    let (all, bounds, seed) = (frames, ends, seed)
    ids.add(hash) { id in
      Self.hash(all[bounds[Int(id) - 1]..<bounds[Int(id)]], seed: seed)
    }
  }

  /// Removes the ids above `last`.
  mutating func removeAll(above last: UInt32) {
    while lastID > last {
      let range = range(of: lastID)
      ids.removeLast(Self.hash(frames[range], seed: seed))
      ends.removeLast()
      frames.removeSubrange(range)
    }
  }

  /// The frames of `id`, innermost first, if they are stored; an id of another table traps.
  subscript(id: UInt32) -> ArraySlice<Frame> { frames[range(of: id)] }

  private func range(of id: UInt32) -> Range<Int> {
    id == 0 ? 0..<0 : ends[Int(id) - 1]..<ends[Int(id)]
  }

  /// Most frames are only an address: one word each, and one more word if there is more.
  private static func hash(_ stack: ArraySlice<Frame>, seed: UInt64) -> UInt64 {
    var hash = TextHash(seed: seed)
    for frame in stack {
      hash.combine(word: frame.address)
      guard frame != Frame(address: frame.address) else { continue }
      hash.combine(word: UInt64(frame.symbol.rawValue) << 32 | UInt64(frame.module.rawValue))
      hash.combine(word: UInt64(frame.file.rawValue) << 32 | UInt64(frame.line))
    }
    return hash.finish(last: 0, byteCount: stack.count)
  }
}
