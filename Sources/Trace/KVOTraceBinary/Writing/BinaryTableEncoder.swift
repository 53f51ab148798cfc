import KVOTrace

/// Gives the strings and stacks of a log the numbers that its records name them by, and encodes the definition of each
/// on its first use.
///
/// One encoder serves one file. Definitions accumulate in ``bytes`` until the caller takes them.
package struct BinaryTableEncoder {
  /// Whole records of definitions.
  package private(set) var bytes: [UInt8] = []

  /// The file's numbers by our ids; 0 if there is none yet.
  private var stringNumbers: [UInt64] = []
  private var stackNumbers: [UInt64] = []
  /// Texts that are in events as they are, and so have no id.
  private var textNumbers: [String: UInt64] = [:]
  private var lastString: UInt64 = 0
  private var lastStack: UInt64 = 0

  package init() {}

  /// How many strings and stacks were defined.
  package var stringCount: Int { Int(lastString) }
  package var stackCount: Int { Int(lastStack) }

  /// The definitions since the last call, which are dropped here.
  package mutating func takeBytes() -> [UInt8] {
    let taken = bytes
    bytes.removeAll(keepingCapacity: true)
    return taken
  }

  /// The number of a string; 0 for ``StringID/none``.
  ///
  /// Complexity: O(1), and O(length) the first time.
  mutating func number(of id: StringID, _ names: TraceNames) -> UInt64 {
    if id == .none { return 0 }
    let index = Int(id.rawValue)
    if index < stringNumbers.count, stringNumbers[index] != 0 { return stringNumbers[index] }
    Self.grow(&stringNumbers, beyond: index)
    stringNumbers[index] = define(names[id])
    return stringNumbers[index]
  }

  /// The number of a text that has no id; 0 for the empty one.
  mutating func number(of text: String) -> UInt64 {
    if text.isEmpty { return 0 }
    if let number = textNumbers[text] { return number }
    let number = define(text)
    textNumbers[text] = number
    return number
  }

  /// The number of a stack; 0 for ``StackID/none``.
  ///
  /// Complexity: O(1), and O(frames) the first time.
  mutating func number(of id: StackID, _ names: TraceNames) -> UInt64 {
    if id == .none { return 0 }
    let index = Int(id.rawValue)
    if index < stackNumbers.count, stackNumbers[index] != 0 { return stackNumbers[index] }
    Self.grow(&stackNumbers, beyond: index)
    lastStack += 1
    stackNumbers[index] = lastStack
    define(names[id], as: lastStack, names)
    return lastStack
  }

  private static func grow(_ numbers: inout [UInt64], beyond index: Int) {
    let missing = index + 1 - numbers.count
    if missing > 0 { numbers.append(contentsOf: repeatElement(0, count: missing)) }
  }

  private mutating func define(_ text: String) -> UInt64 {
    lastString += 1
    bytes.append(BinaryFormat.Record.string.rawValue)
    bytes.append(varint: lastString)
    bytes.append(varint: UInt64(text.utf8.count))
    bytes.append(contentsOf: text.utf8)
    return lastString
  }

  private mutating func define(_ frames: [Frame], as number: UInt64, _ names: TraceNames) {
    let isBare = frames.allSatisfy {
      $0.symbol == .none && $0.module == .none && $0.file == .none && $0.line == 0
    }
    if isBare {
      bytes.append(BinaryFormat.Record.stack.rawValue)
      bytes.append(varint: number)
      bytes.append(varint: UInt64(frames.count))
      var previous: UInt64 = 0
      for frame in frames {
        bytes.append(zigzag: Int64(bitPattern: frame.address &- previous))
        previous = frame.address
      }
      return
    }
    // The strings' definitions come first: their bytes must not be inside this record.
    let texts = frames.map { frame in
      (
        self.number(of: frame.symbol, names), self.number(of: frame.module, names),
        self.number(of: frame.file, names)
      )
    }
    bytes.append(BinaryFormat.Record.describedStack.rawValue)
    bytes.append(varint: number)
    bytes.append(varint: UInt64(frames.count))
    for (frame, text) in zip(frames, texts) {
      bytes.append(varint: frame.address)
      bytes.append(varint: text.0)
      bytes.append(varint: text.1)
      bytes.append(varint: text.2)
      bytes.append(varint: UInt64(frame.line))
    }
  }
}
