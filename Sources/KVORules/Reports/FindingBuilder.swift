package import KVOTrace

/// Turns verdicts into findings: ids into names, addresses into frames, a code into a sentence, a
/// consequence and a hint.
package struct FindingBuilder {
  private let names: TraceNames
  private let threadNames: [ThreadID: String]
  private let profile: Profile
  private let input: Int
  private var stacks: StackNaming

  /// Builds findings of one log.
  ///
  /// - Parameters:
  ///   - names: what the ids of the log mean.
  ///   - threadNames: the names of threads, as far as the log gives them.
  ///   - stacks: names the stacks of the log.
  ///   - profile: the runtime that the log is judged as.
  ///   - input: the index of the log among the inputs.
  package init(
    names: TraceNames,
    threadNames: [ThreadID: String] = [:],
    stacks: StackNaming,
    profile: Profile = .swift,
    input: Int = 0
  ) {
    self.names = names
    self.threadNames = threadNames
    self.stacks = stacks
    self.profile = profile
    self.input = input
  }

  /// The finding that `verdict` stands for, seen once.
  package mutating func finding(for verdict: Verdict) -> Finding {
    let rule = RuleCatalogue.entry(verdict.code)
    let subject = verdict.subject.map(object)
    let observer = verdict.observer.map(object)
    let keyPath = verdict.keyPath == .none ? nil : names[verdict.keyPath]
    let context = text(of: verdict.context)
    let failed = verdict.evidence.first
    var finding = Finding(
      code: verdict.code,
      severity: RuleCatalogue.severity(of: verdict, under: profile),
      profile: profile,
      consequence: rule.consequences[profile],
      confidence: verdict.confidence,
      message: VerdictSentence(verdict, names: names).text + (failed.map(onThread) ?? ""),
      subject: subject,
      observer: observer,
      keyPath: keyPath,
      context: context,
      events: failed.map { $0.event > 0 ? [$0.event] : [] } ?? [],
      input: input,
      stacks: verdict.evidence.map { stack($0) },
      isHistoryLost: verdict.isHistoryLost,
      hint: HintText.fill(
        rule.hint,
        keyPath: keyPath,
        observer: observer?.className,
        subject: subject?.className,
        context: context
      )
    )
    finding.signature = FindingSignature(of: finding).text
    return finding
  }

  private mutating func stack(_ evidence: Evidence) -> Finding.Stack {
    Finding.Stack(
      role: evidence.role,
      thread: evidence.thread.map { names.text(of: $0) },
      threadName: evidence.thread.flatMap { threadNames[$0] },
      event: evidence.event,
      site: evidence.site == .none ? nil : names[evidence.site],
      frames: stacks.frames(of: evidence.stack)
    )
  }

  private func object(_ ref: ObjectRef) -> Finding.Object {
    Finding.Object(className: names[ref.className], id: names.text(of: ref.id))
  }

  private func text(of context: Context) -> String? {
    guard case .named(let name) = context else { return nil }
    return names[name]
  }

  private func onThread(_ evidence: Evidence) -> String {
    guard let thread = evidence.thread else { return "" }
    let name = threadNames[thread].map { " (\($0))" } ?? ""
    return ", on thread \(names.text(of: thread))\(name)"
  }
}
