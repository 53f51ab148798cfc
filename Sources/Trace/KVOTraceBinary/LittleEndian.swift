import KVOTrace

/// Numbers in the byte order of the binary form.
extension UnsafeRawBufferPointer {
  /// The number at `offset`, which must be inside; an offset outside traps.
  func littleEndian<Number: FixedWidthInteger & BitwiseCopyable>(
    at offset: Int,
    as type: Number.Type = Number.self
  ) -> Number {
    precondition(offset >= 0 && offset + MemoryLayout<Number>.size <= count)
    return Number(littleEndian: loadUnaligned(fromByteOffset: offset, as: type))
  }

  /// Whether every byte is 0.
  ///
  /// Complexity: O(count), eight bytes a step.
  var isZero: Bool {
    var at = 0
    while at &+ 8 <= count {
      if loadUnaligned(fromByteOffset: at, as: UInt64.self) != 0 { return false }
      at &+= 8
    }
    while at < count {
      if self[at] != 0 { return false }
      at &+= 1
    }
    return true
  }
}

extension [UInt8] {
  /// Appends `number` in as many bytes as its type has.
  mutating func append<Number: FixedWidthInteger>(littleEndian number: Number) {
    Swift.withUnsafeBytes(of: number.littleEndian) { append(contentsOf: $0) }
  }

  /// Appends `number` in groups of seven bits, lowest first (unsigned LEB128), in 1 to 10 bytes.
  mutating func append(varint number: UInt64) {
    var rest = number
    while rest >= 0x80 {
      append(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    append(UInt8(truncatingIfNeeded: rest))
  }

  /// Appends `number` so that a small one is short whatever its sign: 0, −1, 1, −2, … as 0, 1, 2, 3.
  mutating func append(zigzag number: Int64) {
    append(varint: UInt64(bitPattern: (number << 1) ^ (number >> 63)))
  }
}
