import BenchmarkHarness

// Loops over sequences, and the notes of the library that they wait.
extension ObservationSuite {
  static let loops = Table(
    "A loop that takes one element",
    unit: "element",
    remarks: [
      """
      The element is there, so that no task is suspended and all is done on one thread: what is added is what the library
      notes before and after each wait, that the task waits and since when. The first sequence has the next number, through
      an asynchronous function that is not inlined. `noted(as:)` is a sequence around it, which the compiler inlines into the
      loop; so is the sequence that it is compared with, which is written in the program and notes nothing.
      """,
      """
      `values(for:)` iterates over an `AsyncStream`, and notes in its own `next`. Both have all elements in their buffer
      before the clock starts.
      """,
    ],
    bound: "iterate",
    rows: [
      row("iterate", "a plain sequence", .bound, counting: .perOperation(20_000)),
      row(
        "iterate-wrapped",
        "in a sequence that notes nothing",
        counting: .perOperation(20_000)
      ),
      noted("iterate-noted", "`noted(as:)`, recording off"),
      noted("iterate-noted-recorded", "`noted(as:)`, recording on"),
      row("take-buffered", "`AsyncStream`", limit: 1 << 18),
      taken("take-values", "`values(for:)`, recording off"),
      taken("take-values-recorded", "`values(for:)`, recording on"),
    ]
  )

  static let counts = Table(
    "Counting the loops that wait",
    unit: "loop that waits",
    remarks: ["`KVO.parked()` in a process in which a million tasks wait for the same sequence."],
    rows: [
      Row(
        "count-parked",
        "a million, of one line",
        .information,
        .driver(
          .bench("ObservationDriver"),
          leading: ["count-parked"],
          operations: .fixed(1_000_000)
        ),
        roundLimit: 3
      )
    ]
  )

  private static func noted(_ id: String, _ title: String) -> Row {
    row(
      id,
      title,
      .ours,
      target: .adding(atMost: 10, to: "iterate-wrapped"),
      counting: .perOperation(20_000)
    )
  }

  private static func taken(_ id: String, _ title: String) -> Row {
    row(id, title, .ours, target: .adding(atMost: 10, to: "take-buffered"), limit: 1 << 18)
  }
}
