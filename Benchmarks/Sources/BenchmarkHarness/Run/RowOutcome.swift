/// The outcome of a row.
package enum RowOutcome: Sendable {
  /// The packages that the machine lacks.
  case notRun(missing: [String])
  /// One sample per round; the instructions of one operation, if they were counted.
  case samples([Sample], instructions: Double?)

  mutating func add(_ sample: Sample) {
    guard case .samples(let samples, let instructions) = self else { return }
    self = .samples(samples + [sample], instructions: instructions)
  }

  /// The instructions of one operation, or of the whole run; nil: not counted.
  package var instructions: Double? {
    get {
      guard case .samples(_, let instructions) = self else { return nil }
      return instructions
    }
    set {
      guard case .samples(let samples, _) = self else { return }
      self = .samples(samples, instructions: newValue)
    }
  }

  /// The samples; none if the row was not run.
  package var samples: [Sample] {
    guard case .samples(let samples, _) = self else { return [] }
    return samples
  }

  /// The ratio of the time of an operation to that of `other` in the same round: the median over
  /// the rounds, or nil if one of the two was not run.
  package func ratio(to other: RowOutcome) -> Double? {
    let ratios = zip(samples, other.samples).map { $0.perOperation / $1.perOperation }
    return Statistics(ratios)?.median
  }

  /// How many nanoseconds an operation takes beyond one of `other` in the same round: the median over the rounds, or
  /// nil if one of the two was not run.
  package func difference(from other: RowOutcome) -> Double? {
    let differences = zip(samples, other.samples).map { $0.perOperation - $1.perOperation }
    return Statistics(differences)?.median
  }
}
