import KVORetention

/// Tries the forms of tasks: `RetentionProbe tasks`.
///
/// A line for each, fields with tabs between them: `form`, the name, how the search answered for the
/// leaking one, how many sorts of tasks were found to hold it, how the search answered for the correct
/// twin, and what became of that; then a line of sums.
struct TaskRun {
  private var (leaks, proven, suspected, missed, wrong, doubted) = (0, 0, 0, 0, 0, 0)

  /// Returns whether nothing was missed and nothing was wrong.
  mutating func report() async -> Bool {
    for form in TaskForm.all {
      let leak = await form.outcome(leaks: true)
      let twin = await form.outcome(leaks: false)
      if leak.leaks { leaks += 1 }
      let isProven = leak.drawn.contains(where: \.isProven)
      if isProven { proven += 1 }
      if !isProven, !leak.drawn.isEmpty { suspected += 1 }
      if leak.isMissed || (form.isStored && leak.drawn.isEmpty) || !leak.leaks { missed += 1 }
      if twin.leaks || twin.isWrong { wrong += 1 }
      if !twin.drawn.isEmpty { doubted += 1 }
      print(
        [
          "form", form.name, Self.word(leak), "\(leak.holders?.holders.count ?? 0)",
          Self.word(twin), twin.leaks ? "alive" : "deallocated",
        ].joined(separator: "\t")
      )
      for cycle in twin.drawn { print("drawn for the twin", cycle, separator: "\t") }
      if leak.isMissed || twin.isWrong { print("\(leak.answer)\n\(twin.answer)") }
    }
    let sums = [
      "tasks", "\(TaskForm.all.count)", "leaks \(leaks)", "proven \(proven)",
      "suspected \(suspected)", "missed \(missed)", "wrong \(wrong)",
      "suspected twins \(doubted)",
    ]
    print(sums.joined(separator: "\t"))
    return missed == 0 && wrong == 0
  }

  private static func word(_ outcome: TaskForm.Outcome) -> String {
    if outcome.drawn.contains(where: \.isProven) { return "proven" }
    if !outcome.drawn.isEmpty { return "suspected" }
    switch outcome.answer.verdict {
    case .cycles: return "cycles"
    case .noneFound: return "none"
    case .inconclusive: return "inconclusive"
    }
  }
}
