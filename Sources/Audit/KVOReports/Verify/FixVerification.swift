package import KVOAudit
import KVOFindings
package import KVORules
import KVOText

/// Whether a finding is gone from a log that could have shown it.
///
/// A log without the finding proves nothing if its rule could not be judged there, if parts of it are missing, or if the
/// code at fault did not run. The last is judged by the registrations of the log.
package struct FixVerification: Sendable {
  /// The raw values are the words in JSON.
  package enum Outcome: String, Sendable {
    /// It is gone, and could have been seen.
    case fixed
    /// It is still there.
    case present
    /// It is gone, but would not have been seen in any case, or perhaps not.
    case unproven
  }

  package let outcome: Outcome
  /// The signature as it was given.
  package let signature: String
  /// Sentences without a full stop: why it is fixed, or why that is not proven.
  package let reasons: [String]
  /// The finding itself, if it is still there.
  package let finding: Finding?

  /// Looks for a finding.
  ///
  /// - Parameters:
  ///   - signature: a signature, or the beginning of one.
  ///   - report: the audit of the logs, with call sites.
  ///   - earlier: a report that has the finding; nil: what it is about is recognized by its signature, if an observation
  ///     of the logs would have it.
  /// - Complexity: O(findings + call sites of both).
  package init(of signature: String, in report: AuditReport, before earlier: AuditReport? = nil) {
    self.signature = signature
    let pattern = SignaturePattern(signature)
    if let finding = report.findings.lazy.flatMap(\.withConsequences)
      .first(where: pattern.names)
    {
      outcome = .present
      reasons = []
      self.finding = finding
      return
    }
    finding = nil
    let sites = report.callSites ?? []
    let suspect =
      earlier?.findings.lazy.flatMap(\.withConsequences).first(where: pattern.names)
      .map(Suspect.init) ?? Suspect(pattern, in: sites)
    var doubts = report.failures.map(\.message) + report.incompleteness
    guard let suspect else {
      outcome = .unproven
      doubts.append(
        earlier == nil
          ? "no observation in the log has this signature; a log or a report that has the finding says what to look "
            + "for (--before)"
          : "the earlier report has no such finding"
      )
      reasons = doubts
      return
    }
    doubts += report.notJudged.filter { $0.code == suspect.code }.map {
      "\(suspect.code.rawValue) could not be judged: \($0.why)"
    }
    if let earlier, let other = suspect.successor(in: report, since: earlier) {
      doubts.append(
        "\(Signature.short(other.signature)) is not in the earlier report, and breaks the same rule on the same classes "
          + "and key path: it may be the same fault in a function of another name"
      )
    }
    let evidence = suspect.evidence(in: sites)
    if let doubt = evidence.doubt { doubts.append(doubt) }
    outcome = doubts.isEmpty ? .fixed : .unproven
    reasons = doubts.isEmpty ? [evidence.sentence] : doubts
  }
}

/// What a missing finding was about.
private struct Suspect {
  var code: RuleCode
  var subject: String?
  var observer: String?
  var keyPath: String?
  var functions: Set<String>

  init(_ finding: Finding) {
    code = finding.code
    subject = finding.subject?.className
    observer = finding.observer?.className
    keyPath = finding.keyPath
    functions = Set(finding.stacks.lazy.filter(\.namesFunction).compactMap(\.ownFunction))
  }

  /// The observation of `sites` that a finding with this signature would be about.
  init?(_ pattern: SignaturePattern, in sites: [CallSiteCount]) {
    for site in sites.lazy.map(\.site) {
      for code in RuleCode.allCases {
        let signatures = Signature.ofObservation(
          code,
          subject: site.subject,
          observer: site.observer,
          keyPath: site.keyPath,
          registered: site.stack
        )
        guard signatures.contains(where: pattern.names) else { continue }
        self.code = code
        subject = site.subject
        observer = site.observer
        keyPath = site.keyPath
        functions =
          site.stack.namesFunction ? site.stack.ownFunction.map { [$0] } ?? [] : []
        return
      }
    }
    return nil
  }

