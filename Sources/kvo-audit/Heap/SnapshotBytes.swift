import KVOHeap

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// The bytes of a heap snapshot, each piece of which is checked before the next one is read.
///
/// What is not a snapshot, or says that it is larger than memory, is refused by its first bytes: a file may be endless, and
/// so may the answer of a process.
struct SnapshotBytes {
  /// All that were taken.
  private(set) var all: [UInt8] = []
  /// The size in the header; nil: the header is not complete.
  private var byteCount: UInt64?

  /// Appends the next bytes.
  ///
  /// - Parameters:
  ///   - chunk: the bytes.
  ///   - knownByteCount: the size of the file, if it has one.
  /// - Throws: ``HeapFileError`` if they cannot be those of a snapshot, or memory cannot hold it.
  mutating func append(
    _ chunk: some Collection<UInt8>,
    knownByteCount: Int? = nil
  ) throws(HeapFileError) {
    all += chunk
    if byteCount == nil {
      byteCount = try HeapFile.byteCount(head: all)
      if let byteCount { try Self.allow(byteCount, known: knownByteCount) }
    }
    if let byteCount, UInt64(all.count) > byteCount { throw .tooLong(expected: byteCount) }
  }

  private static func allow(_ byteCount: UInt64, known: Int?) throws(HeapFileError) {
    if let known, UInt64(known) != byteCount {
      throw .wrongLength(expected: byteCount, found: known)
    }
    // The objects and references take about three times the memory of their records.
    let (needed, isOverflow) = byteCount.multipliedReportingOverflow(by: 4)
    guard !isOverflow, let size = Int(exactly: needed), isAvailable(max(1, size)) else {
      throw .tooLarge(byteCount: byteCount)
    }
  }

  /// Whether the process may have `byteCount` more bytes now, which is not zero.
  ///
  /// Asks the system: an optimizer takes out a call of `malloc` whose memory is not used.
  private static func isAvailable(_ byteCount: Int) -> Bool {
    let memory = mmap(
      nil,
      byteCount,
      PROT_READ | PROT_WRITE,
      MAP_PRIVATE | MAP_ANONYMOUS,
      -1,
      0
    )
    guard let memory, memory != MAP_FAILED else { return false }
    return munmap(memory, byteCount) == 0
  }
}
