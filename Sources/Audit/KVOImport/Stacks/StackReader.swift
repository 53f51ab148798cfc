/// Finds the stacks in a passage.
struct StackReader {
  private let text: CleanText
  private var stacks: [StackTrace] = []
  private var open: StackTrace?
  /// The lines since the last frame of the open stack.
  private var gap = 0
  /// The headings' information about the next stack.
  private var role = StackTrace.Role.unknown
  private var thread: String?
  private var threadName: String?
  /// The last line that was joined with one before it.
  private var joinedLine = -1
  private let context: SourceContext

  private init(_ text: CleanText) {
    self.text = text
    context = SourceContext(text)
  }

  /// The stacks of `text`, in order.
  ///
  /// Complexity: O(length).
  static func stacks(in text: CleanText) -> [StackTrace] {
    var reader = StackReader(text)
    for line in text.lineStarts.indices where line > reader.joinedLine {
      if reader.context.isComment(line: line) { reader.skip() } else { reader.read(line) }
    }
    reader.close()
    return reader.stacks
  }

  private mutating func read(_ line: Int) {
    let bytes = text.bytes[text.lineRange(line)]
    guard bytes.count > 3 else { return skip() }
    if open != nil, FrameLine.isBelowFrame(bytes) { return }
    if readHeading(bytes, at: line) { return }
    let list = addresses(bytes)
    if !list.isEmpty, isListOpen(before: line), var stack = stacks.popLast() {
      for address in list {
        stack.frames.append(StackTrace.Frame(number: stack.frames.count, address: address))
      }
      stack.lines = stack.lines.lowerBound..<line + 1
      stacks.append(stack)
      return
    }
    if list.count >= 3 {
      close()
      let frames = list.enumerated().map { StackTrace.Frame(number: $0, address: $1) }
      open = StackTrace(role: .exception, frames: frames, lines: line..<line + 1)
      return close()
    }
    let printed = FrameLine.quotedFrames(bytes)
    if !printed.isEmpty {
      close()
      open = StackTrace(
        role: role,
        thread: thread,
        threadName: threadName,
        frames: printed,
        lines: line..<line + 1,
        inputLine: text.lineNumbers[line]
      )
      return close()
    }
    // A program also logs the names of its functions: in a log only numbered lines are frames.
    let isLogged = !text.logPrefix(ofLine: line).isEmpty
    let element = quotedElement(bytes)
    guard
      let frame = isLogged || element != nil ? numberedFrame(element ?? bytes) : frame(at: line)
    else { return skip() }
    if let frames = open?.frames, let number = frame.number, let last = frames.last,
      let lastNumber = last.number, number <= lastNumber, !Self.isInlined(last, into: frame)
    {
      // An offset that was wrapped onto a line of its own looks like a frame without an address: if this frame follows the
      // one before it, it was none.
      if frames.count > 1, last.address == nil, frames[frames.count - 2].number == number - 1 {
        open?.frames.removeLast()
      } else {
        close()
      }
    }
    if let last = open?.frames.last, last.isManaged != frame.isManaged { close() }
    if open == nil {
      open = StackTrace(
        role: frame.isManaged ? .other : role,
        thread: thread,
        threadName: threadName,
        lines: line..<line + 1,
        inputLine: text.lineNumbers[line]
      )
    }
    let start = open?.lines.lowerBound ?? line
    open?.frames.append(frame)
    open?.lines = start..<line + 1
    gap = 0
  }

  /// Whether `inner` was inlined into `outer`: then some symbolicators number both alike.
  private static func isInlined(_ inner: StackTrace.Frame, into outer: StackTrace.Frame) -> Bool {
    inner.number == outer.number && inner.address != nil && inner.address == outer.address
      && inner.symbol != outer.symbol
  }

  /// The frame that is a string of an array in a line of its own; nil: the line is none, or one of code.
  private func quotedElement(_ bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
    FrameLine.quoted(bytes).flatMap { context.isSource(at: $0.startIndex) ? nil : $0 }
  }

  private func numberedFrame(_ bytes: ArraySlice<UInt8>) -> StackTrace.Frame? {
    let frame = FrameLine(bytes).frame(isInside: open != nil && gap == 0)
    guard let frame else { return nil }
    // Mono's have no numbers.
    let isPlaced = frame.address != nil && frame.image != nil
    return isPlaced || frame.number != nil && frame.symbol != nil ? frame : nil
  }

