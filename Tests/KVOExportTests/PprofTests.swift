import KVOAudit
import KVOExport
import KVORules
import Testing

/// A message as its fields, read independently of our writer.
private struct Message {
  private(set) var numbers: [Int: [Int]] = [:]
  private(set) var blocks: [Int: [[UInt8]]] = [:]

  init(_ bytes: [UInt8]) throws {
    var rest = bytes[...]
    func varint() throws -> Int {
      var (value, shift) = (0, 0)
      while true {
        let next = rest.popFirst()
        let byte = try #require(next)
        value |= Int(byte & 0x7f) << shift
        shift += 7
        if byte < 0x80 { return value }
      }
    }
    while !rest.isEmpty {
      let tag = try varint()
      switch tag & 7 {
      case 0: numbers[tag >> 3, default: []].append(try varint())
      case 2:
        let count = try varint()
        try #require(rest.count >= count)
        blocks[tag >> 3, default: []].append(Array(rest.prefix(count)))
        rest = rest.dropFirst(count)
      default: Issue.record("wire type \(tag & 7)")
      }
    }
  }

  func messages(_ field: Int) throws -> [Message] { try (blocks[field] ?? []).map(Message.init) }
  func number(_ field: Int) -> Int { numbers[field]?.last ?? 0 }
  /// The numbers of a packed field.
  func packed(_ field: Int) -> [Int] {
    var (values, value, shift) = ([Int](), 0, 0)
    for byte in blocks[field]?.first ?? [] {
      value |= Int(byte & 0x7f) << shift
      shift += 7
      if byte < 0x80 {
        values.append(value)
        (value, shift) = (0, 0)
      }
    }
    return values
  }
}

/// The numbers of the fields are those of `profile.proto`.
@Suite("A profile for pprof") struct PprofTests {
  @Test("has both counts for each stack, the innermost call first, and every name once")
  func profile() throws {
    let main = Finding.StackFrame(symbol: "main", file: "/a/main.swift", line: 9)
    let show = Finding.StackFrame(symbol: "show", file: "/a/Screen.swift", line: 300)
    func count(
      _ frames: [Finding.StackFrame],
      _ keyPath: String,
      _ made: Int,
      _ live: Int
    ) -> CallSiteCount {
      CallSiteCount(
        site: CallSite(
          subject: "Account",
          keyPath: keyPath,
          observer: "Screen",
          stack: Finding.Stack(role: .registered, event: 4, frames: frames)
        ),
        madeCount: made,
        liveCount: live
      )
    }
    let profile = try Message(
      CallSiteStacks([count([show, main], "balance", 500, 2), count([main], "owner", 3, 0)]).pprof
    )
    let strings = (profile.blocks[6] ?? []).map { String(decoding: $0, as: UTF8.self) }
    #expect(strings.first == "" && Set(strings).count == strings.count)
    let types = try profile.messages(1).map { "\(strings[$0.number(1)])/\(strings[$0.number(2)])" }
    #expect(types == ["live/count", "made/count"])
    #expect(strings[profile.number(14)] == "live")

    var functions: [Int: String] = [:]
    for function in try profile.messages(5) {
      functions[function.number(1)] =
        "\(strings[function.number(2)]) \(strings[function.number(4)])"
    }
    var locations: [Int: String] = [:]
    for location in try profile.messages(4) {
      let line = try #require(location.messages(4).first)
      locations[location.number(1)] = "\(try #require(functions[line.number(1)])):\(line.number(2))"
    }
    #expect(functions.count == 4 && locations.count == 4)
    let samples = try profile.messages(2).map { sample in
      let label = try #require(sample.messages(3).first)
      #expect(strings[label.number(1)] == "observer" && strings[label.number(2)] == "Screen")
      return (sample.packed(1).compactMap { locations[$0] }, sample.packed(2))
    }
    #expect(
      samples.map(\.0)
        == [
          ["Account.balance (show) :0", "show /a/Screen.swift:300", "main /a/main.swift:9"],
          ["Account.owner (main) :0", "main /a/main.swift:9"],
        ].map {
          $0.map {
            $0.replacing("(show)", with: "(Screen.swift:300)").replacing(
              "(main)",
              with: "(main.swift:9)"
            )
          }
        }
    )
    #expect(samples.map(\.1) == [[2, 500], [0, 3]])
  }
}
