package import KVOTrace

/// Makes a ``Finding`` of a ``Verdict``: names for ids, frames for addresses, a sentence, a hint and
/// a signature.
///
/// Not for concurrent use: it caches the stacks that it looked up.
package struct FindingBuilder {
  package let names: TraceNames
  package let profile: Profile
  let recorded: Profile
  private let threadNames: [ThreadID: StringID]
  private let images: LoadedImages
  private let resolver: (any FrameResolver)?
  private let classifier: FrameClassifier
  package let input: Int
  private let known = KnownStacks()

  /// A builder for the verdicts of one input.
  ///
  /// - Parameters:
  ///   - names: the strings and stacks that the verdicts' ids refer to.
  ///   - profile: the runtime that is judged.
  ///   - recorded: the runtime of the input, whose API hints use; nil: the judged one.
  ///   - threadNames: the names of the threads.
  ///   - modules: the images that addresses lie in.
  ///   - resolver: looks up addresses; without one they are not symbolicated.
  ///   - appModules: the modules that are the user's own; nil: all but the system's and this package's.
  ///   - input: the index of the input.
  package init(
    names: TraceNames,
    profile: Profile,
    recorded: Profile? = nil,
    threadNames: [ThreadID: StringID] = [:],
    modules: [Module] = [],
    resolver: (any FrameResolver)? = nil,
    appModules: [String]? = nil,
    input: Int = 0
  ) {
    self.names = names
    self.profile = profile
    self.recorded = recorded ?? profile
    self.threadNames = threadNames
    images = LoadedImages(modules)
    self.resolver = resolver
    classifier = FrameClassifier(appModules: appModules)
    self.input = input
  }

  /// The finding that `judged` describes, counted once.
  ///
  /// Complexity: O(frames), plus the look-ups of the resolver.
  package func finding(for judged: Verdict) -> Finding {
    let verdict = located(judged)
    let deallocated = deallocatedClass(of: verdict)
    let stacks = verdict.evidence.map { evidence in
      stack(evidence, deallocated: evidence.role == .failed ? deallocated : nil)
    }
    let entry = RuleCatalogue.entry(verdict.code)
    let sentence = FindingSentence(builder: self, verdict: verdict, failed: stacks.first)
    let audience = audience(of: verdict, stacks)
    var finding = Finding(
      code: verdict.code,
      severity: RuleCatalogue.severity(of: verdict, under: profile),
      profile: profile,
      consequence: RuleCatalogue.consequence(of: verdict, under: profile, recordedOn: recorded),
      confidence: verdict.confidence,
      message: sentence.text,
      subject: verdict.subject.map(object),
      observer: verdict.observer.map(object),
      keyPath: verdict.keyPath == .none ? nil : names[verdict.keyPath],
      context: text(of: verdict.context),
      events: verdict.evidence.prefix(1).map(\.event).filter { $0 > 0 },
      input: input,
      stacks: stacks,
      isHistoryLost: verdict.isHistoryLost,
      hint: sentence.hint(
        hint(for: verdict, of: entry, stacks, audience, sentence),
        in: audience == .objectiveC ? .objectiveC : .swift
      )
    )
    let callers = verdict.evidence.compactMap { evidence in
      reported(evidence.stack, deallocated: evidence.role == .failed ? deallocated : nil)
        .isLibraryCall
    }
    finding.isLibrary = !callers.isEmpty && callers.allSatisfy(\.self)
    if isOfFoundation(verdict, deallocated: deallocated) {
      // Not caused by the program: it is shown, but is not an error of the program.
      finding.isLibrary = true
      finding.severity = .note
    }
    if case .cycle(let references) = verdict.detail {
      finding.cycle = references.map(edge)
      if let index = references.indexToWeaken { finding.cycle[index].shouldBeWeak = true }
    }
    finding.isExpected = verdict.isExpected
    finding.identify(of: ownClass(of: verdict))
    return finding
  }

  /// KVO005 as KVO018, when the log does not say the lines of the two additions and their stacks have
  /// different own frames: those are compared instead.
  private func located(_ verdict: Verdict) -> Verdict {
    guard case .copiesElsewhere = verdict.detail, verdict.evidence.count > 1 else { return verdict }
    let locations = verdict.evidence.prefix(2).map { stack($0).location }
    guard let first = locations[0], let second = locations[1], first != second else {
      return verdict
    }
    var copy = verdict
    copy.code = .contextCollision
    return copy
  }

  /// Whether every call that caused the verdict was made by an Objective-C Foundation, on its own behalf.
  private func isOfFoundation(_ verdict: Verdict, deallocated: String?) -> Bool {
    let callers = verdict.evidence.compactMap { evidence in
      reported(evidence.stack, deallocated: evidence.role == .failed ? deallocated : nil)
        .isFoundationCall
    }
    return !callers.isEmpty && callers.allSatisfy(\.self)
  }

  private func hint(
    for verdict: Verdict,
    of entry: RuleCatalogue.Entry,
    _ stacks: [Finding.Stack],
    _ audience: Audience,
    _ sentence: FindingSentence
  ) -> String {
    if case .exception(let name, _) = verdict.detail {
      if entry.code != .callbackRaised, name == .none {
        let handling =
          RuleAdvice.hint(.unhandledNotification, for: audience)
          ?? RuleCatalogue.entry(.unhandledNotification).hint
        return handling.replacing("{observer}", with: "{raiser}")
      }
      return audience == .foundation
        ? RuleAdvice.exceptionInSwift : RuleCatalogue.entry(.callbackRaised).hint
    }
    if isUnendedReplacement(verdict, stacks) { return RuleAdvice.unendedReplacement }
    if isBeyondASCII(verdict) { return RuleAdvice.keyBeyondASCII }
    let isFoundation = recorded != .swift || audience == .objectiveC
    let ofCase = RuleAdvice.hint(
      for: verdict,
      isFoundation: isFoundation,
      knowsStep: sentence.refusedStep != nil,
      unnamed: sentence.unnamedKeyPath,
      hasWrongDependency: sentence.refusedDependency != nil,
      audience: audience
    )
    if let hint = ofCase ?? (isFoundation ? entry.foundationHint : nil) { return hint }
    if let hint = RuleAdvice.hint(entry.code, for: audience) { return hint }
    return verdict.observer == nil ? entry.tokenHint ?? entry.hint : entry.hint
  }

  /// Whether GNUstep began a replacement for the program and did not end it.
  private func isUnendedReplacement(_ verdict: Verdict, _ stacks: [Finding.Stack]) -> Bool {
    guard recorded == .gnustep128, case .change(.willWithoutDid) = verdict.detail else {
      return false
    }
    let innermost = stacks.first?.frames.first?.symbol
    return innermost?.hasPrefix("-[NSKeyValueFastMutableArray replaceObjectAtIndex:") == true
  }

  /// Whether GNUstep refused a key because of its letters.
  private func isBeyondASCII(_ verdict: Verdict) -> Bool {
    guard recorded == .gnustep128, case .refusal = verdict.detail else { return false }
    return names[verdict.keyPath].utf8.contains { $0 >= 0x80 }
  }

  /// Whether the program was written in Objective-C, as far as its runtime and its stacks show.
  private func isObjectiveC(_ stacks: [Finding.Stack]) -> Bool {
    if recorded == .gnustep128 || recorded == .gnustepModern { return true }
    func isObjectiveC(file: (some StringProtocol)?) -> Bool {
      file.map { $0.hasSuffix(".m") || $0.hasSuffix(".mm") } ?? false
    }
    return stacks.contains { stack in
      isObjectiveC(file: stack.site.map { SourceSite($0).file })
        || stack.frames.contains { frame in
          frame.isFirstOwn
            && (isObjectiveC(file: frame.file)
              || (frame.symbol.map { $0.contains("-[") || $0.contains("+[") } ?? false))
        }
    }
  }

  /// The reader of the advice.
  private func audience(of verdict: Verdict, _ stacks: [Finding.Stack]) -> Audience {
    let audience = audience(of: verdict)
    if recorded == .swift {
      // This library's calls are Swift, whatever deallocates the object: the log need not state its runtime.
      let calls = stacks.filter { $0.role == .registered && ($0.site != nil || !$0.frames.isEmpty) }
      return isObjectiveC(calls.isEmpty ? stacks : calls) ? .objectiveC : audience
    }
    if isObjectiveC(stacks) { return .objectiveC }
    return audience == .notificationCenter ? audience : .foundation
  }

  /// Whether the runtime has a removal that names the context: GNUstep 1.28 has none.
  var removesByContext: Bool { recorded != .gnustep128 }

  /// The API that made the registration.
  func audience(of verdict: Verdict) -> Audience {
    let className = verdict.subject.map { names[$0.className] }
    if className == "NotificationCenter" || className == "NSNotificationCenter" {
      return .notificationCenter
    }
    return Audience(verdict.form, hasObserver: verdict.observer != nil)
  }

  // MARK: - Names

  package func object(_ reference: ObjectRef) -> Finding.Object {
    Finding.Object(
      className: names[reference.className],
      id: names.text(of: reference.id)
    )
  }

  private func edge(_ reference: Reference) -> Finding.Edge {
    Finding.Edge(
      from: object(reference.from),
      label: names[reference.label],
      to: object(reference.to),
      strength: reference.strength.rawValue,
      certainty: reference.certainty.rawValue
    )
  }

  /// The class that a finding without objects is about.
  private func ownClass(of verdict: Verdict) -> String? {
    switch verdict.detail {
    case .dependencies(let className, _), .problem(_, let className): names[className]
    case .consumer(let awaited, _), .consumerGrowth(let awaited, _, _, _): names[awaited]
    default: nil
    }
  }

  /// The context as written in the log, `NULL`, or nil if the call has none.
  func text(of context: Context) -> String? {
    switch context {
    case .unspecified: nil
    case .null: "NULL"
    case .named(let name): names[name]
    }
  }

  // MARK: - Stacks

  /// The class of the object whose deallocation is the fault.
  private func deallocatedClass(of verdict: Verdict) -> String? {
    switch verdict.code {
    case .observedDeinitWhileObserved: verdict.subject.map { names[$0.className] }
    case .observerDeinitWhileRegistered: verdict.observer.map { names[$0.className] }
    case .deepPathIntermediateDeath, .weakLinkSilentlyNil:
      if case .link(let link) = verdict.detail { names[link.className] } else { nil }
    default: nil
    }
  }

  /// The stack of one event, symbolicated as far as possible.
  ///
  /// - Parameters:
  ///   - evidence: the event.
  ///   - deallocated: the class of the object whose deallocation is reported, or nil.
  /// - Returns: the stack.
  /// - Complexity: O(frames), plus the look-ups of the resolver; O(1) for a cached stack.
  package func stack(_ evidence: Evidence, deallocated: String? = nil) -> Finding.Stack {
    let site = names.site(evidence.site)
    return Finding.Stack(
      role: evidence.role,
      thread: evidence.thread.map { names.text(of: $0) },
      threadName: evidence.thread.flatMap { threadNames[$0] }.map { names[$0] },
      event: evidence.event,
      site: site?.location,
      function: site?.function,
      frames: reported(evidence.stack, deallocated: deallocated).frames
    )
  }

  private func reported(_ stack: StackID, deallocated: String?) -> ReportedStack {
    let key = KnownStacks.Key(stack: stack, deallocated: deallocated)
    if let reported = known.stacks[key] { return reported }
    let reported = ReportedStack(names[stack].flatMap(expand), deallocated: deallocated)
    known.stacks[key] = reported
    return reported
  }

  /// The source frames of one recorded frame: names from the log are kept, addresses are looked up.
  private func expand(_ frame: Frame) -> [ReportedStack.NamedFrame] {
    let module = images.image(at: frame.address)
    let image = frame.module == .none ? module?.path : names[frame.module]
    var result = Finding.StackFrame(
      address: frame.address == 0 ? nil : frame.address,
      module: image
    )
    if frame.symbol != .none || frame.file != .none {
      let given = frame.symbol == .none ? nil : names[frame.symbol]
      let parsed = given.map(SourceText.init)
      result.symbol = parsed?.symbol
      result.file = frame.file == .none ? parsed?.file : names[frame.file]
      result.line = frame.file == .none ? parsed?.line ?? 0 : Int(frame.line)
      let origin = classifier.origin(
        symbol: result.symbol ?? result.file,
        swiftModule: nil,
        image: image,
        file: result.file
      )
      return [.init(frame: result, origin: origin)]
    }
    let found = module.flatMap { resolver?.frames(at: frame.address, in: $0) } ?? []
    guard !found.isEmpty else {
      let origin = classifier.origin(symbol: nil, swiftModule: nil, image: image)
      return [.init(frame: result, origin: origin)]
    }
    return found.map { source in
      var copy = result
      copy.symbol = source.function
      copy.file = source.file
      copy.line = source.line
      copy.isInlined = source.isInlined
      let origin = classifier.origin(
        symbol: source.function,
        swiftModule: source.swiftModule,
        image: image,
        file: source.file
      )
      return .init(frame: copy, origin: origin)
    }
  }
}

/// The cached stacks: a thousand findings of one line need one lookup.
private final class KnownStacks {
  struct Key: Hashable {
    var stack: StackID
    var deallocated: String?
  }
  var stacks: [Key: ReportedStack] = [:]
}

/// A frame that a log gives as text: `-[Screen dealloc] (Screen.m:41)`.
struct SourceText {
  var symbol: String
  var file: String?
  var line = 0

  init(_ text: String) {
    symbol = text
    guard text.hasSuffix(")"), let open = text.lastIndex(of: "("), open > text.startIndex,
      text[text.index(before: open)] == " "
    else { return }
    let inside = text[text.index(after: open)...].dropLast()
    guard let colon = inside.lastIndex(of: ":"), colon > inside.startIndex,
      let number = Int(inside[inside.index(after: colon)...]), number > 0
    else { return }
    symbol = String(text[..<text.index(before: open)])
    file = String(inside[..<colon])
    line = number
  }
}
