internal import CKVORetention

/// Two bits for every place of the heap at which an object may begin: whether it was met, and whether it
/// was found to lead to no cycle.
///
/// A bit for 16 bytes, in pieces of 64 megabytes of heap; objects at odd multiples of 8, as some that the
/// compiler made do lie, have pieces of their own. Pages of them that no object uses take no memory: both
/// bits together are 1/64 of the part of the heap that objects are in. Small enough for the caches where
/// numbers would not be.
struct ObjectMarks: ~Copyable {
  typealias Piece = UnsafeMutablePointer<UInt64>

  private static let pieceBits: UInt = 26
  /// Words of one kind of bits in a piece.
  static let wordCount = 1 << (Int(pieceBits) - 4 - 6)
  private static let pieceByteCount = wordCount * 2 * 8
  /// Addresses have 47 bits, and are in pieces of two kinds.
  private static let partCount = 2 << (47 - Int(pieceBits))
  private static let listByteCount = partCount * MemoryLayout<Piece?>.stride

  /// The pieces, by the part of the heap that they are of; nil where there was no memory for the list.
  private let list: UnsafeMutablePointer<Piece?>?
  /// Whether anything can be marked.
  private(set) var isUsable = false
  private var used: [Piece] = []

  /// Nothing is at address 0: it counts as met.
  init() {
    list = kvos_reserve_pages(Self.listByteCount)?
      .bindMemory(to: Piece?.self, capacity: Self.partCount)
    guard let first = makePiece(0) else { return }
    first.pointee = 1
    isUsable = true
  }

  deinit {
    for piece in used { kvos_free_pages(piece, Self.pieceByteCount) }
    if let list { kvos_free_pages(list, Self.listByteCount) }
  }

  /// The pieces by part; only where ``isUsable``.
  var pieces: UnsafeMutablePointer<Piece?> { list.unsafelyUnwrapped }

  /// Which part of the heap an address of 47 bits is in.
  @inline(__always)
  static func part(of address: UInt) -> Int {
    Int(truncatingIfNeeded: address >> pieceBits | (address & 8) << (47 - pieceBits - 3))
  }

  /// The word with the bit of an address in its piece.
  @inline(__always)
  static func word(of address: UInt) -> Int {
    Int(truncatingIfNeeded: address >> 10) & (wordCount - 1)
  }

  /// The bit of an address in its word.
  @inline(__always)
  static func bit(of address: UInt) -> UInt64 { UInt64(address >> 4 & 63) }

  /// The piece of a part, which is made where there is none; nil where there is no memory for it.
  @inline(never)
  mutating func makePiece(_ part: Int) -> Piece? {
    guard let list else { return nil }
    if let piece = list[part] { return piece }
    guard let pages = kvos_reserve_pages(Self.pieceByteCount) else { return nil }
    let piece = pages.bindMemory(to: UInt64.self, capacity: Self.wordCount * 2)
    used.append(piece)
    list[part] = piece
    return piece
  }

  /// Marks an address of 47 bits as met, where ``isUsable``.
  ///
  /// - Returns: whether it had not been before, or nil where there is no memory.
  @inline(__always)
  mutating func insert(_ address: UInt) -> Bool? {
    let part = Self.part(of: address)
    guard let piece = pieces[part] ?? makePiece(part) else { return nil }
    let word = piece + Self.word(of: address)
    let before = word.pointee
    word.pointee = before | 1 << Self.bit(of: address)
    return before >> Self.bit(of: address) & 1 == 0
  }
}
