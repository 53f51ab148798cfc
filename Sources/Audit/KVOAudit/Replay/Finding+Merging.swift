package import KVORules
import KVOTrace

extension Finding {
  /// Merges the same finding of other inputs.
  ///
  /// Counts are added; the higher severity and the higher confidence are kept. The description of one occurrence
  /// (sentence, events, stacks) remains that of the receiver, unless only the other one is of a log. Occurrences that a
  /// test expects do not count beside others, as in one input (`FindingFolder`).
  ///
  /// Complexity: O(consequences²).
  package mutating func add(_ other: Finding) {
    if isExpected != other.isExpected {
      if isExpected { self = other }
      return
    }
    if crashFacts != nil, other.crashFacts == nil {
      // What crash reports say of themselves is not true of all, and a log says more of the fault.
      let reported = self
      self = other
      return add(reported)
    }
    count = count.addingCount(other.count)
    processCount = processCount.addingCount(other.processCount)
    runCount = runCount.addingCount(other.runCount)
    add(lines: other.lines)
    add(sightings: other.sightings)
    if other.isWorse(than: self) {
      // What it leads to is that of the runtime on which it is worst.
      (severity, consequence, profile) = (other.severity, other.consequence, other.profile)
    }
    if other.confidence == .high { confidence = .high }
    isLibrary = isLibrary && other.isLibrary
    isSuppressed = isSuppressed || other.isSuppressed
    if let facts = other.crashFacts { crashFacts?.add(facts) }
    for consequence in other.consequences {
      if let known = consequences.firstIndex(where: { $0.signature == consequence.signature }) {
        consequences[known].add(consequence)
      } else {
        consequences.append(consequence)
      }
    }
  }

  /// Whether it leads to worse than `other`, or to the same on a runtime before the other's: one of two that differ is.
  private func isWorse(than other: Finding) -> Bool {
    if severity != other.severity { return severity > other.severity }
    if consequence != other.consequence { return consequence.harm > other.consequence.harm }
    return profile.rawValue < other.profile.rawValue
  }

  /// Replaces the index of its input by the result of `index` for it, also in its consequences.
  package mutating func setInput(_ index: (Int) -> Int) {
    input = index(input)
    for position in consequences.indices { consequences[position].setInput(index) }
  }

  /// The order of the findings of a report: by severity, then code, then by location.
  package static func isReportedBefore(_ left: Finding, _ right: Finding) -> Bool {
    left.reportPosition < right.reportPosition
  }

  /// What determines the position of the finding in a report.
  package var reportPosition: ReportPosition {
    ReportPosition(
      severity: severity,
      crashReportCount: crashFacts?.reportCount ?? 0,
      code: code,
      input: input,
      event: events.first ?? 0,
      signature: signature
    )
  }

  /// Orders the findings of a report.
  package struct ReportPosition: Comparable, Sendable {
    package var severity: Severity
    /// In how many crash reports it was found; 0 if it was found in events.
    package var crashReportCount: Int
    package var code: RuleCode
    package var input: Int
    /// The first event.
    package var event: Int
    package var signature: String

    package static func < (left: Self, right: Self) -> Bool {
      if left.severity != right.severity { return left.severity > right.severity }
      // Findings that most crash reports show come first. Those of logs come after them: an order that compared their
      // codes with each other's would be none, because it would not be transitive.
      if left.crashReportCount != right.crashReportCount {
        return left.crashReportCount > right.crashReportCount
      }
      if left.code != right.code { return left.code < right.code }
      if left.input != right.input { return left.input < right.input }
      if left.event != right.event { return left.event < right.event }
      return left.signature < right.signature
    }
  }
}

extension Consequence {
  /// How bad it is: different for each.
  fileprivate var harm: Int {
    switch self {
    case .unknown: 0
    case .none: 1
    case .contained: 2
    case .leak: 3
    case .wrong: 4
    case .hang: 5
    case .crash: 6
    }
  }
}
