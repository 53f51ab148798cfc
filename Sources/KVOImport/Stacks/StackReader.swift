/// Finds the stacks in a passage.
struct StackReader {
  private let text: CleanText
  private var stacks: [StackTrace] = []
  private var open: StackTrace?
  /// The lines since the last frame of the open stack.
  private var gap = 0
  /// What the headings said of the stack that comes next.
  private var role = StackTrace.Role.unknown
  private var thread: String?
  private var threadName: String?

  private init(_ text: CleanText) { self.text = text }

  /// The stacks of `text`, in order.
  ///
  /// Complexity: O(length).
  static func stacks(in text: CleanText) -> [StackTrace] {
    var reader = StackReader(text)
    for line in text.lineStarts.indices { reader.read(line) }
    reader.close()
    return reader.stacks
  }

  private mutating func read(_ line: Int) {
    let bytes = text.bytes[text.lineRange(line)]
    guard bytes.count > 3 else { return skip() }
    if readHeading(bytes) { return }
    if let addresses = addressList(bytes) {
      close()
      open = StackTrace(role: .exception, frames: addresses, lines: line..<line + 1)
      return close()
    }
    guard let frame = FrameLine(bytes).frame(isInside: open != nil && gap == 0) else {
      return skip()
    }
    if let last = open?.frames.last?.number, let number = frame.number, number <= last { close() }
    if open == nil {
      open = StackTrace(role: role, thread: thread, threadName: threadName, lines: line..<line + 1)
    }
    let start = open?.lines.lowerBound ?? line
    open?.frames.append(frame)
    open?.lines = start..<line + 1
    gap = 0
  }

  /// A line that is no frame; a stack may be broken by a few, as where a frame is wrapped.
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

  private mutating func readHeading(_ bytes: ArraySlice<UInt8>) -> Bool {
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
      readDebuggerThread(rest.dropFirst(8))
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
    let isCrashed = FrameLine.first("Crashed", in: tail) != nil
    if tail.starts(with: " name:".utf8) || tail.starts(with: " Dispatch".utf8) {
      if thread != number { begin(.other, name: []) }
      thread = number
      threadName = String(decoding: FrameLine.trimmed(tail.dropFirst(6)).prefix(80), as: UTF8.self)
      return
    }
    let name = thread == number ? threadName : nil
    begin(isCrashed ? .crashed : .other, name: [])
    thread = number
    threadName = name
  }

  /// `1: tid = 0x45393e, queue = 'com.apple.main-thread', stop reason = EXC_BAD_ACCESS`.
  private mutating func readDebuggerThread(_ rest: ArraySlice<UInt8>) {
    let digits = rest.prefix(while: \.isASCIIDigit)
    let isStopped = FrameLine.first("stop reason", in: rest) != nil
    // At a breakpoint nothing crashed, but an exception may be on its way.
    let isCrashed =
      FrameLine.first("EXC_", in: rest) != nil || FrameLine.first("SIG", in: rest) != nil
    begin(isCrashed ? .crashed : isStopped ? .unknown : .other, name: [])
    thread = String(decoding: digits, as: UTF8.self)
  }

  /// `(0x1a2b 0x3c4d …)`: a stack of nothing but addresses.
  private func addressList(_ bytes: ArraySlice<UInt8>) -> [StackTrace.Frame]? {
    let rest = bytes.drop { $0.isBlank || $0 == UInt8(ascii: "(") }
    guard rest.starts(with: "0x".utf8) else { return nil }
    var frames: [StackTrace.Frame] = []
    for word in rest.split(whereSeparator: { $0.isBlank || $0 == UInt8(ascii: ")") || $0 == 0x2c })
    {
      guard word.starts(with: "0x".utf8),
        let address = UInt64(String(decoding: word.dropFirst(2), as: UTF8.self), radix: 16)
      else { break }
      frames.append(StackTrace.Frame(number: frames.count, address: address))
    }
    return frames.count >= 3 ? frames : nil
  }
}
