/// Texts, each stored once in one arena of bytes and named by a small number.
///
/// 0 is the empty text. Two texts are the same if their bytes are equal: "é" in one scalar and "é" in two are
/// distinguished, as `==` of two strings would not.
package struct TextTable: Sendable {
  /// The texts one after the other, UTF-8.
  private var bytes: [UInt8] = []
  /// Where each text ends in `bytes`; it begins where the previous one ends.
  private var ends: [Int] = [0]
  private var ids = IDTable()
  private let seed = TextHash.processSeed

  package init() {}

  /// The highest id; ids are dense.
  package var lastID: UInt32 { UInt32(ids.count) }

  /// The id of `text`, or nil if it is not stored; `hash` is its hash, seeded with
  /// ``TextHash/processSeed``.
  ///
  /// Complexity: O(length).
  @inline(__always)
  package func find(_ text: UnsafeRawBufferPointer, hash: UInt64) -> UInt32? {
    if text.isEmpty { return 0 }
    let run = ByteRun(text)
    return bytes.withUnsafeBytes { stored in
      ids.find(hash) { id in
        run.isEqual(to: ByteRun(UnsafeRawBufferPointer(rebasing: stored[range(of: id)])))
      }
    }
  }

  /// The id of `text`, which must be UTF-8, stored if it is new; `hash` is its hash, seeded with
  /// ``TextHash/processSeed``.
  ///
  /// The bytes are copied. Complexity: O(length), amortized.
  package mutating func id(of text: UnsafeRawBufferPointer, hash: UInt64) -> UInt32 {
    if let known = find(text, hash: hash) { return known }
    append(text, hash: hash)
    return lastID
  }

  /// Gives the next id to `text`; if it is stored already, lookups still find the lower id.
  mutating func append(_ text: UnsafeRawBufferPointer, hash: UInt64) {
    bytes.append(contentsOf: text)
    ends.append(bytes.count)
    // `ids` must not access `self` while it changes.
    let (all, bounds, seed) = (bytes, ends, seed)
    ids.add(hash) { id in
      all.withUnsafeBytes { stored in
        let range = bounds[Int(id) - 1]..<bounds[Int(id)]
        return TextHash.of(UnsafeRawBufferPointer(rebasing: stored[range]), seed: seed)
      }
    }
  }

  /// Removes the ids above `last`.
  mutating func removeAll(above last: UInt32) {
    while lastID > last {
      let range = range(of: lastID)
      let hash = bytes.withUnsafeBytes { stored in
        TextHash.of(UnsafeRawBufferPointer(rebasing: stored[range]), seed: seed)
      }
      ids.removeLast(hash)
      ends.removeLast()
      bytes.removeSubrange(range)
    }
  }

  /// The text of `id`; an id of another table traps.
  ///
  /// Complexity: O(length).
  subscript(id: UInt32) -> String { String(decoding: bytes[range(of: id)], as: UTF8.self) }

  private func range(of id: UInt32) -> Range<Int> {
    id == 0 ? 0..<0 : ends[Int(id) - 1]..<ends[Int(id)]
  }
}
