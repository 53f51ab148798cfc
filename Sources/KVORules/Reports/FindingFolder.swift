/// Folds findings of one signature into one, counted.
///
/// The first one's sentence, objects and stacks stay; the severity is the worst.
///
/// Complexity: O(1) per finding; memory grows with the different findings and the numbers of their
/// events.
package struct FindingFolder {
  private var places: [String: Int] = [:]
  /// The different findings, in the order in which they were first seen.
  package private(set) var findings: [Finding] = []

  package init() {}

  /// Adds a finding. Adding the same event of the same input again counts once.
  package mutating func add(_ finding: Finding) {
    guard let place = places[finding.signature] else {
      places[finding.signature] = findings.count
      findings.append(finding)
      return
    }
    let isAgain =
      findings[place].input == finding.input && !finding.events.isEmpty
      && finding.events.allSatisfy { event in findings[place].events.last == event }
    if finding.severity > findings[place].severity {
      findings[place].severity = finding.severity
    }
    if finding.confidence == .high { findings[place].confidence = .high }
    guard !isAgain else { return }
    findings[place].count += finding.count
    if findings[place].input == finding.input { findings[place].events += finding.events }
  }
}
