import BenchmarkHarness
import Foundation

/// The cost of sorting events into the order in which they happened.
enum OrderTable {
  /// A row for each shape and size: sorting takes O(n log n) if the cost per event is the same for
  /// ten times as many.
  private static let sizes = [100_000, 1_000_000]

  static let table = Table(
    "Putting events in order",
    unit: "event",
    remarks: [
      """
      From memory, with the rules. *Backwards*: the orders of one subject fall from line to line, as eight threads
      wrote them. *Contradicting*: the orders of a subject fall on one thread, whose lines win; each subject has four
      events. Ten times the events cost as much each where ordering takes O(n log n).
      """
    ],
    bound: "order-forward-100k",
    rows: sizes.flatMap { size in
      [
        row("forward", "in order", size),
        row("backward", "backwards", size),
        row("separate", "contradicting", size),
      ]
    }
  )

  private static func row(_ shape: String, _ title: String, _ size: Int) -> Row {
    let isSmall = size < 1_000_000
    return Row(
      "order-\(shape)-\(isSmall ? "100k" : "1m")",
      "\(title), \(size.formatted(.number)) events",
      shape == "forward" && isSmall ? .bound : .ours,
      .driver(
        .product("ReplayDriver"),
        leading: ["order"],
        trailing: [shape],
        operations: .fixed(size)
      )
    )
  }
}
