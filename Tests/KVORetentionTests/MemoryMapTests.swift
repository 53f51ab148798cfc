import Testing

@testable import KVORetention

@Suite("The list of mappings")
struct MemoryMapTests {
  private static let text = """
    55d0c0000000-55d0c0001000 r--p 00000000 08:01 131 /usr/bin/app with spaces
    55d0c0001000-55d0c0003000 r-xp 00001000 08:01 131 /usr/bin/app with spaces
    55d0c0003000-55d0c0004000 ---p 00003000 08:01 131 /usr/bin/app with spaces
    55d0c1000000-55d0c1021000 rw-p 00000000 00:00 0 [heap]
    7f0000000000-7f0000001000 rw-s 00000000 00:05 9 /dev/dri/card0
    7f0000002000-7f0000003000 rw-p 00000000 00:00 0
    7ffc00000000-7ffc00021000 rw-p 00000000 00:00 0 [stack]
    7ffc00022000-7ffc00026000 r--p 00000000 00:00 0 [vvar]

    """

  private static func shown(_ text: String) -> [String] {
    MemoryMap.parse(Array(text.utf8)).map { region in
      let kinds = [
        region.isImage ? "image" : "memory", region.isExecutable ? "code" : "",
        region.isWritable ? "writable" : "",
      ]
      return
        "\(String(region.start, radix: 16)) \(kinds.filter { !$0.isEmpty }.joined(separator: " "))"
    }
  }

  @Test("a mapping that is listed again because it grew counts once")
  func grown() {
    let text = """
      7f0000000000-7f0000002000 rw-p 00000000 00:00 0
      7f0000000000-7f0000003000 rw-p 00000000 00:00 0
      7f0000001000-7f0000003000 rw-p 00000000 00:00 0
      7f0000003000-7f0000004000 rw-p 00000000 00:00 0

      """
    let regions = MemoryMap.parse(Array(text.utf8))
    #expect(regions.map(\.start) == [0x7f00_0000_0000, 0x7f00_0000_2000, 0x7f00_0000_3000])
    #expect(regions.map(\.end) == [0x7f00_0000_2000, 0x7f00_0000_3000, 0x7f00_0000_4000])
  }

  @Test("names are recognized after the spaces with which the kernel pads the line")
  func padded() {
    let text = """
      55d0c1000000-55d0c1021000 rw-p 00000000 00:00 0                          [heap]
      7f0000000000-7f0000001000 rw-s 00000000 00:05 9                          /dev/dri/card0
      7f0000002000-7f0000003000 rw-p 00000000 00:00 0 
      7ffc00000000-7ffc00021000 rw-p 00000000 00:00 0                          [stack]
      7ffc00022000-7ffc00026000 r--p 00000000 00:00 0                          [vvar]

      """
    let regions = MemoryMap.parse(Array(text.utf8))
    #expect(regions.map(\.isHeap) == [true, false, false])
    #expect(regions.map(\.isAnonymous) == [false, true, false])
    #expect(regions.map(\.isStack) == [false, false, true])
  }

  @Test("readable lines are taken in, devices and what cannot be read are not")
  func lines() {
    #expect(
      Self.shown(Self.text) == [
        "55d0c0000000 image", "55d0c0001000 image code", "55d0c1000000 memory writable",
        "7f0000002000 memory writable", "7ffc00000000 memory writable",
      ]
    )
  }

  @Test("a list that is cut anywhere has the regions of the lines before, and no wrong one")
  func truncated() {
    let whole = MemoryMap.parse(Array(Self.text.utf8))
    for count in 0..<Self.text.utf8.count {
      let regions = MemoryMap.parse(Array(Self.text.utf8.prefix(count)))
      #expect(regions.count <= whole.count)
      for (region, known) in zip(regions, whole) {
        #expect(region.start == known.start && region.end == known.end)
      }
    }
  }

  @Test(
    "lines of another form count for nothing",
    arguments: [
      "", "\n\n", "nonsense", "1-2", "1-2 r", "1-2 rw-p 0 0", "zz-55 r--p 0 0:0 0",
      "55-54 r--p 0 0:0 0",
      "1 2 r--p 0 0:0 0", "-5 r--p 0 0:0 0", "5- r--p 0 0:0 0", "ffffffffffffffffff-5 r--p 0 0:0 0",
      "1-2-3 r--p 0 0:0 0", "\u{0}\u{0}\u{0}",
    ]
  )
  func refused(line: String) {
    #expect(Self.shown(line + "\n") == [])
  }

  @Test("this process's own list knows an object from what is not there")
  func own() {
    let memory = MemoryMap()
    let object = Box(nil)
    let address = UInt(bitPattern: Unmanaged.passUnretained(object).toOpaque())
    #expect(memory.isReadable(address, 16))
    #expect(!memory.isReadable(0, 8))
    #expect(!memory.isReadable(UInt.max - 7, 8))
    #expect(!memory.isReadable(address, UInt.max))
    #expect(!memory.isInImage(address, 8))
    withExtendedLifetime(object) {}
  }

  private final class Box {
    var value: AnyObject?
    init(_ value: AnyObject?) { self.value = value }
  }
}
