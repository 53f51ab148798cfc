import Foundation
import Testing

@testable import BenchmarkHarness

@Suite("Reports")
struct ReportRendererTests {
  private let run = RunDescription(
    processor: "Z80",
    coreCount: 2,
    system: "CP/M 2.2",
    swift: "Swift 6.3",
    compiler: "cc 1",
    commit: "0123456789",
    command: "make bench",
    date: "2026-02-03",
    rounds: 3,
    load: "0.10"
  )

  @Test("A report has median, ratio, instructions and verdict of each row, or why it was not run")
  func wholeReport() throws {
    let suite = Suite(
      title: "Recording",
      name: "recorder",
      rounds: 3,
      tables: [
        Table(
          "Events",
          unit: "event",
          remarks: ["A remark."],
          bound: "bound",
          rows: [
            Row("bound", "memcpy", .bound, .command(.tool("a"))),
            Row("met", "ours", .ours, .command(.tool("b")), target: .atMost(2, of: "bound")),
            Row("missed", "theirs", .ours, .command(.tool("c")), target: .faster(4, than: "met")),
            Row("peer", "LTTng", .peer, .command(.tool("d"))),
            Row("open", "open", .ours, .command(.tool("e")), target: .faster(2, than: "peer")),
            Row(
              "added",
              "more",
              .ours,
              .command(.tool("f")),
              target: .adding(atMost: 10, to: "bound")
            ),
            Row("far", "far", .ours, .command(.tool("g")), target: .adding(atMost: 10, to: "met")),
          ]
        )
      ],
      figures: [
        .value(title: "bytes per event", "48"),
        .ratio(title: "ours to memcpy", of: "met", to: "bound"),
        .ratio(title: "LTTng to memcpy", of: "peer", to: "bound"),
      ],
      explanations: ["missed": "it waits.", "met": "nothing."]
    )
    let measurements: [String: RowOutcome] = [
      "bound": .samples([.of(20), .of(20), .of(22)], instructions: 30),
      "met": .samples([.of(30), .of(30), .of(33, process: 66)], instructions: nil),
      "missed": .samples(
        [.of(12_000, process: 24_000), .of(12_000, process: 24_000), .of(12_500, process: 24_000)],
        instructions: 7_480.5
      ),
      "peer": .notRun(missing: ["lttng-tools", "liblttng-ust-dev"]),
      "open": .samples([.of(1), .of(1), .of(1)], instructions: nil),
      "added": .samples([.of(27.5), .of(30), .of(22)], instructions: nil),
      "far": .samples([.of(50), .of(50), .of(50)], instructions: nil),
    ]
    let text = ReportRenderer(suite: suite, measurements: measurements, run: run).render()
    let parts = text.components(separatedBy: "\n\n")
    #expect(
      parts[1] == """
        | | |
        |---|---|
        | machine | Z80, 2 cores; CP/M 2.2 |
        | toolchain | Swift 6.3; cc 1 |
        | commit | 0123456789 |
        | command | `make bench` |
        | date | 2026-02-03 |
        | rounds | 3 |
        | load before | 0.10 |
        """
    )
    #expect(
      parts[3...].joined(separator: "\n\n") == """
        ## Events

        A remark.

        | per event | | CPU time | all threads | ÷ lower bound | instructions | target | |
        |---|---|---|---|---|---|---|---|
        | memcpy | lower bound | 20.0 ns (20.0 – 21.0 ns) |  | 1 | 30.0 |  |  |
        | ours | ours | 30.0 ns (30.0 – 31.5 ns) |  | 1.5× |  | ≤ 2× the lower bound | met: 1.5× |
        | theirs | ours | 12.0 µs (12.0 – 12.2 µs) | 24.0 µs | 600× | 7,480 | ≥ 4× faster than ours \
        | **missed**: 0.0025×, off by 1,600× |
        | LTTng | peer | not run: lttng-tools, liblttng-ust-dev are not installed |  |  |  |  |  |
        | open | ours | 1.00 ns (1.00 – 1.00 ns) |  | 0.05× |  | ≥ 2× faster than LTTng |  |
        | more | ours | 27.5 ns (24.8 – 28.8 ns) |  | 1.38× |  | ≤ 10 ns more than the lower bound | met: 7.5 ns |
        | far | ours | 50.0 ns (50.0 – 50.0 ns) |  | 2.5× |  | ≤ 10 ns more than ours | **missed**: 20 ns |

        ## Further figures

        | | |
        |---|---|
        | bytes per event | 48 |
        | ours to memcpy | 1.5× |
        | LTTng to memcpy | not run |

        ## What holds the rows that miss their target

        - *theirs*: it waits.
        - *far*: not examined yet.

        """
    )
  }
}
