import KVOFindings
package import KVORules
import KVOTrace

/// The differences between a report and a previous one.
///
/// Findings are the same if their signatures are; the line is not part of one. Those of version 1 named a line, which
/// moves when lines are added above it: the remaining findings of both sides, one of them of that version, are paired
/// if rule, types, key path and function agree, and count as moved.
package struct BaselineComparison: Sendable {
  /// The file of the previous report.
  package var path: String
  /// Findings that are in both, in the order of the report.
  package var unchangedCount = 0
  package var movedCount = 0
  package var newCount = 0
  /// Findings of the previous report that no longer occur, as it reported them.
  package var fixed: [Finding] = []
  /// Findings of the previous report that no longer occur, for which it is unknown whether they are fixed.
  ///
  /// Their rule could not be judged this time, or an input was not read or is incomplete.
  package var unjudged: [Finding] = []
  /// Whether only new findings make a build fail.
  package var countsNewOnly: Bool

  package init(path: String, countsNewOnly: Bool) {
    self.path = path
    self.countsNewOnly = countsNewOnly
  }
}

extension AuditReport {
  /// Compares the report with `previous`, and notes the result at each finding.
  ///
  /// A consequence of a finding is not a separate finding: it is neither new nor fixed, but a finding that was a
  /// consequence before is not new. A finding that a test expects, or that is suppressed, has a state, and is not
  /// counted.
  ///
  /// - Parameters:
  ///   - previous: the previous report.
  ///   - path: the file of that report.
  ///   - countsNewOnly: whether only new findings make a build fail.
  /// - Complexity: O(n log n) in the findings of both.
  package mutating func compare(with previous: AuditReport, at path: String, countsNewOnly: Bool) {
    var comparison = BaselineComparison(path: path, countsNewOnly: countsNewOnly)
    // What a test provoked before does not make known what now happens by itself.
    let known = KnownSignatures(previous.findings.filter { !$0.isExpected })
    let expected = KnownSignatures(previous.findings.filter(\.isExpected))
    let present = KnownSignatures(findings)
    // Findings that moved kept their order.
    var gone: [Finding.Locus: [Finding]] = [:]
    for finding in previous.findings.reversed() where !present.contains(finding) {
      gone[finding.locus, default: []].append(finding)
    }
    var moved: Set<String> = []
    for index in findings.indices {
      let count = findings[index].counts ? 1 : 0
      if known.contains(findings[index])
        || findings[index].isExpected && expected.contains(findings[index])
      {
        findings[index].baseline = .unchanged
        comparison.unchangedCount += count
      } else if let other = gone[findings[index].locus]?.popLast(
        where: findings[index].mayMove(from:)
      ) {
        findings[index].baseline = .moved(from: other.signature)
        comparison.movedCount += count
        moved.insert(other.signature)
      } else {
        findings[index].baseline = .new
        comparison.newCount += count
      }
    }
    let unjudged = Set(notJudged.map(\.code))
    let isUnknown = mayLackFindings || whyNothingWasJudged != nil
    for finding in previous.findings
    where finding.counts && !present.contains(finding) && !moved.contains(finding.signature) {
      if isUnknown || unjudged.contains(finding.code) {
        comparison.unjudged.append(finding)
      } else {
        comparison.fixed.append(finding)
      }
    }
    self.comparison = comparison
  }
}

/// The identities of the findings of a report, including those that follow from others.
private struct KnownSignatures {
  private var current: Set<String> = []
  /// Signatures of version 1: of findings that have no other, and of the lines of current findings.
  private var version1: Set<String> = []
  private var version1OfLines: Set<String> = []

  init(_ findings: [Finding]) {
    for finding in findings.lazy.flatMap(\.withConsequences) {
      if Signature.isCurrent(finding.signature) {
        current.insert(finding.signature)
        version1OfLines.formUnion(finding.version1Signatures)
      } else {
        version1.insert(finding.signature)
      }
    }
  }

  /// Whether `finding`, of another report, is one of these: reports of different versions have the
  /// signatures of version 1 in common.
  func contains(_ finding: Finding) -> Bool {
    guard Signature.isCurrent(finding.signature) else {
      return version1.contains(finding.signature) || version1OfLines.contains(finding.signature)
    }
    return current.contains(finding.signature)
      || finding.version1Signatures.contains(where: version1.contains)
  }
}

extension [Finding] {
  /// Removes the last one, if it satisfies `condition`.
  fileprivate mutating func popLast(where condition: (Finding) -> Bool) -> Finding? {
    last.map(condition) == true ? popLast() : nil
  }
}

extension Finding {
  /// Whether `previous` may be the same at another line: only signatures of version 1 name lines.
  fileprivate func mayMove(from previous: Finding) -> Bool {
    !Signature.isCurrent(signature) || !Signature.isCurrent(previous.signature)
  }

  /// The part of a finding's signature that is independent of its line.
  fileprivate struct Locus: Hashable {
    var code: RuleCode
    var subject: String?
    var observer: String?
    var keyPath: String?
    var function: String?
  }

  fileprivate var locus: Locus {
    let stacks = stacks.prefix(1) + stacks.dropFirst().filter { $0.role == .registered }.prefix(1)
    let own = stacks.lazy.compactMap { $0.frames.first(where: \.isFirstOwn) }.first
    // Of a line from the compiler only the file counts.
    let site = stacks.lazy.compactMap(\.site).first.map { String(SourceSite($0).file) }
    let file = own?.file?.split(separator: "/").last.map(String.init)
    return Locus(
      code: code,
      subject: subject?.className,
      observer: observer?.className,
      keyPath: keyPath,
      function: own?.symbol ?? file ?? site
    )
  }
}
