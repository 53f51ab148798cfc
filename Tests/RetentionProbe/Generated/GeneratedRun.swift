import Glibc
import KVORetention

/// Tries generated shapes: `RetentionProbe generated <count> [<first> [<busy threads>]]`.
///
/// A line for each that is missed, wrong or inconclusive, fields with tabs between them; then a line for each
/// medium: how many were tried, and were inconclusive; then a line of sums: how many leaked, were found,
/// inconclusive though they leaked, inconclusive though they did not, missed, wrong.
struct GeneratedRun {
  private var sums: [String: Int] = [:]

  /// Returns whether nothing was missed and nothing was wrong.
  mutating func report(count: Int, first: Int) async -> Bool {
    for seed in first..<first + count {
      let shape = GeneratedShape(seed: seed)
      for isStrong in [true, false] {
        take(await shape.outcome(isStrong: isStrong), of: shape, seed, isStrong)
      }
    }
    for medium in Medium.allCases {
      let counts = [sums[medium.rawValue] ?? 0, sums["inconclusive " + medium.rawValue] ?? 0]
      print((["medium", medium.rawValue] + counts.map { "\($0)" }).joined(separator: "\t"))
    }
    let names = ["all", "leaks", "found", "doubted leaks", "doubted others", "missed", "wrong"]
    print((["generated"] + names.map { "\(sums[$0] ?? 0)" }).joined(separator: "\t"))
    return sums["missed"] == nil && sums["wrong"] == nil
  }

  private mutating func take(
    _ outcome: GeneratedShape.Outcome,
    of shape: GeneratedShape,
    _ seed: Int,
    _ isStrong: Bool
  ) {
    sums["all", default: 0] += 1
    sums[shape.medium.rawValue, default: 0] += 1
    if outcome.isInconclusive { sums["inconclusive " + shape.medium.rawValue, default: 0] += 1 }
    if outcome.leaks { sums["leaks", default: 0] += 1 }
    if outcome.isFound { sums["found", default: 0] += 1 }
    var word: String?
    if outcome.isInconclusive { word = outcome.leaks ? "doubted leaks" : "doubted others" }
    if outcome.isMissed { word = "missed" }
    if outcome.isWrong { word = "wrong" }
    guard let word else { return }
    sums[word, default: 0] += 1
    let reasons = Set(outcome.answer.opaque.map(\.description)).sorted().joined(separator: "; ")
    let drawn = outcome.answer.cycles + outcome.answer.taskCycles
    let cycles = drawn.map(\.description).joined(separator: "; ")
    print(
      ["shape \(seed)", word, isStrong ? "strong" : "weak", "\(shape)", reasons + cycles]
        .joined(separator: "\t")
    )
    // A later crash must not lose the line.
    fflush(nil)
  }
}
