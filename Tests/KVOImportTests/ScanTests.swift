import CKVOScan
import Testing

/// What is searched sixteen bytes at a time, against the same byte by byte.
@Suite("Searches by vectors") struct ScanTests {
  /// Letters of the pairs, their neighbours by one bit, and what stands between in consoles.
  private static let letters = Array("bsBSVOvoyVPdKNpknJZrc{ \nx0\u{7f}".utf8) + [0, 0x80, 0xff]

  private static func text(_ count: Int, _ random: inout UInt64) -> [UInt8] {
    (0..<count).map { _ in
      random = random &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      // Long runs without a pair, too: they are what the vectors are for.
      return random >> 60 == 0 || count < 40
        ? letters[Int(random >> 33) % letters.count] : UInt8(ascii: "-")
    }
  }

  private static func isPair(_ first: UInt8, _ second: UInt8) -> Bool {
    let pair = String(decoding: [first, second], as: UTF8.self)
    return pair.lowercased() == "bs" || ["VO", "yV", "yP", "dK", "dN"].contains(pair)
  }

  @Test("no pair is passed over, and none is read beyond the end")
  func pairs() {
    var random: UInt64 = 7
    for count in 0..<400 {
      let bytes = Self.text(count, &random)
      let start = count == 0 ? 0 : Int(random >> 40) % count
      let end = start + (count == start ? 0 : Int(random >> 20) % (count - start + 1))
      let found = bytes.withUnsafeBufferPointer { buffer in
        buffer.baseAddress.map { kvos_scan_pair($0, start, end, count) } ?? end
      }
      let next = (start..<end).first { at in
        at + 1 < count && Self.isPair(bytes[at], bytes[at + 1])
      }
      // It may stop earlier, at letters that differ in one bit; never later.
      #expect(found <= next ?? end && found >= start, "\(count) bytes from \(start) to \(end)")
    }
  }

  @Test("line ends are counted, however many there are")
  func lineEnds() {
    var random: UInt64 = 11
    for count in Array(0..<200) + [4_079, 4_080, 4_081, 9_000] {
      let bytes = Self.text(count, &random)
      let ends = [UInt8](repeating: 0x0a, count: count)
      for text in [bytes, ends] {
        let found = text.withUnsafeBufferPointer { buffer in
          buffer.baseAddress.map { kvos_scan_line_ends($0, count) } ?? 0
        }
        #expect(found == text.count { $0 == 0x0a })
      }
    }
  }

  @Test("a word is found at every position, and only as a whole")
  func words() {
    let word = Array("event".utf8)
    func has(_ bytes: [UInt8]) -> Bool {
      bytes.withUnsafeBufferPointer { buffer in
        buffer.baseAddress.map { kvos_scan_has_word($0, buffer.count, word, word.count) } ?? false
      }
    }
    #expect(!has([]))
    for count in 0..<70 {
      for position in 0...count {
        var bytes = [UInt8](repeating: UInt8(ascii: "e"), count: count)
        bytes.insert(contentsOf: word, at: position)
        #expect(has(bytes))
        bytes.remove(at: position + 2)
        #expect(!has(bytes))
      }
    }
  }
}
