/// The result of a row compared with its target.
package struct Verdict: Hashable, Sendable {
  /// The target, in words.
  package var target: String
  /// Whether it was reached, and by how much; nil: it could not be compared.
  package var outcome: Outcome?

  /// The result.
  package struct Outcome: Hashable, Sendable {
    package var isMet: Bool
    package var text: String
  }

  /// Judges `row`, which has `target`.
  ///
  /// - Parameters:
  ///   - row: the id of the row.
  ///   - target: its target.
  ///   - measurements: those of all rows, by id.
  ///   - titles: the names of the rows in reports, by id.
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
    case .adding(let nanoseconds, let other):
      self.target = "≤ \(Figures.sum(nanoseconds)) more than \(titles[other] ?? other)"
      guard let theirs = measurements[other], let added = own?.difference(from: theirs) else {
        return
      }
      let isMet = added <= nanoseconds
      outcome = Outcome(
        isMet: isMet,
        text: "\(isMet ? "met" : "**missed**"): \(Figures.sum(added))"
      )
    }
  }

  /// `off` is above 1 if the target was missed.
  private static func outcome(isMet: Bool, reached: Double, off: Double) -> Outcome {
    Outcome(
      isMet: isMet,
      text: isMet
        ? "met: \(Figures.ratio(reached))"
        : "**missed**: \(Figures.ratio(reached)), off by \(Figures.ratio(off))"
    )
  }
}
