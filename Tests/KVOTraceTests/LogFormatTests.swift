import Foundation
import KVOTrace
import KVOTraceJSON
import TestSupport
import Testing

@Suite("Documentation/LogFormat.md") struct LogFormatTests {
  private static let document = ProgramRun.package.appending(path: "Documentation/LogFormat.md")

  /// The lines of all blocks that are marked as JSON.
  private static func examples() throws -> [String] {
    var isInside = false
    var lines: [String] = []
    for line in try String(contentsOf: document, encoding: .utf8).split(separator: "\n") {
      if line.hasPrefix("```") {
        isInside = line == "```json"
      } else if isInside {
        lines.append(String(line))
      }
    }
    return lines
  }

  @Test("has an example of every event, all of which are read without a problem")
  func examplesAreRead() throws {
    let lines = try Self.examples()
    let reading = Reading(lines.joined(separator: "\n") + "\n")
    #expect(reading.problems == [])
    #expect(reading.reader.unknownEvents.isEmpty)
    #expect(reading.reader.unknownKeys.isEmpty)
    #expect(reading.events.count == lines.count)
    let names = Set(reading.events.map(\.body.name))
    #expect(names == Set(Event.Body.names))
  }

  @Test("names every key that the writer writes")
  func keys() throws {
    let text = try String(contentsOf: Self.document, encoding: .utf8)
    var source = RandomEvents(seed: 3)
    var keys: Set<String> = []
    for _ in 0..<20 {
      for kind in 0..<RandomEvents.bodyCount {
        var bytes: [UInt8] = []
        JSONLinesWriter.append(source.event(kind: kind), names: source.names, to: &bytes)
        let object = try JSONSerialization.jsonObject(with: Data(bytes)) as? [String: Any]
        keys.formUnion((object ?? [:]).keys)
      }
    }
    #expect(keys.filter { !text.contains("`\($0)`") } == [])
  }
}
