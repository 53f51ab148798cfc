internal import KVOFindings
internal import KVORecorder
internal import KVORetainRegistry
internal import KVORetention
internal import KVORules
internal import KVOSafety
internal import KVOSymbols
internal import KVOTrace

/// The observations that keep themselves alive although a test asserts that none does (KVO019).
///
/// They are judged and recorded like those that `KVO.findRetainCycles` finds, and so have the code, the signature and
/// the message of the live report and of the audit. An audited scope around the assertion does not report them again,
/// and a cycle that it expects is not a failure here either.
struct AssertedCycles {
  /// The findings that the test does not expect, each once.
  let unexpected: [Finding]
  /// Whether there are cycles, and the test expects all of them.
  let isExpected: Bool

  init(_ verdicts: [Verdict]) {
    let findings = Self.findings(of: verdicts)
    let scope = AuditedScope.enclosing
    let isMeant = scope?.expects(.observationRetainCycle) == true
    unexpected = isMeant ? [] : findings
    isExpected = isMeant && !findings.isEmpty
    scope?.noteReported(unexpected, of: Set(verdicts.compactMap(\.registration)))
  }

  /// The reports, or nil if there are none.
  var text: String? { unexpected.isEmpty ? nil : ScopeVerdict.text(of: unexpected) }

  private static func findings(of verdicts: [Verdict]) -> [Finding] {
    // Reads debug information, and so only if there is something to report.
    if verdicts.isEmpty { return [] }
    // The thread that walks and those that registered.
    var threadNames = Recorder.shared.threadNames
    threadNames[Recorder.currentThread] = Recorder.currentThreadName
    threadNames[ThreadID(1)] = Recorder.id(of: "main")
    let builder = FindingBuilder(
      names: Recorder.shared.names,
      profile: .swift,
      threadNames: threadNames.filter { $0.value != .none },
      modules: LoadedImages.all,
      resolver: DwarfFrameResolver()
    )
    var folder = FindingFolder()
    for verdict in verdicts { folder.add(builder.finding(for: verdict)) }
    return folder.findings
  }
}

/// All cycles among the objects reachable from some roots: those of observations, and others, which break no rule.
struct AssertedAnswer {
  let observations: AssertedCycles
  let others: RetainAnswer

  /// - Parameters:
  ///   - roots: where to begin.
  ///   - expectsDeallocation: whether they should have been deallocated.
  init(from roots: [AnyObject], expectsDeallocation: Bool = false) {
    RetainSearch.install()
    var search = RetainSearch()
    search.expectsDeallocation = expectsDeallocation
    let found = search.findCyclesApart(from: roots, names: RetainVerdict.names)
    observations = AssertedCycles(
      KVO.judgeAsserted(RetainWalk(found.observations), from: roots)
    )
    others = found.others
  }

  /// Whether there is a cycle that the test does not expect.
  var isFailure: Bool { !observations.unexpected.isEmpty || others.verdict == .cycles }

  /// Whether there is at least one cycle, and all are expected.
  var isExpected: Bool { observations.isExpected && !isFailure }

  func report(heading: String = "") -> RetainVerdict.Report {
    RetainVerdict.Report(heading + text, others.opaque)
  }

  private var text: String {
    guard let text = observations.text else { return "\(others)" }
    // What could not be inspected may hide more.
    return others.verdict == .noneFound ? text : "\(text)\n\n\(others)"
  }
}
