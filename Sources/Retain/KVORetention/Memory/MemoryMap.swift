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
    /// Whether it is the part of the heap that `brk` sets the end of.
    var isHeap = false
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

  convenience init() {
    self.init(regions: Self.parse(Self.text(of: "/proc/self/maps")))
  }

  /// A map of these mappings alone, which are sorted.
  init(regions: [Region]) {
    self.regions = regions
    latest = Region(start: 0, end: 0, isImage: false, isExecutable: false)
  }

  /// How many bytes of memory the process has of its own, as the kernel counts them; nil if it does not say.
  static var ownByteCount: UInt? {
    let counts = text(of: "/proc/self/statm").split(separator: UInt8(ascii: " ")).prefix(3)
      .compactMap { UInt(String(decoding: $0, as: UTF8.self)) }
    guard counts.count == 3, counts[1] >= counts[2] else { return nil }
    return (counts[1] - counts[2]) * UInt(sysconf(Int32(_SC_PAGESIZE)))
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
    var regions: [Region] = []
    text.withUnsafeBufferPointer { bytes in
      guard let first = bytes.baseAddress else { return }
      var line = first
      let end = first + bytes.count
      while let newline = memchr(line, 0x0a, end - line) {
        let next = UnsafePointer(newline.assumingMemoryBound(to: UInt8.self))
        if let region = region(inLine: line, next) { regions.append(region) }
        line = next + 1
      }
    }
    return regions
  }

  /// The mapping that a line, which ends at `end`, is of; nil if it is of none that can be read.
  private static func region(
    inLine line: UnsafePointer<UInt8>,
    _ end: UnsafePointer<UInt8>
  ) -> Region? {
    var next = line
    guard let start = number(&next, end), next < end, next.pointee == UInt8(ascii: "-") else {
      return nil
    }
    next += 1
    guard let last = number(&next, end), start < last, next < end, next.pointee == space,
      case let access = field(&next, end), access.count >= 3, access[0] == UInt8(ascii: "r"),
      !field(&next, end).isEmpty, !field(&next, end).isEmpty,
      case let file = field(&next, end), !file.isEmpty
    else { return nil }
    let isOfFile = file.count != 1 || file[0] != UInt8(ascii: "0")
    // The kernel fills up with spaces in front of the path.
    passSpaces(&next, end)
    let path = UnsafeBufferPointer(start: next, count: end - next)
    // Pages of devices read at a price, or not at all.
    if begins(path, with: "/dev/") || begins(path, with: "[vvar") { return nil }
    return Region(
      start: start,
      end: last,
      isImage: isOfFile,
      isExecutable: access[2] == UInt8(ascii: "x"),
      isWritable: access[1] == UInt8(ascii: "w"),
      isStack: begins(path, with: "[stack"),
      isHeap: begins(path, with: "[heap]"),
      isAnonymous: path.isEmpty && !isOfFile
    )
  }

  private static let space = UInt8(ascii: " ")

  private static func passSpaces(
    _ next: inout UnsafePointer<UInt8>,
    _ end: UnsafePointer<UInt8>
  ) {
    while next < end, next.pointee == space { next += 1 }
  }

  /// The next field of a line, which ends at a space or with the line.
  private static func field(
    _ next: inout UnsafePointer<UInt8>,
    _ end: UnsafePointer<UInt8>
  ) -> UnsafeBufferPointer<UInt8> {
    passSpaces(&next, end)
    let start = next
    while next < end, next.pointee != space { next += 1 }
    return UnsafeBufferPointer(start: start, count: next - start)
  }

  /// The hexadecimal number that begins at `next`; nil if there is none, or a larger one than fits.
  private static func number(
    _ next: inout UnsafePointer<UInt8>,
    _ end: UnsafePointer<UInt8>
  ) -> UInt? {
    let start = next
    var number: UInt = 0
    while next < end {
      let byte = next.pointee
      let digit =
        byte >= UInt8(ascii: "0") && byte <= UInt8(ascii: "9")
        ? byte - UInt8(ascii: "0")
        : byte >= UInt8(ascii: "a") && byte <= UInt8(ascii: "f")
          ? byte - UInt8(ascii: "a") + 10 : 16
      guard digit < 16 else { break }
      guard number >> 60 == 0 else { return nil }
      number = number << 4 | UInt(digit)
      next += 1
    }
    return next > start ? number : nil
  }

  private static func begins(
    _ path: UnsafeBufferPointer<UInt8>,
    with prefix: StaticString
  ) -> Bool {
    guard path.count >= prefix.utf8CodeUnitCount, let start = path.baseAddress else { return false }
    return memcmp(start, prefix.utf8Start, prefix.utf8CodeUnitCount) == 0
  }
}
