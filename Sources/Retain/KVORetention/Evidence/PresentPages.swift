internal import Glibc

/// Finds the pages of this process that were ever touched.
///
/// All others contain zeros, and reading them would allocate them.
///
/// A program has more address space than memory: reservations of allocators, and stacks of which
/// little is used.
final class PresentPages {
  /// The maximum number of pages of one query.
  static let pageLimit = 64
  private static let pageBits: UInt = 12
  /// The page is in memory or swapped out.
  ///
  /// Source: Documentation/admin-guide/mm/pagemap.rst of Linux.
  private static let isThere: UInt64 = 3 << 62

  /// A descriptor of `/proc/self/pagemap`, or -1.
  private let file = open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC)

  deinit {
    if file >= 0 { close(file) }
  }

  /// The present parts of a range of no more than `pageLimit` pages; the whole range if this is not
  /// known.
  func runs(in range: Range<UInt>) -> [Range<UInt>] {
    let first = range.lowerBound >> Self.pageBits
    let count = Int((range.upperBound - 1) >> Self.pageBits - first) + 1
    guard file >= 0, count <= Self.pageLimit else { return [range] }
    var runs: [Range<UInt>] = []
    let isKnown = withUnsafeTemporaryAllocation(of: UInt64.self, capacity: count) { pages in
      let size = count * MemoryLayout<UInt64>.size
      guard let start = pages.baseAddress,
        pread(file, start, size, off_t(first) * off_t(MemoryLayout<UInt64>.size)) == size
      else { return false }
      for (index, page) in pages.enumerated() where page & Self.isThere != 0 {
        let start = max((first + UInt(index)) << Self.pageBits, range.lowerBound)
        let end = min((first + UInt(index) + 1) << Self.pageBits, range.upperBound)
        if let last = runs.last, last.upperBound == start {
          runs[runs.count - 1] = last.lowerBound..<end
        } else {
          runs.append(start..<end)
        }
      }
      return true
    }
    return isKnown ? runs : [range]
  }
}