  /// The frame of a line, or of it and the next ones if it was wrapped between its parts.
  private mutating func frame(at line: Int) -> StackTrace.Frame? {
    let bytes = text.bytes[text.lineRange(line)]
    let isInside = open != nil && gap == 0
    let frame = FrameLine(bytes).frame(isInside: isInside)
    let first = bytes.drop(while: \.isBlank)
    guard line + 1 < text.lineStarts.count, bytes.count < 200,
      first.first?.isASCIIDigit == true || first.first == UInt8(ascii: "#")
        || first.starts(with: "frame #".utf8)
    else { return frame }
    let next = FrameLine.trimmed(text.bytes[text.lineRange(line + 1)])
    if let frame, let whole = wrapped(frame, bytes, next, at: line) {
      joinedLine = line + 1
      return whole
    }
    guard frame.map(Self.isIncomplete) ?? true, !FrameLine.namesNoFunction(bytes) else {
      return frame
    }
    var whole = Array(bytes)
    var front = frame
    for index in (line + 1..<text.lineStarts.count).prefix(Self.longestWrapped) {
      let next = FrameLine.trimmed(text.bytes[text.lineRange(index)])
      // A line that begins with a number is a separate frame.
      guard let start = next.first, next.starts(with: "0x".utf8) || !start.isASCIIDigit,
        start != UInt8(ascii: "#"), !next.starts(with: "frame #".utf8),
        !FrameLine.isBelowFrame(next),
        isInside || front != nil || next.starts(with: "0x".utf8),
        front?.address == nil || front?.symbol != nil || FrameLine.mayBeFunction(next)
      else { return frame }
      // After the class and a blank, a method has no more blanks: it was wrapped at a column.
      if front?.symbol?.contains(" ") != true { whole.append(0x20) }
      whole += next
      guard let joined = FrameLine(whole[...]).frame(isInside: isInside), joined.number != nil,
        joined.image != nil
      else { return frame }
      if !Self.isIncomplete(joined) {
        joinedLine = index
        return joined
      }
      front = joined
    }
    return frame
  }

  /// Onto how many more lines a frame may be wrapped: after its address, and after its class.
  private static let longestWrapped = 3

  /// `frame` with the rest of its function or its offset, if these were wrapped onto the next line; nil: they were not.
  private func wrapped(
    _ frame: StackTrace.Frame,
    _ bytes: ArraySlice<UInt8>,
    _ next: ArraySlice<UInt8>,
    at line: Int
  ) -> StackTrace.Frame? {
    guard frame.symbol != nil, let first = next.first else { return nil }
    let isOffset = FrameLine.trimmed(bytes).last == UInt8(ascii: "+") && first.isASCIIDigit
    // Wrapping at a column may cut the name of a function in two: then the line does not end in a blank.
    let isName =
      bytes.last?.isNamePart == true && !Self.hasOffset(bytes) && Self.hasOffset(next)
      && (first.isNamePart && !first.isASCIIDigit || first == UInt8(ascii: ":"))
      && !next.starts(with: "frame #".utf8)
      && next.prefix(while: { !$0.isBlank }).count < next.count
      && (Self.isIncomplete(frame) || FrameLine(next).frame(isInside: false) == nil)
    guard isOffset || isName || isNameEnd(next, of: frame, bytes, at: line) else { return nil }
    let blank: [UInt8] = [0x20]
    if isOffset {
      // The blank before the line end may have remained.
      return FrameLine((FrameLine.trimmed(bytes) + blank + next)[...]).frame(isInside: true)
    }
    let whole = FrameLine((bytes + next)[...]).frame(isInside: true)
    // A method has a blank after its class: it was there that the line was wrapped.
    guard let symbol = whole?.symbol, symbol.hasPrefix("-[") || symbol.hasPrefix("+["),
      !symbol.contains(" ")
    else { return whole }
    return FrameLine((bytes + blank + next)[...]).frame(isInside: true)
  }

  /// Whether `next` is the rest of a function's name in a stack without offsets: one word, after which the next frame
  /// follows.
  private func isNameEnd(
    _ next: ArraySlice<UInt8>,
    of frame: StackTrace.Frame,
    _ bytes: ArraySlice<UInt8>,
    at line: Int
  ) -> Bool {
    guard let number = frame.number, frame.address != nil, bytes.count >= Self.shortestWrapped,
      bytes.last?.isNamePart == true, !Self.hasOffset(bytes), next.first?.isASCIIDigit == false,
      next.allSatisfy({
        $0.isNamePart && $0 != UInt8(ascii: ".") || $0 == UInt8(ascii: ":")
          || $0 == UInt8(ascii: "]")
      }),
      // A file and its line have a colon, too.
      !next.contains(UInt8(ascii: ":")) || next.last == UInt8(ascii: "]")
    else { return false }
    guard line + 2 < text.lineStarts.count else { return true }
    let following = FrameLine.trimmed(text.bytes[text.lineRange(line + 2)])
      .drop { $0 == UInt8(ascii: "#") }
    return Int(String(decoding: following.prefix(while: \.isASCIIDigit), as: UTF8.self))
      == number + 1
  }

