import KVORetention

/// Tries every shape in a program of its own, so that it can be built in ways that tests are not.
///
/// A line for each, fields with tabs between them: `shape`, the name, what is expected, what the cyclic
/// object and its acyclic twin gave exactly, and what they gave with a scan of opaque memory. Then a line
/// of sums. With the argument `exact` there is no scan.
struct ProbeRun {
  private struct Sums {
    var found = 0
    var expected = 0
    var inconclusive = 0
    var missed = 0
    var wrong = 0
  }

  private let shapes: [(shape: Shape, isUnderstood: Bool)] =
    (Shape.values + Shape.enums + Shape.collections + Shape.closures + Shape.generics)
    .map { ($0, true) } + OpaqueShape.all.map { ($0.shape, false) }

  /// Writes the table.
  ///
  /// - Returns: whether nothing is wrong: no cycle is claimed where there is none, and each that is not
  ///   found is said to be inconclusive.
  func report() -> Bool {
    var sums = Sums()
    for (shape, isUnderstood) in shapes {
      let isCyclic = shape.path != nil || !isUnderstood
      let exact = answers(RetainSearch(), shape)
      let scanned = answers(RetainSearch(scansOpaqueMemory: true), shape)
      if isCyclic { sums.expected += 1 }
      if isCyclic, exact.cyclic.verdict == .cycles { sums.found += 1 }
      if isCyclic, exact.cyclic.verdict == .inconclusive { sums.inconclusive += 1 }
      if isCyclic, exact.cyclic.verdict == .noneFound { sums.missed += 1 }
      for answer in [exact.acyclic, scanned.acyclic] where answer.verdict == .cycles {
        sums.wrong += 1
      }
      if !isCyclic, exact.cyclic.verdict == .cycles { sums.wrong += 1 }
      let fields = [
        "shape", shape.name, isCyclic ? "cycle" : "none", Self.word(exact.cyclic),
        Self.word(exact.acyclic), Self.word(scanned.cyclic), Self.word(scanned.acyclic),
      ]
      print(fields.joined(separator: "\t"))
    }
    print(
      ["sums", sums.expected, sums.found, sums.inconclusive, sums.missed, sums.wrong]
        .map { "\($0)" }.joined(separator: "\t")
    )
    return sums.missed == 0 && sums.wrong == 0
  }

  private func answers(
    _ search: RetainSearch,
    _ shape: Shape
  ) -> (cyclic: RetainAnswer, acyclic: RetainAnswer) {
    (search.findCycles(from: shape.cyclic()), search.findCycles(from: shape.acyclic()))
  }

  private static func word(_ answer: RetainAnswer) -> String {
    switch answer.verdict {
    case .cycles: return "cycle"
    case .noneFound: return "none"
    case .inconclusive:
      let reasons = Set(answer.opaque.map(\.reason.explanation)).sorted().joined(separator: "; ")
      return (answer.suspectedCycles.isEmpty ? "inconclusive" : "suspected") + " (\(reasons))"
    }
  }
}
