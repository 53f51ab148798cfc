import Testing

@testable import KVOSymbols

@Suite("Bytes of a section")
struct ByteReaderTests {
  private func read<Answer>(
    _ bytes: [UInt8],
    isBigEndian: Bool = false,
    _ body: (inout ByteReader) -> Answer
  ) -> Answer {
    bytes.withUnsafeBytes {
      let section = SectionBytes(bytes: $0, isBigEndian: isBigEndian)
      var reader = ByteReader(section, 0..<$0.count)
      return body(&reader)
    }
  }

  @Test(
    "LEB128 numbers are those of the DWARF standard's tables",
    arguments: [
      ([2], 2, 2), ([0x7F], 127, -1), ([0x80, 1], 128, 128), ([0x81, 1], 129, 129),
      ([0x7E], 126, -2), ([0x80, 0x7F], 0x3F80, -128), ([0xFF, 0x7E], 0x3F7F, -129),
      ([0xB9, 0x64], 12857, -3527),
      ([0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x01], UInt64.max, -1),
      ([0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x01], 0, 0),
    ] as [([UInt8], UInt64, Int64)]
  )
  func leb128(bytes: [UInt8], unsigned: UInt64, signed: Int64) {
    #expect(read(bytes) { [$0.unsigned(), $0.isAtEnd ? 1 : 0] } == [unsigned, 1])
    #expect(read(bytes) { [$0.signed(), $0.isAtEnd ? 1 : 0] } == [signed, 1])
  }

  @Test("Numbers of fixed size follow the section's order of bytes")
  func byteOrder() {
    let bytes: [UInt8] = [1, 2, 3, 4, 5, 6, 7, 8]
    #expect(read(bytes) { $0.number(byteCount: 4) } == 0x0403_0201)
    #expect(read(bytes, isBigEndian: true) { $0.number(byteCount: 4) } == 0x0102_0304)
    #expect(read(bytes, isBigEndian: true) { $0.number(UInt16.self) } == 0x0102)
    #expect(read(bytes) { $0.number(byteCount: 8) } == 0x0807_0605_0403_0201)
  }

  @Test("Nothing behind the end is read, and the reader is at its end afterwards")
  func end() {
    func fails(_ bytes: [UInt8], _ body: (inout ByteReader) -> Void) -> Bool {
      read(bytes) {
        body(&$0)
        return $0.hasFailed && $0.isAtEnd
      }
    }
    #expect(fails([]) { _ = $0.byte() })
    #expect(fails([1, 2, 3]) { _ = $0.number(UInt32.self) })
    #expect(fails([1, 2, 3]) { _ = $0.number(byteCount: 3) })
    #expect(fails([0x80, 0x80]) { _ = $0.unsigned() })
    #expect(fails([0xFF]) { _ = $0.signed() })
    #expect(fails([65, 66]) { _ = $0.text() })
    #expect(fails([1, 2]) { $0.skip(3) })
    #expect(fails([1, 2]) { $0.skip(.max) })
    #expect(!fails([1, 2]) { $0.skip(2) })
  }

  @Test("A text ends at its zero, and is nil where there is none")
  func text() {
    let bytes = Array("ab\0\0c".utf8)
    #expect(
      read(bytes) { reader in
        (0..<3).map { _ in reader.text().map { String(decoding: $0, as: UTF8.self) } }
      } == ["ab", "", nil]
    )
    bytes.withUnsafeBytes {
      let section = SectionBytes(bytes: $0)
      #expect(section.text(at: 1).map { String(decoding: $0, as: UTF8.self) } == "b")
      #expect(section.text(at: 4) == nil)
      #expect(section.text(at: 5) == nil)
      #expect(section.text(at: .max) == nil)
    }
  }
}
