internal import CKVORetention
internal import Glibc

/// The readable memory of this process, as listed by the kernel.
///
/// A walk checks every pointer here before it follows it. The list is a snapshot: while the program
/// is quiescent, memory that a live object refers to is not unmapped.
final class MemoryMap {
  /// A mapping; `end` is exclusive.
  struct Region {
    var start: UInt
    var end: UInt
    /// Whether the mapping is of a file: an executable or a library.
    var isImage: Bool
    var isExecutable: Bool
    var isWritable = false
    /// Whether it is the main thread's stack.
    var isStack = false
    /// Whether it is the heap that grows by `brk`.
    var isHeap = false
    /// Whether it holds zero-initialized variables of an image: it follows the image's own writable
    /// bytes.
    var isStatic = false
    /// Whether it has neither a file nor a name.
    var isAnonymous = false

    /// Whether it is a reservation, such as those of sanitizers, which nothing reads: ThreadSanitizer has three of
    /// nearly 32 GiB, which would take minutes.
    var isReservation: Bool { end - start >= 1 << 34 }
  }

  /// The readable mappings, by rising addresses.
  let regions: [Region]
  /// Whether words that are taken for addresses may lead to memory that AddressSanitizer guards.
  let isSanitized = kvos_is_sanitized() != 0
  /// The region of the latest result: consecutive queries are mostly for nearby addresses.
  // unchecked: nothing in this class holds on to it while something else is called.
  @exclusivity(unchecked)
  private(set) var latest: Region

  convenience init() {
    self.init(regions: Self.parse(Self.text(of: "/proc/self/maps")))
  }

  /// A map of these mappings only, which are sorted by address.
  init(regions: [Region]) {
    self.regions = regions
    latest = Region(start: 0, end: 0, isImage: false, isExecutable: false)
  }

  /// The resident memory of the process in bytes, without shared pages, as reported by the kernel;
  /// nil if it is not known.
  static var ownByteCount: UInt? {
    let counts = text(of: "/proc/self/statm").split(separator: UInt8(ascii: " ")).prefix(3)
      .compactMap { UInt(String(decoding: $0, as: UTF8.self)) }
    guard counts.count == 3, counts[1] >= counts[2] else { return nil }
    return (counts[1] - counts[2]) * UInt(sysconf(Int32(_SC_PAGESIZE)))
  }

  /// Whether `count` bytes at `address` can be read.
  ///
  /// - Complexity: O(1) in the region of the latest query, otherwise O(log n) in the regions.
  @inline(__always)
  func isReadable(_ address: UInt, _ count: UInt) -> Bool {
    isMapped(address, count) && (!isSanitized || kvos_is_poisoned(address, count) == 0)
  }

  /// Whether `count` bytes at `address` are mapped, even if AddressSanitizer guards them.
  @inline(__always)
  func isMapped(_ address: UInt, _ count: UInt) -> Bool {
    if address &- latest.start < latest.end &- latest.start, count <= latest.end &- address {
      return true
    }
    return isMappedElsewhere(address, count)
  }

  /// Whether `address` is in an executable or a library, and `count` bytes can be read there.
  func isInImage(_ address: UInt, _ count: UInt) -> Bool {
    guard let index = index(of: address), regions[index].isImage else { return false }
    return isReadable(address, count)
  }

  /// The start of the page after the one at `address`, which could not be copied: later ones may still exist.
  static func nextPage(_ address: UInt) -> UInt { (address + 4096) & ~4095 }

  /// The readable mapping that contains `address`, or nil.
  func region(of address: UInt) -> Region? { index(of: address).map { regions[$0] } }

  /// Whether `address` is in executable memory.
  func isCode(_ address: UInt) -> Bool {
    index(of: address).map { regions[$0].isExecutable } ?? false
  }

  @inline(never)
  private func isMappedElsewhere(_ address: UInt, _ count: UInt) -> Bool {
    guard var index = index(of: address) else { return false }
    let (last, overflows) = address.addingReportingOverflow(count)
    guard !overflows else { return false }
    latest = regions[index]
    // A range may span adjacent mappings, such as those of one image.
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

  /// Parses lines of the form `start-end rwxp offset device inode path`, and keeps the readable
  /// mappings.
  ///
  /// An incomplete last line is ignored. The kernel returns the list page by page: a mapping that
  /// grows at the same time may be listed again with the part that was already listed; the result
  /// contains that part once.
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

  /// The mapping in a line that ends at `end`; nil if it is malformed or not readable.
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
    // The kernel pads the line with spaces before the path.
    passSpaces(&next, end)
    let path = UnsafeBufferPointer(start: next, count: end - next)
    // Reading memory of devices is expensive or impossible.
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

  /// The next field of a line, up to a space or the end of the line.
  private static func field(
    _ next: inout UnsafePointer<UInt8>,
    _ end: UnsafePointer<UInt8>
  ) -> UnsafeBufferPointer<UInt8> {
    passSpaces(&next, end)
    let start = next
    while next < end, next.pointee != space { next += 1 }
    return UnsafeBufferPointer(start: start, count: next - start)
  }

  /// The hexadecimal number that begins at `next`; nil if there is none, or if it does not fit.
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
