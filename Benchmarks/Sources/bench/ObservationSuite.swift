import BenchmarkHarness
import Foundation

/// The cost of observing, beside the alternatives in Swift.
struct ObservationSuite {
  private static let registrationCount = 100_000
  private let memory: [Suite.Figure]

  init(_ workshop: inout Workshop) throws {
    let count = Self.registrationCount
    let output = try workshop.run(
      .bench("ObservationDriver"),
      ["memory", "\(count)", workshop.scratch.path]
    )
    guard let match = output.firstMatch(of: /bytes-held=(\d+) bytes-left=(-?\d+)/),
      let held = Int(match.1), let left = Int(match.2)
    else { throw BenchmarkFailure("ObservationDriver printed no sizes:\n\(output)") }
    memory = [
      .value(
        title: "memory of a registration, of \(count) on one object, the token included",
        "\(held / count) bytes"
      ),
      .value(title: "memory that the same adds when it is done a seventh time", "\(left) bytes"),
    ]
  }

  var suite: Suite {
    Suite(
      title: "Observing",
      name: "observation",
      rounds: 9,
      tables: [
        Self.unobserved, Self.sets, Self.formsOfSets, Self.many, Self.threads, Self.registrations,
        Self.formsOfPairs, Self.lost, Self.loops, Self.counts,
      ],
      figures: [
        .ratio(title: "1,000 observers, to 100 times 10", of: "set-1000", to: "set-10"),
        .ratio(title: "NotificationCenter.post, to a set", of: "notification", to: "set"),
        .ratio(title: "a pair among 100,000 others, to one alone", of: "pair-100000", to: "pair"),
      ] + memory,
      explanations: Explanations.observation
    )
  }

  static func row(
    _ id: String,
    _ title: String,
    _ kind: Row.Kind = .information,
    target: Row.Target? = nil,
    limit: Int = 1 << 22,
    counting: Row.Counting = .none
  ) -> Row {
    Row(
      id,
      title,
      kind,
      .driver(
        .bench("ObservationDriver"),
        leading: [id],
        operations: .calibrated(limit: limit)
      ),
      target: target,
      counting: counting
    )
  }

  private static let unobserved = Table(
    "A set of a property that nobody observes",
    unit: "set",
    remarks: [
      """
      An `Int` of a final class, through a function that is not inlined. The setter is the one of
      `@KeyValueObservable`, written out: one word an instance, one load and one branch.
      """
    ],
    bound: "plain",
    rows: [
      row("plain", "a plain class", .bound, counting: .perOperation(100_000)),
      row("unobserved", "observable, unobserved", counting: .perOperation(100_000)),
    ]
  )

  private static let sets = Table(
    "A set with one observer, which wants the new value",
    unit: "set",
    remarks: [
      """
      The observer adds the value to a sum, which is checked. Observation's `onChange` observes anew
      each time, as it must. Recorded: the change's two halves and the callback's two, no stacks.
      """
    ],
    bound: "set",
    rows: [
      row("set", "token", .bound, counting: .perOperation(50_000)),
      row(
        "published",
        "OpenCombine 0.14, `@Published` with a sink",
        .peer,
        counting: .perOperation(20_000)
      ),
      row("notification", "NotificationCenter.post", .peer),
      row("tracking", "withObservationTracking, armed again", .peer, limit: 1 << 20),
      row(
        "set-faster",
        "token, to OpenCombine",
        .ours,
        target: .faster(10, than: "published")
      ),
      row(
        "set-faster-notification",
        "token, to NotificationCenter",
        .ours,
        target: .faster(10, than: "notification")
      ),
      row(
        "set-faster-tracking",
        "token, to withObservationTracking",
        .ours,
        target: .faster(30, than: "tracking")
      ),
      row("set-old-new", "token, old and new value"),
      row("set-prior", "token, before and after"),
      row("set-manual", "token, the two calls around the assignment"),
      row(
        "set-recorded",
        "token, recording on, to OpenCombine",
        .ours,
        target: .faster(2, than: "published"),
        counting: .perOperation(20_000)
      ),
    ]
  )

  private static let many = Table(
    "A set with many observers",
    unit: "set",
    bound: "set",
    rows: [
      row(
        "set-10",
        "10 tokens",
        .ours,
        target: .atMost(8, of: "set"),
        limit: 1 << 18,
        counting: .perOperation(2_000)
      ),
      row("published-10", "10 sinks", .peer, limit: 1 << 18),
      row("set-1000", "1,000 tokens", limit: 1 << 12),
      row("published-1000", "1,000 sinks", .peer, limit: 1 << 12),
    ]
  )

  private static let threads = Table(
    "Threads that each set an object of their own",
    unit: "set",
    remarks: [
      "CPU time of the process, divided by the sets of all threads: equal where they scale."
    ],
    bound: "set-thread",
    rows: [
      row("set-thread", "one thread", .bound, limit: 1 << 20),
      row(
        "set-threads",
        "eight threads",
        .ours,
        target: .atMost(1.25, of: "set-thread"),
        limit: 1 << 20
      ),
    ]
  )

  private static let lost = Table(
    "Observing while the log cannot grow",
    unit: "addition, set and removal, or set alone",
    remarks: [
      """
      The log is at the limit on the size of files before the clock starts, so every event is lost and
      counted. A full disk takes the same way, and is asked less often.
      """
    ],
    bound: "cycle",
    rows: [
      row("cycle", "recording off", .bound, limit: 1 << 18),
      row("cycle-recorded", "recording on, with room", limit: 1 << 16),
      row(
        "cycle-no-room",
        "recording on, no room",
        .ours,
        target: .atMost(3, of: "cycle"),
        limit: 1 << 18
      ),
      row("set-bound", "a set with one observer, recording off", .bound, limit: 1 << 20),
      row(
        "set-no-room",
        "the same, recording on, no room",
        .ours,
        target: .atMost(3, of: "set-bound"),
        limit: 1 << 20
      ),
      row("set-10-bound", "a set with ten observers, recording off", .bound, limit: 1 << 18),
      row(
        "set-10-no-room",
        "the same, recording on, no room",
        .ours,
        target: .atMost(3, of: "set-10-bound"),
        limit: 1 << 18
      ),
    ]
  )

  private static let registrations = Table(
    "Beginning to observe, and ending it",
    unit: "pair",
    remarks: [
      """
      Recording off. Ours takes a stack of eight frames at both ends, so that a report can say who did
      it.
      """
    ],
    rows: [
      row(
        "pair",
        "token, to OpenCombine",
        .ours,
        target: .faster(5, than: "sink-pair"),
        limit: 1 << 18
      ),
      row("sink-pair", "OpenCombine, sink and cancel", .peer, limit: 1 << 18),
      row(
        "pair-faster-notification",
        "token, to NotificationCenter",
        .ours,
        target: .faster(2, than: "notification-pair"),
        limit: 1 << 18
      ),
      row("notification-pair", "NotificationCenter, with a block", .peer, limit: 1 << 18),
      row(
        "pair-faster-gnustep",
        "token, to GNUstep",
        .ours,
        target: .faster(8, than: "gnustep-pair"),
        limit: 1 << 18
      ),
      ObjectiveCSuite.plain("gnustep-pair", "GNUstep's KVO, in Objective-C", "pairs"),
      row("pair-recorded", "token, recording on", limit: 1 << 16),
      row("pair-100000", "token, among 100,000 others of the key", limit: 1 << 16),
      row("add", "addition alone, none removed", limit: 1 << 16),
    ]
  )
}
