import KVORules

/// Creates findings from the faults of one document.
///
/// Addresses become generation numbers, counted for each class in the order in which the document names
/// the objects: two reports of one fault read alike.
struct FindingMaker {
  private let profile: Profile?
  private let appModules: [String]
  private let classes: [UInt64: String]
  private var numbers: [String: [UInt64: Int]] = [:]

  /// How many frames of a stack a finding keeps.
  private static let frameLimit = 40

  init(profile: Profile?, appModules: [String], classes: [UInt64: String]) {
    self.profile = profile
    self.appModules = appModules
    self.classes = classes
  }

  /// The findings of `fault`: one, or one for each key path of a list, and another if an observer of
  /// the path is deallocated.
  mutating func findings(for fault: Fault) -> [Finding] {
    let complaint = fault.complaint
    guard complaint.kind == .deallocation, !complaint.observances.isEmpty else {
      return [finding(fault, complaint.code, observer: complaint.observer)]
    }
    var result: [Finding] = []
    var paths: Set<String?> = []
    for observance in complaint.observances where paths.insert(observance.keyPath).inserted {
      let group = complaint.observances.filter { $0.keyPath == observance.keyPath }
      // Masked names are replaced if known elsewhere.
      let named =
        group.first { className(of: $0.observer, beside: complaint.subject) != nil } ?? observance
      result.append(
        finding(
          fault,
          .observedDeinitWhileObserved,
          observer: named.observer,
          observance: named,
          observerCount: group.count
        )
      )
      if let deallocated = group.first(where: \.observer.isDeallocated) {
        result.append(
          finding(
            fault,
            .observerDeinitWhileRegistered,
            observer: Operand(),
            observance: deallocated,
            observerCount: group.count(where: \.observer.isDeallocated)
          )
        )
      }
    }
    return result
  }

  private mutating func finding(
    _ fault: Fault,
    _ code: RuleCode,
    observer: Operand,
    observance: Complaint.Observance? = nil,
    observerCount: Int = 1
  ) -> Finding {
    let complaint = fault.complaint
    let profile =
      self.profile ?? Self.gnustep(fault) ?? fault.facts.profile ?? Self.usual(complaint)
    let subject = object(complaint.subject)
    var watcher = observer
    watcher.className = className(of: observer, beside: complaint.subject)
    watcher.isMasked = observer.isMasked && watcher.className == observer.className
    let observer = object(watcher)
    let keyPath = observance.map(\.keyPath) ?? complaint.keyPath
    var masked: [String] = []
    if watcher.isMasked { masked.append("observer") }
    if complaint.subject.isMasked { masked.append("subject") }
    if let keyPath, keyPath.count > 2,
      Operand.isMasked(keyPath.filter { !"<>".contains($0) }) || Operand.isMask(in: keyPath.utf8)
    {
      masked.append("keyPath")
    }
    let stack = stack(fault)
    let context = observance.map(\.context) ?? complaint.context
    var sentence = FaultSentence(
      kind: complaint.kind,
      code: code,
      subject: subject,
      observer: observer,
      observerCount: observerCount,
      keyPath: keyPath,
      part: complaint.part,
      masked: masked
    )
    sentence.hasContext = context.map { $0 != "NULL" } ?? false
    if complaint.kind == .keyPathTrap {
      sentence.language = .swift
    } else if complaint.runtime == .gnustep {
      // Swift has no Objective-C classes there.
      sentence.language = .objectiveC
    } else if (fault.callers ?? fault.stack)?.isManaged != true {
      let classes = [observer?.className, subject?.className]
      sentence.language = SourceLanguage(stack, classes: classes)
    }
    let catalogue = RuleCatalogue.entry(code)
    let isCrash = complaint.isException || complaint.kind.isOnTop
    let consequence: Consequence =
      if complaint.isNotice {
        .wrong
      } else if self.profile == nil, isCrash {
        .crash
      } else {
        RuleCatalogue.consequence(of: code, under: profile)
      }
    let isWeak = complaint.confidence == .low || consequence == .none
    var finding = Finding(
      code: code,
      severity: isWeak || complaint.isNotice
        ? catalogue.severity.lowered : catalogue.severity,
      profile: profile,
      consequence: consequence,
      confidence: complaint.confidence,
      message: sentence.text,
      subject: subject,
      observer: observer,
      keyPath: keyPath,
      context: context,
      events: [fault.line],
      stacks: [stack],
      hint: sentence.hint,
      crashFacts: CrashFacts(
        exception: fault.facts.exception,
        options: observance?.options,
        observances: complaint.observances.map(line),
        masked: masked,
        process: fault.facts.process,
        version: fault.facts.version,
        system: fault.facts.ownSystem,
        date: fault.facts.date
      )
    )
    // A mask is not a name: two reports that hide their names need not have the same ones.
    var named = finding
    if masked.contains("observer") { named.observer = nil }
    if masked.contains("subject") { named.subject = nil }
    if masked.contains("keyPath") { named.keyPath = nil }
    named.identify()
    finding.signature = named.signature
    finding.lines = named.lines
    return finding
  }