  /// A finding like the missing one that is new in `report`.
  ///
  /// A signature names a function: where it was renamed, or other modules count as own code, the same fault has another.
  func successor(in report: AuditReport, since earlier: AuditReport) -> Finding? {
    let known = Set(earlier.findings.lazy.flatMap(\.withConsequences).map(\.signature))
    return report.findings.lazy.flatMap(\.withConsequences).first { finding in
      finding.code == code && finding.subject?.className == subject
        && finding.observer?.className == observer && finding.keyPath == keyPath
        && !known.contains(finding.signature)
        && !finding.lines.contains { $0.version1.map(known.contains) ?? false }
    }
  }

  /// What the registrations of a log say of the code at fault.
  struct Evidence {
    var sentence = ""
    var doubt: String?
  }

  func evidence(in sites: [CallSiteCount]) -> Evidence {
    if let topic = code.topicBesideObservations {
      return Evidence(
        doubt:
          "whether the code ran is not known: \(code.rawValue) is about \(topic), and only observations say so"
      )
    }
    let met = sites.filter { isMet(by: $0.site) }
    let exact = met.filter { keyPath == nil || $0.site.keyPath == keyPath }
    let counted = exact.isEmpty ? met : exact
    var observed = [keyPath.map { "\"\($0)\"" }, subject].compactMap(\.self)
      .joined(separator: " of ")
    guard let most = counted.max(by: { $0.madeCount < $1.madeCount }) else {
      let who = observer.map { " by \($0)" } ?? ""
      let what = observed.isEmpty ? "nothing of it was observed" : "\(observed) was not observed"
      return Evidence(doubt: "the code did not run: \(what)\(who)")
    }
    // The same function observes something else by now.
    if exact.isEmpty { observed = "\"\(most.site.keyPath)\" of \(most.site.subject)" }
    if observed.isEmpty { observed = "an object" }
    let made = counted.reduce(0) { $0 + $1.madeCount }
    let live = counted.reduce(0) { $0 + $1.liveCount }
    if made == live, code.needsEnd {
      return Evidence(
        doubt:
          "the end did not come: \(observed) was observed \(Self.times(made)), and all of these observations "
          + "are live at the end of the log"
      )
    }
    let place = most.site.location.map { " at \($0)" } ?? ""
    return Evidence(
      sentence:
        "\(observed) was observed \(Self.times(made))\(place), and \(Wording.grouped(made - live)) of these "
        + "observations ended"
    )
  }

  /// Whether a registration is of the same observation, or made by the same function on the same class.
  private func isMet(by site: CallSite) -> Bool {
    if let subject, site.subject != subject { return false }
    let isSameFunction = site.stack.ownFunction.map(functions.contains) ?? false
    if isSameFunction { return true }
    guard let keyPath else {
      return observer == nil ? subject != nil : site.observer == observer
    }
    return site.keyPath == keyPath && site.observer == observer
  }

  private static func times(_ count: Int) -> String {
    count == 1 ? "once" : "\(Wording.grouped(count)) times"
  }
}

extension Finding.Stack {
  /// Whether ``ownFunction`` is a function: without one it is a whole file.
  fileprivate var namesFunction: Bool {
    function != nil || frames.first(where: \.isFirstOwn)?.symbol != nil
  }
}

extension RuleCode {
  /// What it is about, if no registration says anything of that.
  fileprivate var topicBesideObservations: String? {
    switch self {
    case .parkedConsumer, .consumerGrowth, .continuationDropped, .continuationResumedTwice:
      "a task that waits"
    case .dependencyCycle: "the keys that a class declares"
    default: nil
    }
  }

  /// Whether the fault shows when an observation or one of its objects ends.
  fileprivate var needsEnd: Bool {
    switch self {
    case .doubleRemove, .removeUnregistered, .removeWrongContext, .ambiguousRemove,
      .observedDeinitWhileObserved, .observerDeinitWhileRegistered, .deliveryToDead,
      .deliveryAfterRemove, .removeDuringInitial, .concurrentRemoval,
      .classChangedUnderObservation:
      true
    default: false
    }
  }
}

extension SignaturePattern {
  /// Whether a signature is the one meant, or begins with it.
  fileprivate func names(_ signature: String) -> Bool { signature.hasPrefix(text) }

  /// Whether a finding, or a line of it, has the signature.
  fileprivate func names(_ finding: Finding) -> Bool {
    names(finding.signature)
      || finding.lines.contains { names($0.signature) || ($0.version1.map { names($0) } ?? false) }
  }
}
