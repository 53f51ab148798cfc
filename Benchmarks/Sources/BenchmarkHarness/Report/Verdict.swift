/// How a row stands to its target.
package struct Verdict: Hashable, Sendable {
  /// What is to be reached, in words.
  package var target: String
  /// Whether it was, and by how much; nil: it could not be compared.
  package var outcome: Outcome?

  /// What came out.
  package struct Outcome: Hashable, Sendable {
    package var isMet: Bool
    package var text: String
  }

  /// Judges `row`, which has `target`.
  ///
  /// - Parameters:
  ///   - row: the id of the row.
  ///   - target: what it is held to.
  ///   - measurements: of all rows, by id.
  ///   - titles: how reports call the rows, by id.
  package init(
    of row: String,
    target: Row.Target,
    measurements: [String: RowOutcome],
    titles: [String: String]
  ) {
    let own = measurements[row]
    switch target {
    case .atMost(let times, let other):
      self.target = "≤ \(Figures.ratio(times)) \(titles[other] ?? other)"
      guard let theirs = measurements[other], let ratio = own?.ratio(to: theirs) else { return }
      outcome = Self.outcome(isMet: ratio <= times, reached: ratio, off: ratio / times)
    case .faster(let times, let other):
      self.target = "≥ \(Figures.ratio(times)) faster than \(titles[other] ?? other)"
      guard let theirs = measurements[other], let own, let ratio = theirs.ratio(to: own) else {
        return
      }
      outcome = Self.outcome(isMet: ratio >= times, reached: ratio, off: times / ratio)
    }
  }

  /// `off` is above 1 where the target was missed.
  private static func outcome(isMet: Bool, reached: Double, off: Double) -> Outcome {
    Outcome(
      isMet: isMet,
      text: isMet
        ? "met: \(Figures.ratio(reached))"
        : "**missed**: \(Figures.ratio(reached)), off by \(Figures.ratio(off))"
    )
  }
}
