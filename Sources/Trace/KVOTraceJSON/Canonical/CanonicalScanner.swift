import KVOTrace

/// Creates events from lines in the canonical form (the end of `Documentation/LogFormat.md`), straight from their
/// bytes.
///
/// It accepts a line only if the general parser and ``EventDecoder`` would produce the same event and the same names
/// from it, in the same order; every other line leaves its state unchanged. An accepted line costs no allocation,
/// except for new names, lists, and the texts of `process` and `module`.
struct CanonicalScanner {
  /// The lists of a line, reused from line to line.
  var scratch: [UInt8] = []
  var frames: [Frame] = []
  private var stackTexts = StackTexts()
  let seed = TextHash.processSeed

  /// Sets `event` to the event of the next line of `run`.
  ///
  /// Complexity: O(length of the line).
  ///
  /// - Parameters:
  ///   - event: is written to in place, because events are large; meaningless if the line is not accepted.
  ///   - run: moved past the line; unchanged if the line is not accepted.
  ///   - lineByteLimit: longer lines, with their ends, are not accepted.
  ///   - names: those of the event are added; unchanged if the line is not accepted.
  /// - Returns: whether there is a line and it was accepted.
  mutating func read(
    _ event: inout Event,
    from run: inout CanonicalRun,
    lineByteLimit: Int,
    _ names: inout TraceNames
  ) -> Bool {
    guard !run.isAtEnd else { return false }
    let mark = names.mark
    do throws(NotCanonical) {
      var line = run.line
      let newStack = try read(&event, &line, limit: run.end, &names)
      guard line.position - run.line.position <= lineByteLimit else { throw NotCanonical() }
      // Only now is it certain that the stack's id is kept.
      if let newStack { stackTexts.add(newStack.bytes, hash: newStack.hash, stack: event.stack) }
      run.line = line
      return true
    } catch {
      names.removeAll(after: mark)
      return false
    }
  }

  /// Reads the whole line, and returns the text of its stack if that is worth caching.
  @inline(__always)
  private mutating func read(
    _ event: inout Event,
    _ line: inout LineCursor,
    limit: UnsafeRawPointer,
    _ names: inout TraceNames
  ) throws(NotCanonical) -> StackText? {
    try line.expect(#"{"event":""#)
    let kind = try CanonicalKind(&line)
    event.time = line.take(#","t":"#) ? try number(&line) : nil
    event.thread = line.take(#","thread":"#) ? try identifier(&line, &names) : nil
    event.order = line.take(#","order":"#) ? try number(&line) : nil
    try read(&event.body, kind, &line, &names)
    event.stack = .none
    var newStack: StackText?
    if line.take(#","stack":"#) {
      (event.stack, newStack) = try stack(&line, limit: limit, &names)
    }
    event.scope = line.take(#","scope":"#) ? try identifier(&line, &names) : nil
    try line.expect("}")
    try line.endLine()
    return newStack
  }

  // MARK: Stacks

  /// The text of a stack that is worth caching.
  private struct StackText {
    var bytes: UnsafeRawBufferPointer
    var hash: UInt64
  }

  @inline(__always)
  private mutating func stack(
    _ line: inout LineCursor,
    limit: UnsafeRawPointer,
    _ names: inout TraceNames
  ) throws(NotCanonical) -> (StackID, StackText?) {
    // The first bracket ends the list, unless it is in the name of a function.
    let text = line.upTo(UInt8(ascii: "]"), byteLimit: StackTexts.textByteLimit, limit: limit)
    let known = text.map { StackText(bytes: $0, hash: TextHash.of($0, seed: seed)) }
    if let known, let stack = stackTexts.stack(known.bytes, hash: known.hash) {
      line.skip(known.bytes)
      return (stack, nil)
    }
    try parseFrames(&line, &names)
    let stack = names.id(of: frames)
    guard let known, line.isAtEnd(of: known.bytes) else { return (stack, nil) }
    return (stack, known)
  }

  private mutating func parseFrames(
    _ line: inout LineCursor,
    _ names: inout TraceNames
  ) throws(NotCanonical) {
    frames.removeAll(keepingCapacity: true)
    try line.expect("[")
    repeat {
      if line.take(#""0x"#) {
        frames.append(Frame(address: try line.hexadecimal()))
        try line.expect(#"""#)
      } else {
        frames.append(try frame(&line, &names))
      }
    } while line.take(",")
    try line.expect("]")
  }

  private mutating func frame(
    _ line: inout LineCursor,
    _ names: inout TraceNames
  ) throws(NotCanonical) -> Frame {
    var frame = Frame()
    try line.expect("{")
    if line.take("}") { return frame }
    if line.take(#""address":"#) {
      frame.address = try address(&line)
      if !line.take(",") {
        try line.expect("}")
        return frame
      }
    }
    if line.take(#""symbol":"#) {
      frame.symbol = try string(&line, &names)
      if !line.take(",") {
        try line.expect("}")
        return frame
      }
    }
    if line.take(#""module":"#) {
      frame.module = try string(&line, &names)
      if !line.take(",") {
        try line.expect("}")
        return frame
      }
    }
    if line.take(#""file":"#) {
      frame.file = try string(&line, &names)
      if !line.take(",") {
        try line.expect("}")
        return frame
      }
    }
    try line.expect(#""line":"#)
    guard let number = UInt32(exactly: try number(&line)) else { throw NotCanonical() }
    frame.line = number
    try line.expect("}")
    return frame
  }
}
