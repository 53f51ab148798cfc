import Foundation
import KVOTrace
import KVOTraceBinary
import TestSupport
import Testing

@Suite("Documentation/BinaryLogFormat.md") struct BinaryLogFormatTests {
  private static let document = ProgramRun.package.appending(
    path: "Documentation/BinaryLogFormat.md"
  )

  /// The lines of the first block that is marked as `kind`.
  private static func block(_ kind: String) throws -> [Substring] {
    let lines = try String(contentsOf: document, encoding: .utf8).split(separator: "\n")
    let start = try #require(lines.firstIndex(of: "```\(kind)"[...]))
    return Array(lines[(start + 1)...].prefix { $0 != "```" })
  }

  @Test("has an example that is read as described, and written so")
  func example() throws {
    var log = [UInt8](repeating: 0, count: 12_288)
    for line in try Self.block("hex") {
      let numbers = line.split(separator: " ").compactMap { Int($0, radix: 16) }
      for (place, byte) in numbers.dropFirst().enumerated() {
        log[numbers[0] + place] = UInt8(byte)
      }
    }
    let reading = BinaryReading(log)
    #expect(reading.problems == [])
    let lines = try Self.block("json").joined(separator: "\n") + "\n"
    #expect(String(decoding: reading.lines, as: UTF8.self) == lines)
    #expect(BinaryReading.log(reading.events, names: reading.reader.names) == log)
  }

  @Test("names every event and its kind")
  func kinds() throws {
    let lines = try String(contentsOf: Self.document, encoding: .utf8).split(separator: "\n")
    let table = lines.drop { $0 != "### Events" }
    for (place, name) in Event.Body.names.enumerated() {
      let row = table.first { line in
        line.hasPrefix("| \(place + 1) |") || line.hasPrefix("| \(place + 1), ")
          || line.hasPrefix("| \(place), \(place + 1) |")
      }
      #expect(row?.contains("`\(name)`") == true, "\(name)")
    }
  }
}
