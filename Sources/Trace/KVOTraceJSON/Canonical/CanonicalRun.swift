/// Lines one after the other, lent to a ``CanonicalScanner`` in place in memory.
///
/// Unsafe: it creates the cursor, and ensures the preconditions of ``LineCursor``: every line of the run has its end
/// inside the run, and ``LineCursor/padding`` bytes can be read after the run. It must not outlive the closure that it
/// is handed to.
struct CanonicalRun {
  /// At the start of a line, or at ``end``.
  var line: LineCursor
  /// After the last line's end.
  let end: UnsafeRawPointer

  var isAtEnd: Bool { line.position >= end }

  /// Up to where the lines of `chunk` can be read in place: the index after the last line
  /// end that has the padding after it, or the start.
  ///
  /// Complexity: O(bytes after it).
  static func limit(in chunk: ArraySlice<UInt8>) -> Int {
    // One more, so that the `\n` of a `\r\n` is not counted as padding.
    let last = LineEnds.last(in: chunk.dropLast(LineCursor.padding + 1))
    return last.map { $0 + 1 } ?? chunk.startIndex
  }

  /// Calls `body` with the lines of `chunk` from `start`, where one begins, up to `limit`.
  ///
  /// - Parameters:
  ///   - chunk: the bytes.
  ///   - start: where a line starts.
  ///   - limit: the result of ``limit(in:)`` for the chunk.
  ///   - body: moves the run over the lines that it takes.
  /// - Returns: where the first line starts that was not taken.
  static func lines(
    of chunk: ArraySlice<UInt8>,
    from start: Int,
    limit: Int,
    _ body: (inout CanonicalRun) -> Void
  ) -> Int {
    guard start < limit else { return start }
    return chunk.withUnsafeBytes { bytes in
      guard let base = bytes.baseAddress else { return start }
      var run = CanonicalRun(
        line: LineCursor(at: base + (start - chunk.startIndex)),
        end: base + (limit - chunk.startIndex)
      )
      body(&run)
      return chunk.startIndex + (run.line.position - base)
    }
  }

  /// Calls `body` with the one line `bytes`, which has no line end, from a copy in `buffer`.
  static func line(
    _ bytes: ArraySlice<UInt8>,
    copiedTo buffer: inout [UInt8],
    _ body: (inout CanonicalRun) -> Bool
  ) -> Bool {
    buffer.removeAll(keepingCapacity: buffer.capacity < 1 << 20)
    buffer.append(contentsOf: bytes)
    buffer.append(0x0a)
    let end = buffer.count
    buffer.append(contentsOf: repeatElement(0, count: LineCursor.padding))
    return buffer.withUnsafeBytes { copy in
      guard let base = copy.baseAddress else { return false }
      var run = CanonicalRun(line: LineCursor(at: base), end: base + end)
      return body(&run)
    }
  }
}
