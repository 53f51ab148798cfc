import Glibc
import KVOTrace

/// The frames of all addresses of one image, read from a file that an earlier run has written.
///
/// The results are those of ``ImageSymbols``. A file that is cut, damaged, of another version or of
/// another image is not an index. Its bytes are read, not mapped, so later changes of the file have
/// no effect.
///
/// Every lookup checks the bounds of the bytes again, so that the worst effect of a file with a
/// correct checksum and wrong content is wrong names.
///
/// Mutable state: `texts` and `answers`, which lookups fill and which are bounded by the index.
final class SymbolIndex {
  private let bytes: UnsafeMutableRawBufferPointer
  private let base: UInt64
  private let starts: UnsafeBufferPointer<UInt32>
  private let rowScopes: UnsafeBufferPointer<UInt32>
  private let rowFiles: UnsafeBufferPointer<UInt32>
  private let rowLines: UnsafeBufferPointer<UInt32>
  private let functions: UnsafeBufferPointer<UInt32>
  private let modules: UnsafeBufferPointer<UInt32>
  private let parents: UnsafeBufferPointer<UInt32>
  private let callFiles: UnsafeBufferPointer<UInt32>
  private let callLines: UnsafeBufferPointer<UInt32>
  private let textEnds: UnsafeBufferPointer<UInt32>
  private let text: UnsafeRawBufferPointer
  /// The index of the first row that does not begin before each multiple of `1 << bucketShift`: a search of all rows
  /// would miss the processor's caches at each step.
  private let buckets: [UInt32]
  private let bucketShift: UInt32
  /// The texts that were looked up, by number.
  private var texts: [String?]
  /// The frames of the rows that were looked up, by index of the row.
  private var answers: [[SourceFrame]?]

  /// Takes ownership of `bytes`; returns nil, and frees them, if they are not an index with `key`.
  ///
  /// - Parameters:
  ///   - bytes: the content of a file, allocated with an alignment of 16.
  ///   - key: the key for which the index must have been made.
  /// - Complexity: O(n) in the bytes, for the checksum.
  init?(taking bytes: UnsafeMutableRawBufferPointer, key: UInt64) {
    typealias Layout = SymbolIndexLayout
    func word(_ word: Layout.Word) -> UInt64 {
      bytes.load(fromByteOffset: word.rawValue * 8, as: UInt64.self)
    }
    // 1. The header, before anything in it is used. 2. The counts, each below the number of bytes,
    //    so that their sums do not overflow. 3. The size that follows from them. 4. The checksum.
    guard Layout.headerByteCount...Layout.byteLimit ~= bytes.count, word(.magic) == Layout.magic,
      word(.version) == Layout.version, word(.key) == key,
      let rows = Int(exactly: word(.rowCount)), rows < bytes.count,
      let scopes = Int(exactly: word(.scopeCount)), scopes < bytes.count,
      let textCount = Int(exactly: word(.textCount)), textCount < bytes.count,
      let textByteCount = Int(exactly: word(.textByteCount)), textByteCount < bytes.count
    else {
      bytes.deallocate()
      return nil
    }
    let words = rows * Layout.rowColumnCount + scopes * Layout.scopeColumnCount + textCount
    let checked = UnsafeRawBufferPointer(rebasing: bytes[Layout.checksumEnd...])
    guard Layout.headerByteCount + words * 4 + textByteCount == bytes.count,
      Layout.checksum(checked) == word(.checksum)
    else {
      bytes.deallocate()
      return nil
    }
    self.bytes = bytes
    base = word(.base)
    var offset = Layout.headerByteCount
    func column(_ count: Int) -> UnsafeBufferPointer<UInt32> {
      defer { offset += count * 4 }
      return UnsafeRawBufferPointer(rebasing: bytes[offset..<offset + count * 4])
        .bindMemory(to: UInt32.self)
    }
    starts = column(rows)
    rowScopes = column(rows)
    rowFiles = column(rows)
    rowLines = column(rows)
    functions = column(scopes)
    modules = column(scopes)
    parents = column(scopes)
    callFiles = column(scopes)
    callLines = column(scopes)
    textEnds = column(textCount)
    text = UnsafeRawBufferPointer(rebasing: bytes[offset...])
    (buckets, bucketShift) = Self.buckets(of: starts)
    texts = Array(repeating: nil, count: textCount)
    answers = Array(repeating: nil, count: rows)
  }

  deinit { bytes.deallocate() }

  /// The frames at `address`, innermost first; empty if the image has no code there, or nothing is
  /// known about it.
  ///
  /// - Complexity: O(log n) in the rows.
  func frames(at address: UInt64) -> [SourceFrame] {
    guard address >= base, let offset = UInt32(exactly: address - base) else { return [] }
    let bucket = Int(offset >> bucketShift)
    // The last row begins at the end of the code.
    guard bucket < buckets.count - 1 else { return [] }
    let candidates = Int(buckets[bucket])..<Int(buckets[bucket + 1])
    let row =
      candidates.lowerBound
      + UnsafeBufferPointer(rebasing: starts[candidates]).partitionIndex { $0 > offset } - 1
    guard row >= 0 else { return [] }
    if let known = answers[row] { return known }
    let frames = makeFrames(row: row)
    answers[row] = frames
    return frames
  }

  private static func buckets(of starts: UnsafeBufferPointer<UInt32>) -> ([UInt32], UInt32) {
    guard let last = starts.last else { return ([], 0) }
    var shift: UInt32 = 0
    while Int(last >> shift) > starts.count / 4 { shift += 1 }
    var buckets: [UInt32] = []
    buckets.reserveCapacity(Int(last >> shift) + 2)
    for (row, start) in starts.enumerated() {
      // Starts that do not ascend are damage, and must not begin a bucket twice.
      while buckets.count <= Int(min(start, last) >> shift) { buckets.append(UInt32(row)) }
    }
    buckets.append(UInt32(starts.count))
    return (buckets, shift)
  }

  private func makeFrames(row: Int) -> [SourceFrame] {
    var scope = Int(rowScopes[row])
    guard functions.indices.contains(scope - 1) else { return [] }
    var frames: [SourceFrame] = []
    var file = rowFiles[row]
    var line = Int(Int32(bitPattern: rowLines[row]))
    while true {
      let parent = Int(parents[scope - 1])
      // A parent precedes its scope, so that the walk ends even in damaged data.
      let isInlined = parent > 0 && parent < scope
      frames.append(
        SourceFrame(
          function: text(functions[scope - 1]) ?? "",
          swiftModule: text(modules[scope - 1]),
          file: text(file),
          line: line,
          isInlined: isInlined
        )
      )
      guard isInlined else { return frames }
      file = callFiles[scope - 1]
      line = Int(callLines[scope - 1])
      scope = parent
    }
  }

  private func text(_ number: UInt32) -> String? {
    let index = Int(number) - 1
    guard textEnds.indices.contains(index) else { return nil }
    if let known = texts[index] { return known }
    let start = index == 0 ? 0 : Int(textEnds[index - 1])
    let end = Int(textEnds[index])
    guard start <= end, end <= text.count else { return nil }
    let made = String(decoding: text[start..<end], as: UTF8.self)
    texts[index] = made
    return made
  }
}
