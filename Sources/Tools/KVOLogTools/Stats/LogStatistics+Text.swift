import KVOAudit
import KVORules
import KVOText
import KVOTrace

extension LogStatistics {
  /// The figures for people, with a newline at the end.
  package var text: String {
    var lines = ["\(label): \(Wording.count(reading.eventCount, "event"))\(size)"]
    let names = rows.map(\.event.count).max() ?? 0
    for row in rows {
      let name = row.event + String(repeating: " ", count: names - row.event.count)
      lines.append(
        "  \(name)  \(Self.right(Wording.grouped(row.count), 12))  "
          + "\(Self.right(Self.tenths(row.byteCount, row.count), 8)) bytes each as a binary record"
      )
    }
    lines.append("  threads: \(Wording.grouped(threadCount))")
    lines.append("  strings: \(Wording.grouped(stringCount))")
    let depth =
      stackCount == 0
      ? ""
      : ", \(Self.tenths(frameCount, stackCount)) frames on average, "
        + "\(Wording.grouped(deepestFrameCount)) at most"
    lines.append("  distinct stacks: \(Wording.grouped(stackCount))\(depth)")
    lines += histogram
    lines += losses
    return lines.map(ShownText.escaped).joined(separator: "\n") + "\n"
  }

  private var size: String {
    guard reading.byteCount > 0, reading.eventCount > 0 else { return "" }
    return " in \(Wording.count(reading.byteCount, "byte")), "
      + "\(Self.tenths(reading.byteCount, reading.eventCount)) an event"
  }

  private var histogram: [String] {
    guard let most = timeline.counts.max(), timeline.counts.count > 1 else { return [] }
    var lines = ["  events a second, over time:"]
    for (index, count) in timeline.counts.enumerated() {
      let start = Self.seconds(milliseconds: UInt64(index) * (timeline.span / 1_000_000))
      let rate = Double(count) * 1e9 / Double(timeline.span)
      let bar = String(repeating: "#", count: (count * 40 + most - 1) / most)
      lines.append(
        "  \(Self.right(start, 10)) s  \(Self.right(Wording.grouped(Int(rate)), 12))"
          + (bar.isEmpty ? "" : "  \(bar)")
      )
    }
    return lines
  }

  private var losses: [String] {
    var lines: [String] = []
    if droppedCount > 0 { lines.append("  \(Wording.count(droppedCount, "event")) dropped") }
    if reading.problemCount > 0 {
      let count = Wording.count(reading.problemCount, "part")
      lines.append("  \(count) cannot be read; `kvo-audit validate` lists them")
    }
    return lines.isEmpty ? ["  nothing lost"] : lines
  }

  /// A quotient with one digit after the point, cut off.
  private static func tenths(_ sum: Int, _ count: Int) -> String {
    let tenths = sum * 10 / max(count, 1)
    return "\(Wording.grouped(tenths / 10)).\(tenths % 10)"
  }

  private static func seconds(milliseconds: UInt64) -> String {
    "\(milliseconds / 1000).\(String(milliseconds % 1000 + 1000).dropFirst())"
  }

  private static func right(_ text: String, _ width: Int) -> String {
    String(repeating: " ", count: max(0, width - text.count)) + text
  }
}
