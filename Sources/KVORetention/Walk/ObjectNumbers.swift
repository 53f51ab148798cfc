internal import Glibc

/// Numbers objects in the order in which they are met: which were met before, and as which number.
///
/// A table as wide as the heap is, four bytes for 16 bytes of it, in pieces of a megabyte of heap:
/// objects that lie side by side have their numbers side by side, so that the table is in the caches
/// where the objects are. Pages of it that no object uses are never touched.
struct ObjectNumbers: ~Copyable {
  private static let heapBits: UInt = 20
  private static let pieceByteCount = (1 << heapBits) / 16 * MemoryLayout<UInt32>.size

  /// The pieces by the part of the heap that they are of: open addressing, at most half full.
  private var parts: UnsafeMutablePointer<UInt>
  private var pieces: UnsafeMutablePointer<UnsafeMutablePointer<UInt32>>
  private var mask = 1023
  private var pieceCount = 0
  /// Part and piece of the latest question.
  private var latestPart = UInt.max
  private var latestPiece: UnsafeMutablePointer<UInt32>
  /// Objects that do not lie at a multiple of 16, as some that the compiler made do.
  private var oddNumbers: [UInt: UInt32] = [:]
  /// Whether memory for a piece was not to be had: what lies there is taken for known.
  private(set) var isExhausted = false

  init() {
    parts = .allocate(capacity: 1024)
    parts.initialize(repeating: .max, count: 1024)
    pieces = .allocate(capacity: 1024)
    latestPiece = UnsafeMutablePointer(bitPattern: 8).unsafelyUnwrapped
  }

  deinit {
    for index in 0...mask where parts[index] != .max { munmap(pieces[index], Self.pieceByteCount) }
    parts.deallocate()
    pieces.deallocate()
  }

  /// The place for the number plus one of the object at `address`, a multiple of 16; 0 is there before.
  @inline(__always)
  mutating func place(of address: UInt) -> UnsafeMutablePointer<UInt32>? {
    let part = address >> Self.heapBits
    if part != latestPart {
      guard usePiece(of: part) else { return nil }
    }
    return latestPiece + Int(address & (1 << Self.heapBits - 1)) / 16
  }

  /// The number of an object at an odd address; `next` where it is new.
  mutating func oddNumber(of address: UInt, next: UInt32) -> UInt32 {
    if let number = oddNumbers[address] { return number }
    oddNumbers[address] = next
    return next
  }

  @inline(never)
  private mutating func usePiece(of part: UInt) -> Bool {
    var index = Int(truncatingIfNeeded: part &* 0x9E37_79B9_7F4A_7C15 >> 40) & mask
    while parts[index] != .max {
      if parts[index] == part {
        latestPart = part
        latestPiece = pieces[index]
        return true
      }
      index = (index + 1) & mask
    }
    guard
      let memory = mmap(
        nil,
        Self.pieceByteCount,
        PROT_READ | PROT_WRITE,
        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE,
        -1,
        0
      ), memory != MAP_FAILED
    else {
      isExhausted = true
      return false
    }
    let piece = memory.bindMemory(to: UInt32.self, capacity: Self.pieceByteCount / 4)
    insert(part, piece)
    latestPart = part
    latestPiece = piece
    return true
  }

  private mutating func insert(_ part: UInt, _ piece: UnsafeMutablePointer<UInt32>) {
    if (pieceCount + 1) * 2 > mask + 1 { grow() }
    var index = Int(truncatingIfNeeded: part &* 0x9E37_79B9_7F4A_7C15 >> 40) & mask
    while parts[index] != .max { index = (index + 1) & mask }
    parts[index] = part
    (pieces + index).initialize(to: piece)
    pieceCount += 1
  }

  private mutating func grow() {
    let (oldParts, oldPieces, oldMask) = (parts, pieces, mask)
    mask = mask * 2 + 1
    parts = .allocate(capacity: mask + 1)
    parts.initialize(repeating: .max, count: mask + 1)
    pieces = .allocate(capacity: mask + 1)
    pieceCount = 0
    for index in 0...oldMask where oldParts[index] != .max {
      insert(oldParts[index], oldPieces[index])
    }
    oldParts.deallocate()
    oldPieces.deallocate()
  }
}
