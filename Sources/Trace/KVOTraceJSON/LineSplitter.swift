/// Cuts a stream of bytes into lines that end in `\n`, `\r\n` or `\r`, in any mixture.
///
/// Holds at most one line. A line over the limit is discarded as it is read, and reported once.
struct LineSplitter {
  /// The result for a line.
  enum Line {
    /// The bytes without the line end. `isTerminated` is false for a last line without one.
    case whole(ArraySlice<UInt8>, isTerminated: Bool)
    /// The line had more bytes than the limit.
    case overlong
  }

  private let byteLimit: Int
  private var carry: [UInt8] = []
  private var isSkipping = false
  /// Whether the last byte of the previous chunk was a `\r`, whose `\n` may begin the next one.
  private var endsInReturn = false

  init(byteLimit: Int) {
    self.byteLimit = byteLimit
  }

  /// Calls `body` with each line that ends in `chunk`.
  ///
  /// Complexity: O(bytes).
  ///
  /// - Parameters:
  ///   - chunk: the next bytes.
  ///   - take: is called first wherever a line starts in `chunk`, with the index of its first byte. It may take whole
  ///     lines, with their ends, and returns where the next one starts.
  ///   - body: is called with each line that was not taken.
  mutating func split(
    _ chunk: ArraySlice<UInt8>,
    taking take: (Int) -> Int,
    _ body: (Line) -> Void
  ) {
    var rest = chunk
    if endsInReturn, rest.first == 0x0a { rest.removeFirst() }
    // Also if that was all of the chunk: the next line feed ends a line.
    if !chunk.isEmpty { endsInReturn = false }
    while true {
      if carry.isEmpty, !isSkipping, !rest.isEmpty { rest = rest[take(rest.startIndex)...] }
      guard let end = LineEnds.first(in: rest) else { break }
      finish(rest[..<end], isTerminated: true, body)
      if rest[end] == 0x0d {
        if end + 1 == rest.endIndex {
          endsInReturn = true
        } else if rest[end + 1] == 0x0a {
          rest = rest[(end + 2)...]
          continue
        }
      }
      rest = rest[(end + 1)...]
    }
    keep(rest)
  }

  /// Calls `body` with the rest after the last line end, if there is any.
  mutating func finish(_ body: (Line) -> Void) {
    if !carry.isEmpty || isSkipping { finish([], isTerminated: false, body) }
  }

  private mutating func keep(_ bytes: ArraySlice<UInt8>) {
    guard !isSkipping else { return }
    if carry.count + bytes.count > byteLimit {
      isSkipping = true
      carry = []
    } else {
      carry.append(contentsOf: bytes)
    }
  }

  private mutating func finish(
    _ bytes: ArraySlice<UInt8>,
    isTerminated: Bool,
    _ body: (Line) -> Void
  ) {
    if isSkipping || carry.count + bytes.count > byteLimit {
      body(.overlong)
    } else if carry.isEmpty {
      body(.whole(bytes, isTerminated: isTerminated))
    } else {
      carry.append(contentsOf: bytes)
      body(.whole(carry[...], isTerminated: isTerminated))
    }
    isSkipping = false
    carry.removeAll(keepingCapacity: carry.capacity < 1 << 20)
  }
}