  /// No line is wrapped before this column.
  private static let shortestWrapped = 40

  /// Whether the line has the offset of an address in a function: `+ 152`.
  private static func hasOffset(_ line: ArraySlice<UInt8>) -> Bool {
    guard let sign = FrameLine.first(" + ", in: line) else { return false }
    return line[(sign + 3)...].first?.isASCIIDigit == true
  }

  /// Whether the function is missing, or is a method whose bracket is still open.
  private static func isIncomplete(_ frame: StackTrace.Frame) -> Bool {
    guard let symbol = frame.symbol else { return true }
    return (symbol.hasPrefix("-[") || symbol.hasPrefix("+[")) && !symbol.contains("]")
  }

  /// A line that is not a frame; a stack may be broken by a few, as when a frame is wrapped.
  private mutating func skip() {
    guard open != nil else { return }
    gap += 1
    let isNumbered = open?.frames.last?.number != nil
    if gap > (isNumbered ? 3 : 1) { close() }
  }

  private mutating func close() {
    if let stack = open { stacks.append(stack) }
    open = nil
    gap = 0
  }

  // MARK: - Headings

  private mutating func readHeading(_ bytes: ArraySlice<UInt8>, at line: Int) -> Bool {
    var rest = bytes.drop { $0.isBlank || $0 == UInt8(ascii: "*") }
    // Crash services number their threads: `#0. Crashed: com.apple.main-thread`, `#22. Thread`.
    if rest.first == UInt8(ascii: "#") {
      let name = rest.dropFirst().drop(while: \.isASCIIDigit)
      guard name.first == UInt8(ascii: "."), name.count > 2 else { return false }
      rest = name.dropFirst().drop(while: \.isBlank)
      if !rest.starts(with: "Crashed".utf8) {
        begin(.other, name: rest)
        return true
      }
    }
    if rest.starts(with: "Thread : ".utf8) { rest = rest.dropFirst(9) }
    switch rest.first {
    case UInt8(ascii: "T") where rest.starts(with: "Thread ".utf8):
      readThread(rest.dropFirst(7))
      return true
    case UInt8(ascii: "t") where rest.starts(with: "thread #".utf8):
      readDebuggerThread(wholeHeading(rest.dropFirst(8), at: line))
      return true
    case UInt8(ascii: "C") where rest.starts(with: "Crashed: ".utf8):
      begin(.crashed, name: rest.dropFirst(9))
      return true
    case UInt8(ascii: "L") where rest.starts(with: "Last Exception Backtrace".utf8):
      begin(.exception, name: [])
      return true
    case UInt8(ascii: "F") where rest.starts(with: "First throw call stack".utf8),
      UInt8(ascii: "F") where rest.starts(with: "Fatal Exception".utf8):
      begin(.exception, name: [])
      return true
    case UInt8(ascii: "B") where rest.starts(with: "Binary Images".utf8):
      begin(.unknown, name: [])
      return true
    default: return false
    }
  }

  private mutating func begin(_ role: StackTrace.Role, name: ArraySlice<UInt8>) {
    close()
    self.role = role
    thread = nil
    threadName = name.isEmpty ? nil : String(decoding: name.prefix(80), as: UTF8.self).trimmed
  }

  /// `0 Crashed:`, `0 name:  Dispatch queue: …`, `3:: com.apple.…`.
  private mutating func readThread(_ rest: ArraySlice<UInt8>) {
    let digits = rest.prefix(while: \.isASCIIDigit)
    guard !digits.isEmpty, digits.count < 8 else { return }
    let number = String(decoding: digits, as: UTF8.self)
    let tail = rest.dropFirst(digits.count)
    if FrameLine.first("crashed with", in: tail) != nil
      || FrameLine.first("State", in: tail) != nil
    {
      return begin(.unknown, name: [])
    }
    let isCrashed =
      FrameLine.first("Crashed", in: tail) != nil || FrameLine.first("(crashed)", in: tail) != nil
    if tail.starts(with: " name:".utf8) || tail.starts(with: " Dispatch".utf8) {
      if thread != number { begin(.other, name: []) }
      thread = number
      threadName = String(decoding: FrameLine.trimmed(tail.dropFirst(6)).prefix(80), as: UTF8.self)
      return
    }
    let name = thread == number ? threadName : nil
    // Swift's runtime: `0 "App" crashed:`.
    if FrameLine.trimmed(tail).ends(with: "crashed:") {
      begin(.crashed, name: tail.split(separator: UInt8(ascii: "\"")).dropFirst().first ?? [])
      thread = number
      return
    }
    begin(isCrashed ? .crashed : Self.stopped(tail), name: [])
    thread = number
    threadName = name
  }

