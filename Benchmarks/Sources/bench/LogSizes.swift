import BenchmarkHarness
import Foundation

/// The number of bytes that an event takes in a log, in the mix of `Examples/Demo`.
enum LogSizes {
  private static let repetitions = 100_000

  /// The figures of a long run and of the demo itself; their logs are removed afterwards.
  static func figures(_ workshop: inout Workshop) throws -> [Suite.Figure] {
    let long = workshop.path("demo-long.kvolog")
    defer { workshop.remove(long) }
    _ = try workshop.run(
      .product("DemoDriver"),
      ["demo", String(repetitions), workshop.scratch.path, long]
    )
    let events = try eventCount(of: long, &workshop)
    let bytes = try workshop.byteCount(long)

    let short = workshop.path("demo.kvolog")
    defer { workshop.remove(short) }
    _ = try workshop.run(.product("Demo"), [], environment: ["KVO_SAFETY_LOG": short])
    let layout = try LogLayout(path: short)
    let demoEvents = try eventCount(of: short, &workshop)
    return [
      .value(
        title: "bytes of the log per event, \(repetitions.formatted(.number)) times what "
          + "`Examples/Demo` does, all of the file",
        "\(perEvent(bytes, events)) (\(count(bytes)) bytes, \(count(events)) events)"
      ),
      .value(
        title: "the same, `Examples/Demo` once",
        """
        \(perEvent(layout.byteCount, demoEvents)) (\(count(layout.byteCount)) bytes, \
        \(count(demoEvents)) events): \(count(layout.eventByteCount)) bytes of events; fixed are the \
        header page of \(count(LogLayout.pageByteCount)), \(count(layout.tableByteCount)) of names, \
        stacks and images, and \(count(layout.otherByteCount)) of heads and unused ends of \
        \(layout.segmentCount) segments
        """
      ),
    ]
  }

  private static func eventCount(of log: String, _ workshop: inout Workshop) throws -> Int {
    let text = try workshop.run(.product("kvo-audit"), ["stats", "--format", "json", log])
    let json = try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any]
    guard let input = (json?["inputs"] as? [[String: Any]])?.first,
      let count = input["events"] as? Int, input["dropped"] as? Int == 0,
      input["damagedCount"] as? Int == 0
    else { throw BenchmarkFailure("kvo-audit does not read all of \(log):\n\(text)") }
    return count
  }

  private static func count(_ value: Int) -> String { value.formatted(.number) }

  private static func perEvent(_ bytes: Int, _ events: Int) -> String {
    Figures.number(Double(bytes) / Double(events))
  }
}
