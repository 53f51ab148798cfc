/// The targets of calls and jumps in the first instructions of a function.
///
/// Other bytes may look like such an instruction: the caller verifies a target by its name.
struct CallTargets: Sequence {
  private static let byteLimit = 96

  private let targets: [UInt]

  init(of code: UInt, memory: MemoryMap) {
    guard memory.isReadable(code, UInt(Self.byteLimit)),
      let start = UnsafeRawPointer(bitPattern: code)
    else {
      targets = []
      return
    }
    targets = Self.candidates(start).filter(memory.isCode)
  }

  func makeIterator() -> IndexingIterator<[UInt]> { targets.makeIterator() }

  #if arch(x86_64)
  /// A call or jump is an opcode byte and a distance of four bytes or one from the next
  /// instruction.
  private static func candidates(_ code: UnsafeRawPointer) -> [UInt] {
    (0..<(byteLimit - 5)).compactMap { offset in
      let opcode = code.load(fromByteOffset: offset, as: UInt8.self)
      switch opcode {
      case 0xe8, 0xe9:
        let distance = code.loadUnaligned(fromByteOffset: offset + 1, as: Int32.self)
        return UInt(bitPattern: code + offset + 5 + Int(distance))
      case 0xeb:
        let distance = code.load(fromByteOffset: offset + 1, as: Int8.self)
        return UInt(bitPattern: code + offset + 2 + Int(distance))
      default: return nil
      }
    }
  }
  #elseif arch(arm64)
  /// A branch has its distance, in words, in the lower 26 bits.
  private static func candidates(_ code: UnsafeRawPointer) -> [UInt] {
    stride(from: 0, to: byteLimit, by: 4).compactMap { offset in
      let word = code.load(fromByteOffset: offset, as: UInt32.self)
      guard word & 0x7c00_0000 == 0x1400_0000 else { return nil }
      return UInt(bitPattern: code + offset + Int(Int32(bitPattern: word << 6) >> 4))
    }
  }
  #else
  private static func candidates(_ code: UnsafeRawPointer) -> [UInt] { [] }
  #endif
}