  /// The profile of a fault of GNUstep's, which has other classes since 1.31.
  private static func gnustep(_ fault: Fault) -> Profile? {
    guard fault.complaint.runtime == .gnustep else { return nil }
    return fault.stack?.calls("GSKVO") == true ? .gnustep128 : .gnustepModern
  }

  /// The Apple runtime with this wording, if the text names none.
  private static func usual(_ complaint: Complaint) -> Profile {
    // Since iOS 11 registrations end silently when their object is deallocated.
    complaint.kind == .deallocation ? .appleLegacy : .appleModern
  }

  private func line(_ observance: Complaint.Observance) -> String {
    let observer =
      observance.observer.isDeallocated
      ? "a deallocated observer" : className(of: observance.observer) ?? "an observer"
    let options = observance.options.map { ", \($0)" } ?? ""
    return "\(observance.keyPath ?? "?"), observed by \(observer)\(options)"
  }

  /// The class of `operand`, which may be described elsewhere, or be `subject`, which observes itself.
  private func className(of operand: Operand, beside subject: Operand = Operand()) -> String? {
    guard let address = operand.address else { return operand.className }
    let described = address == subject.address ? subject.className : nil
    let name = operand.isMasked ? nil : operand.className
    return name ?? described ?? classes[address] ?? operand.className
  }

  /// The object as a finding represents it; nil if the text does not state its class.
  private mutating func object(_ operand: Operand) -> Finding.Object? {
    guard let name = className(of: operand) else { return nil }
    // An object without an address counts as a distinct one, identified only by its class.
    let address = operand.address ?? .max
    let count = numbers[name]?.count ?? 0
    let number = numbers[name]?[address] ?? count + 1
    numbers[name, default: [:]][address] = number
    return Finding.Object(className: name, id: String(number))
  }

  // MARK: - Stacks

  private func stack(_ fault: Fault) -> Finding.Stack {
    let process = fault.facts.process
    var hasOwn = false
    let called = (fault.stack?.frames ?? []).prefix(Self.frameLimit)
    let all = Array(called) + (fault.callers?.frames ?? []).prefix(Self.frameLimit)
    // An exception handler that runs above the throw is also user code, but not relevant.
    let thrown = all.prefix(14).lastIndex { $0.endsUnwinding || $0.isSignalHandlerEnd }
    let frames = all.enumerated().map { index, frame in
      let isOwn =
        !hasOwn && frame.symbol.map { !FrameLine.isMissing($0) } ?? false && index > thrown ?? -1
        && ImageOrigin.isOwn(frame, process: process, appModules: appModules)
      hasOwn = hasOwn || isOwn
      return Finding.StackFrame(
        address: frame.address,
        symbol: frame.symbol,
        module: frame.image,
        file: frame.file,
        line: frame.line,
        isFirstOwn: isOwn
      )
    }
    return Finding.Stack(
      role: fault.complaint.kind == .deallocation ? .deallocated : .failed,
      thread: fault.stack?.thread,
      threadName: fault.stack?.threadName,
      event: fault.line,
      frames: frames
    )
  }
}
