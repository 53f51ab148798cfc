internal import CKVORetention
internal import Glibc

/// Words of arbitrary memory, read from copies of its pages.
///
/// The owner of memory in which no object is known may change or free it at any time, and a direct
/// read could fault. The kernel copies a page or reports that it does not exist. A copy may be
/// outdated immediately, and its parts may be inconsistent: it is evidence for a doubt only.
///
/// Used by one search, on its thread only.
final class CopiedMemory {
  private static let pageBits: UInt = 12
  private static let pageSize = 1 << Int(pageBits)
  /// The number of pages that are kept, 16 megabytes; the next one evicts all of them.
  private static let pageLimit = 4096
  /// The number of pages that are mapped at a time.
  private static let blockPageCount = 64
  /// The effort of copying a page, in words.
  private static let pageEffort = 64

  private let copy = MemoryCopy()
  /// Copied pages, by page number.
  ///
  /// They are in shared mappings, which a scan for instances does not read: the copy of an object
  /// is not an object.
  private var pages: [UInt: UnsafeMutablePointer<UInt>?] = [:]
  private var blocks: [UnsafeMutableRawPointer] = []
  private var usedPageCount = 0
  private var latest: (number: UInt, words: UnsafeMutablePointer<UInt>?) = (.max, nil)
  /// The number of words that may still be read.
  private(set) var effortLeft: Int

  /// Creates a reader of at most `effort` words.
  init(effort: Int) { effortLeft = effort }

  deinit { forget() }

  /// Whether memory can be copied: some containers refuse all ways.
  var isAvailable: Bool { copy != nil }

  /// The word at an address, which is a multiple of 8; nil if there is none, or the effort is spent.
  func word(at address: UInt) -> UInt? {
    guard effortLeft > 0 else { return nil }
    effortLeft -= 1
    let number = address >> Self.pageBits
    if number != latest.number { latest = (number, page(number)) }
    guard let words = latest.words else { return nil }
    return words[Int(address & UInt(Self.pageSize - 1)) >> 3]
  }

  /// The start of the nearest allocation, from `start` backward, whose size field says that it
  /// extends to `address`.
  ///
  /// Each step of 16 bytes costs the effort of one word. Whether the size field is that of a real
  /// chunk is not checked.
  ///
  /// - Parameters:
  ///   - address: an address in the allocation.
  ///   - start: the address at which the search begins, a multiple of 16, not after `address`.
  ///   - first: the lowest possible start of the allocation, a multiple of 16.
  /// - Returns: the address, or nil if no size field in the range extends to `address`.
  func startOfChunk(reaching address: UInt, from start: UInt, downTo first: UInt) -> UInt? {
    let size = MemoryLayout<UInt>.size
    let header = find(from: start &- UInt(size), downTo: first &- UInt(size)) {
      words,
      index,
      last,
      word in
      kvos_chunk_before(words, index, last, address &- word &- UInt(size))
    }
    return header.map { $0 + UInt(size) }
  }

  /// The nearest address that contains a word, from `start` backward in steps of 16 bytes.
  ///
  /// Both addresses are multiples of 16. Each step costs the effort of one word.
  func address(of word: UInt, from start: UInt, downTo first: UInt) -> UInt? {
    find(from: start, downTo: first) { words, index, last, _ in
      kvos_word_before(words, index, last, word)
    }
  }

  /// The nearest address, from `start` backward in steps of 16 bytes, that `body` finds in a page.
  ///
  /// `body` takes the words of the page, the index of the first word to examine, that of the last,
  /// and the address of the first. Pages that cannot be copied are skipped.
  private func find(
    from start: UInt,
    downTo first: UInt,
    _ body: (UnsafePointer<UInt>, Int, Int, UInt) -> Int
  ) -> UInt? {
    var address = start
    while address >= first, address <= start, effortLeft > 0 {
      let number = address >> Self.pageBits
      let base = number << Self.pageBits
      let last = base >= first ? address & 15 : first - base
      if number != latest.number { latest = (number, page(number)) }
      if let words = latest.words {
        let found = body(words, Int(address - base) >> 3, Int(last) >> 3, address)
        if found >= 0 {
          let target = base + UInt(found) << 3
          effortLeft -= Int(address - target) >> 4 + 1
          return target
        }
      }
      effortLeft -= Int(address - base - last) >> 4 + 1
      address = base &+ last &- 16
    }
    return nil
  }

  /// Whether the copies of `count` bytes at an address could be made.
  func isReadable(_ address: UInt, _ count: UInt) -> Bool {
    var next = address & ~7
    while next < address + count {
      guard word(at: next) != nil else { return false }
      next = (next >> Self.pageBits + 1) << Self.pageBits
    }
    return true
  }

  /// Whether `count` bytes at an address can be read now, and begin with the word `first`,
  /// regardless of earlier copies.
  func beginsNow(_ address: UInt, with first: UInt, _ count: UInt) -> Bool {
    withWordsNow(at: address, max(Int(count), MemoryLayout<UInt>.size)) { $0[0] == first } ?? false
  }

  /// Calls `body` with a new copy of `byteCount` bytes; returns nil if they cannot be copied.
  func withWordsNow<Result>(
    at address: UInt,
    _ byteCount: Int,
    _ body: (UnsafePointer<UInt>) -> Result?
  ) -> Result? {
    withUnsafeTemporaryAllocation(byteCount: byteCount, alignment: 8) { now in
      guard let copy, let start = now.baseAddress,
        copy.copy(address, to: start, byteCount) == byteCount
      else { return nil }
      return body(UnsafePointer(start.assumingMemoryBound(to: UInt.self)))
    }
  }

  /// The word at an address now, regardless of earlier copies; nil if it cannot be read.
  func wordNow(at address: UInt) -> UInt? {
    var word: UInt = 0
    let size = MemoryLayout<UInt>.size
    return copy?.copy(address, to: &word, size) == size ? word : nil
  }

  private func page(_ number: UInt) -> UnsafeMutablePointer<UInt>? {
    if let known = pages[number] { return known }
    guard let copy else { return nil }
    effortLeft -= Self.pageEffort
    if pages.count >= Self.pageLimit { forget() }
    guard let words = room(),
      copy.copy(number << Self.pageBits, to: words, Self.pageSize) == Self.pageSize
    else {
      pages[number] = .some(nil)
      return nil
    }
    usedPageCount += 1
    pages[number] = words
    return words
  }

  /// The memory for the next copied page, or nil if there is none.
  private func room() -> UnsafeMutablePointer<UInt>? {
    if usedPageCount == blocks.count * Self.blockPageCount {
      let block = mmap(
        nil,
        Self.blockPageCount * Self.pageSize,
        PROT_READ | PROT_WRITE,
        MAP_SHARED | MAP_ANONYMOUS,
        -1,
        0
      )
      guard let block, block != MAP_FAILED else { return nil }
      blocks.append(block)
    }
    guard let block = blocks.last else { return nil }
    return (block + usedPageCount % Self.blockPageCount * Self.pageSize)
      .assumingMemoryBound(to: UInt.self)
  }

  private func forget() {
    for block in blocks { munmap(block, Self.blockPageCount * Self.pageSize) }
    blocks.removeAll()
    usedPageCount = 0
    pages.removeAll()
    latest = (.max, nil)
  }
}
