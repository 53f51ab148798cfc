internal import CKVORetention
internal import Glibc

/// Which addresses of this process can be read, as the kernel lists them.
///
/// Every pointer that a walk follows is asked for here first. The list is a picture of one moment:
/// at quiescence nothing that a live object refers to is unmapped while it is used.
final class MemoryMap {
  /// One mapping; the end is not part of it.
  struct Region {
    var start: UInt
    var end: UInt
    /// Whether the bytes are those of a file: an executable or a library.
    var isImage: Bool
    var isExecutable: Bool
    var isWritable = false
    /// Whether it is the main thread's stack.
    var isStack = false
    /// Whether it has variables of an image that begin as zeros: it follows the image's own writable bytes.
    var isStatic = false
    /// Whether it is mapped without a file or a name.
    var isAnonymous = false
  }

  /// What can be read, from the lowest address up.
  let regions: [Region]
  /// Words that are taken for addresses may lead to bytes that AddressSanitizer guards.
  let isSanitized = kvos_is_sanitized() != 0
  /// The region of the latest answer: neighbours are mostly asked for together.
  // unchecked: nothing in this class holds on to it while something else is called.
  @exclusivity(unchecked)
  private(set) var latest: Region

  init() {
    regions = Self.parse(Self.text(of: "/proc/self/maps"))
    latest = Region(start: 0, end: 0, isImage: false, isExecutable: false)
  }

  /// Whether `count` bytes from `address` on can be read.
  ///
  /// - Complexity: O(1) in the region of the latest question, else O(log n) in the regions.
  @inline(__always)
  func isReadable(_ address: UInt, _ count: UInt) -> Bool {
    isMapped(address, count) && (!isSanitized || kvos_is_poisoned(address, count) == 0)
  }

  /// Whether `count` bytes from `address` on are there, whatever AddressSanitizer says of them.
  @inline(__always)
  func isMapped(_ address: UInt, _ count: UInt) -> Bool {
    if address &- latest.start < latest.end &- latest.start, count <= latest.end &- address {
      return true
    }
    return isMappedElsewhere(address, count)
  }

  /// Whether `address` lies in an executable or a library, and `count` bytes can be read there.
  func isInImage(_ address: UInt, _ count: UInt) -> Bool {
    guard let index = index(of: address), regions[index].isImage else { return false }
    return isReadable(address, count)
  }

  /// The mapping that `address` lies in, if it can be read.
  func region(of address: UInt) -> Region? { index(of: address).map { regions[$0] } }

  /// Whether `address` lies in code.
  func isCode(_ address: UInt) -> Bool {
    index(of: address).map { regions[$0].isExecutable } ?? false
  }

  @inline(never)
  private func isMappedElsewhere(_ address: UInt, _ count: UInt) -> Bool {
    guard var index = index(of: address) else { return false }
    let (last, overflows) = address.addingReportingOverflow(count)
    guard !overflows else { return false }
    latest = regions[index]
    // A range may lie over the seam of two mappings, as those of one image do.
    while last > regions[index].end {
      guard index + 1 < regions.count, regions[index + 1].start == regions[index].end else {
        return false
      }
      index += 1
    }
    return true
  }

  private func index(of address: UInt) -> Int? {
    var low = 0
    var high = regions.count
    while low < high {
      let middle = (low + high) / 2
      if regions[middle].end <= address { low = middle + 1 } else { high = middle }
    }
    return low < regions.count && regions[low].start <= address ? low : nil
  }

  // MARK: Reading the list

  private static func text(of path: String) -> [UInt8] {
    let file = open(path, O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { return [] }
    defer { close(file) }
    var text: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      let count = read(file, &chunk, chunk.count)
      if count > 0 {
        text.append(contentsOf: chunk[..<count])
      } else if count == 0 || errno != EINTR {
        return text
      }
    }
  }

  /// Takes in lines of the form `start-end rwxp offset device inode path`, readable ones alone.
  ///
  /// A last line without its end may be cut, and counts for nothing. The kernel gives the list a page at a
  /// time: a mapping that grows meanwhile is listed again, with what was listed before, which counts once.
  static func parse(_ text: [UInt8]) -> [Region] {
    var disjoint: [Region] = []
    for var region in listed(text) {
      region.start = max(region.start, disjoint.last?.end ?? 0)
      if let last = disjoint.last, last.isImage, last.isWritable, last.end == region.start {
        region.isStatic = region.isAnonymous && region.isWritable
      }
      if region.start < region.end { disjoint.append(region) }
    }
    return disjoint
  }

  private static func listed(_ text: [UInt8]) -> [Region] {
    let end = text.lastIndex(of: UInt8(ascii: "\n")) ?? 0
    return text[..<end].split(separator: UInt8(ascii: "\n")).compactMap { line in
      let fields = line.split(separator: UInt8(ascii: " "), maxSplits: 5)
      guard fields.count >= 5, fields[1].count >= 3, fields[1].first == UInt8(ascii: "r") else {
        return nil
      }
      let bounds = fields[0].split(separator: UInt8(ascii: "-"))
      guard bounds.count == 2, let start = number(bounds[0]), let end = number(bounds[1]),
        start < end
      else { return nil }
      // Pages of devices read at a price, or not at all.
      if fields.count == 6, unread.contains(where: { fields[5].starts(with: $0.utf8) }) {
        return nil
      }
      return Region(
        start: start,
        end: end,
        isImage: fields[4] != [UInt8(ascii: "0")],
        isExecutable: fields[1][fields[1].startIndex + 2] == UInt8(ascii: "x"),
        isWritable: fields[1][fields[1].startIndex + 1] == UInt8(ascii: "w"),
        isStack: fields.count == 6 && fields[5].starts(with: "[stack".utf8),
        isAnonymous: fields.count < 6 && fields[4] == [UInt8(ascii: "0")]
      )
    }
  }

  private static let unread = ["/dev/", "[vvar"]

  private static func number(_ digits: ArraySlice<UInt8>) -> UInt? {
    UInt(String(decoding: digits, as: UTF8.self), radix: 16)
  }
}
