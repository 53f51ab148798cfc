package import KVORules

/// What a report has that a former one had not, and the other way round.
///
/// Findings are the same where their signatures are; the line is not part of one. Those of version 1
/// named a line, which moves when lines are added above it: what is left on both sides, one of them of
/// that version, is paired where rule, types, key path and function agree, and has then moved.
package struct BaselineComparison: Sendable {
  /// The file of the former report.
  package var path: String
  /// Findings that are in both, in the order of the report.
  package var unchangedCount = 0
  package var movedCount = 0
  package var newCount = 0
  /// Findings of the former report that are there no more, as it told of them.
  package var fixed: [Finding] = []
  /// The same where their rule could not be judged this time: nobody knows.
  package var unjudged: [Finding] = []
  /// Whether what is not new makes no build fail.
  package var countsNewOnly: Bool
}

extension AuditReport {
  /// Compares the report with `former`, and notes at each finding what became of it.
  ///
  /// What a finding leads to is no finding of its own: it is neither new nor fixed, but a finding that
  /// was one's consequence before is not new.
  ///
  /// - Parameters:
  ///   - former: the report that it is compared with.
  ///   - path: the file that it is in.
  ///   - countsNewOnly: whether what is not new makes no build fail.
  /// - Complexity: O(n log n) in the findings of both.
  package mutating func compare(with former: AuditReport, at path: String, countsNewOnly: Bool) {
    var comparison = BaselineComparison(path: path, countsNewOnly: countsNewOnly)
    let known = KnownSignatures(former.findings)
    let present = KnownSignatures(findings)
    // What moved down moved in the order in which it stood.
    var gone: [Finding.Locus: [Finding]] = [:]
    for finding in former.findings.reversed() where !present.contains(finding) {
      gone[finding.locus, default: []].append(finding)
    }
    var moved: Set<String> = []
    for index in findings.indices {
      if known.contains(findings[index]) {
        findings[index].baseline = .unchanged
        comparison.unchangedCount += 1
      } else if let other = gone[findings[index].locus]?.popLast(
        where: findings[index].mayMove(from:)
      ) {
        findings[index].baseline = .moved(from: other.signature)
        comparison.movedCount += 1
        moved.insert(other.signature)
      } else {
        findings[index].baseline = .new
        comparison.newCount += 1
      }
    }
    let unjudged = Set(notJudged.map(\.code))
    for finding in former.findings
    where !present.contains(finding) && !moved.contains(finding.signature) {
      if unjudged.contains(finding.code) {
        comparison.unjudged.append(finding)
      } else {
        comparison.fixed.append(finding)
      }
    }
    self.comparison = comparison
  }
}

/// What tells the findings of a report from others, those that follow from others included.
private struct KnownSignatures {
  private var current: Set<String> = []
  /// Of version 1: of findings that have no other, and of the lines of those that have.
  private var former: Set<String> = []
  private var formerOfLines: Set<String> = []

  init(_ findings: [Finding]) {
    for finding in findings.lazy.flatMap(\.withConsequences) {
      if Signature.isCurrent(finding.signature) {
        current.insert(finding.signature)
        formerOfLines.formUnion(finding.version1Signatures)
      } else {
        former.insert(finding.signature)
      }
    }
  }

  /// Whether `finding`, of another report, is one of these: reports of different versions have the
  /// signatures of version 1 in common.
  func contains(_ finding: Finding) -> Bool {
    guard Signature.isCurrent(finding.signature) else {
      return former.contains(finding.signature) || formerOfLines.contains(finding.signature)
    }
    return current.contains(finding.signature)
      || finding.version1Signatures.contains(where: former.contains)
  }
}

extension [Finding] {
  /// Takes the last one away, if it is as `condition` says.
  fileprivate mutating func popLast(where condition: (Finding) -> Bool) -> Finding? {
    last.map(condition) == true ? popLast() : nil
  }
}

extension Finding {
  /// Whether `former` may be the same in another line: only signatures of version 1 name lines.
  fileprivate func mayMove(from former: Finding) -> Bool {
    !Signature.isCurrent(signature) || !Signature.isCurrent(former.signature)
  }

  /// What stays of a finding's signature when its line moves.
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
    // A line that the compiler gave stands for the file alone.
    let site = stacks.lazy.compactMap(\.site).first?.split(separator: ":").first.map(String.init)
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