  /// Whose stack Xcode's heading announces: `: EXC_BAD_ACCESS (code=1, address=0x10)`, `: signal SIGABRT`, and with the
  /// queue of the thread that is copied, `Queue : com.apple.main-thread (serial)`.
  ///
  /// The headings of reports have a colon alone after the number, or two and a name.
  private static func stopped(_ tail: ArraySlice<UInt8>) -> StackTrace.Role {
    guard !tail.starts(with: "::".utf8) else { return .other }
    let words = tail.drop { $0.isBlank || $0 == UInt8(ascii: ",") || $0 == UInt8(ascii: ":") }
    let badAccess: [StaticString] = ["EXC_BAD", "SIGSEGV", "SIGBUS"]
    if badAccess.contains(where: { FrameLine.first($0, in: words) != nil }) { return .crashed }
    // None of these states that the thread accessed unmapped memory.
    return ["EXC_", "signal SIG", "breakpoint ", "Queue"].contains {
      words.starts(with: $0.utf8)
    } ? .unknown : .other
  }

  /// The heading of a debugger's thread with the lines that it was wrapped onto, with their ends.
  private mutating func wholeHeading(
    _ rest: ArraySlice<UInt8>,
    at line: Int
  ) -> ArraySlice<UInt8> {
    guard rest.contains(UInt8(ascii: ",")) else { return rest }
    var whole = Array(rest)
    for next in (line + 1..<text.lineStarts.count).prefix(3) {
      let bytes = FrameLine.trimmed(text.bytes[text.lineRange(next)])
        .drop { $0 == UInt8(ascii: "*") || $0.isBlank }
      let isOther = ["frame #", "thread #", "Thread ", "(lldb)", "#"].contains {
        bytes.starts(with: $0.utf8)
      }
      guard !bytes.isEmpty, !isOther, text.logPrefix(ofLine: next).isEmpty,
        FrameLine(bytes).frame(isInside: false) == nil
      else { break }
      whole.append(0x0a)
      whole += bytes
      joinedLine = next
    }
    return whole[...]
  }

  /// `1: tid = 0x45393e, queue = 'com.apple.main-thread', stop reason = EXC_BAD_ACCESS`.
  private mutating func readDebuggerThread(_ heading: ArraySlice<UInt8>) {
    let digits = heading.prefix(while: \.isASCIIDigit)
    // It was wrapped between words, whose blank is lost, or inside one.
    let joined = heading.filter { $0 != 0x0a }[...]
    let letters = joined.filter { !$0.isBlank }[...]
    let isStopped = FrameLine.first("stopreason", in: letters) != nil
    // At a breakpoint nothing crashed, but an exception may be propagating.
    let isCrashed = FrameLine.namesTermination(heading) || FrameLine.namesTermination(joined)
    begin(isCrashed ? .crashed : isStopped ? .unknown : .other, name: [])
    thread = String(decoding: digits, as: UTF8.self)
  }

  /// The addresses of `(0x1a2b 0x3c4d …)`: of three on, they are a stack.
  private func addresses(_ bytes: ArraySlice<UInt8>) -> [UInt64] {
    let rest = bytes.drop { $0.isBlank || $0 == UInt8(ascii: "(") }
    guard rest.starts(with: "0x".utf8) else { return [] }
    var found: [UInt64] = []
    for word in rest.split(whereSeparator: { $0.isBlank || $0 == UInt8(ascii: ")") || $0 == 0x2c })
    {
      guard word.starts(with: "0x".utf8),
        let address = UInt64(String(decoding: word.dropFirst(2), as: UTF8.self), radix: 16)
      else { break }
      found.append(address)
    }
    return found
  }

  /// Whether the line before `line` is one of a stack of only addresses that was wrapped there.
  private func isListOpen(before line: Int) -> Bool {
    guard open == nil, let list = stacks.last, list.lines.upperBound == line,
      list.frames.allSatisfy({ $0.symbol == nil && $0.image == nil })
    else { return false }
    return !text.bytes[text.lineRange(line - 1)].contains(UInt8(ascii: ")"))
  }
}
