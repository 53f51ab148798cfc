import KVOTrace

/// The stacks of a log by their text in it, so that a repeated one costs a hash and a comparison, and is not parsed.
///
/// A list ends at its own bracket, so the same bytes are the same list wherever a value is expected. Bounded: when it
/// is full it is cleared.
struct StackTexts {
  /// The longest text that is kept, in bytes.
  static let textByteLimit = 4_096
  private static let totalByteLimit = 32 << 20

  private var texts = TextTable()
  /// The stack of each text of `texts`, which are numbered from 1.
  private var stacks: [StackID] = []
  private var byteCount = 0

  /// The stack whose list is `text`, or nil if it was not seen, or was dropped.
  ///
  /// Complexity: O(length).
  @inline(__always)
  func stack(_ text: UnsafeRawBufferPointer, hash: UInt64) -> StackID? {
    texts.find(text, hash: hash).map { stacks[Int($0) - 1] }
  }

  /// Keeps a text that was not seen before.
  ///
  /// - Parameters:
  ///   - text: from the opening bracket to the closing one, up to ``textByteLimit``, without a line
  ///     end; copied.
  ///   - hash: its ``TextHash`` under ``TextHash/processSeed``.
  ///   - stack: what it was parsed as.
  mutating func add(_ text: UnsafeRawBufferPointer, hash: UInt64, stack: StackID) {
    if byteCount > Self.totalByteLimit { self = StackTexts() }
    guard texts.id(of: text, hash: hash) == stacks.count + 1 else { return }
    stacks.append(stack)
    byteCount += text.count
  }
}
