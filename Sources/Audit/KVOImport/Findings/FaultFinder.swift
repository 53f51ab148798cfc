import KVORules

/// A fault that a document proves, with the stack that belongs to it.
struct Fault: Sendable {
  var complaint: Complaint
  var stack: StackTrace?
  /// The stack of C# or JavaScript that called it, if the text has one.
  var callers: StackTrace?
  var facts: ReportFacts
  /// The line in the input.
  var line: Int
}

/// Decides which parts of a document are KVO faults, and which only look like one.
///
/// A sentence of the runtime is a fault by itself, except for the few that other mistakes share: for those the stack
/// must show that the program was observing. Without a sentence the top of the crashed stack decides: a crash in the
/// user's code that a notification called is not a KVO fault.
struct FaultFinder {
  let document: ReportDocument
  private let appModules: [String]

  init(_ document: ReportDocument, appModules: [String]) {
    self.document = document
    self.appModules = appModules
  }

  /// The faults, in the order in which the document has them.
  func faults() -> [Fault] {
    var faults = stated()
    if let crash = raised() ?? shown(),
      faults.isEmpty || faults.allSatisfy(\.complaint.isNotice)
    {
      faults.append(crash)
    }
    faults += further(than: faults)
    if let callers = document.stacks.first(where: \.isManaged) {
      for index in faults.indices { faults[index].callers = callers }
    }
    return faults
  }

  // MARK: - Sentences

  /// How many stacks of one event are searched for the names of functions.
  private static let printingLimit = 8

  /// The faults in words, each event once however often it is printed.
  private func stated() -> [Fault] {
    var faults: [Fault] = []
    var printings: [[Int]] = []
    var byObjects = FaultIndex()
    for index in document.complaints.indices {
      let complaint = document.complaints[index]
      let numbers = byObjects.candidates(for: complaint) ?? Array(faults.indices)
      if let known = numbers.first(where: {
        faults[$0].complaint.isSame(as: complaint)
          && !faults[$0].facts.isOfOther(document.nearFacts[index])
      }) {
        faults[known].complaint.complete(from: complaint)
        faults[known].facts.complete(from: document.nearFacts[index])
        printings[known].append(index)
        continue
      }
      var facts = document.nearFacts[index]
      facts.complete(from: document.facts)
      byObjects.add(complaint, faults.count)
      faults.append(
        Fault(complaint: complaint, stack: nil, facts: facts, line: document.inputLines[index])
      )
      printings.append([index])
    }
    // The last printing is the one with the stack, unless the text only repeats the words after it, or one of those before
    // has the names of the functions. What is above the words may be the stack of something else.
    let ends = document.stacks.isEmpty ? [] : linesOfOthers()
    for index in faults.indices where !ends.isEmpty {
      let latest = printings[index].reversed().lazy
      let below = latest.compactMap { stack(below: $0, before: ends[$0]) }
      let near = latest.compactMap { stack(below: $0, before: ends[$0]) ?? stack(above: $0) }
      faults[index].stack =
        below.prefix(Self.printingLimit).first(where: \.hasNames)
        ?? near.prefix(Self.printingLimit).first(where: \.hasNames) ?? near.first
    }
    let lists = document.complaints.filter { !$0.observances.isEmpty }
    return faults.compactMap { confirmed($0, lists: lists) }
  }

  /// For each complaint the line of the next one about another event, the greatest number if there is none.
  ///
  /// A text may repeat a sentence many times: all of them have the same next one, which is searched for once.
  private func linesOfOthers() -> [Int] {
    let complaints = document.complaints
    var lines = Array(repeating: Int.max, count: complaints.count)
    for index in complaints.indices.reversed() {
      let complaint = complaints[index]
      var next = index + 1
      while next < complaints.count, complaints[next].isSame(as: complaint),
        !complaints[next].hasWords(of: complaint)
      {
        next += 1
      }
      guard next < complaints.count else { continue }
      lines[index] =
        complaints[next].hasWords(of: complaint) ? lines[next] : document.textLines[next]
    }
    return lines
  }

  /// The stack that belongs to the words at `index`: the next one below them, before the other words in line `end`.
  private func stack(below index: Int, before end: Int) -> StackTrace? {
    let line = document.textLines[index]
    let complaint = document.complaints[index]
    let below = document.stacks.filter {
      $0.lines.lowerBound >= line && $0.lines.lowerBound <= end && !$0.isManaged
        && !isOfConsequence($0, of: complaint) && !isOfOther($0, than: complaint)
    }
    // A crash report has the exception's stack beside the threads'.
    return below.first { $0.role == .exception && $0.hasNames }
      ?? below.first { $0.frames.count > 1 || $0.role != .unknown }
  }

  /// The stack right above the words at `index`, as a debugger prints it before someone asks for the exception.
  private func stack(above index: Int) -> StackTrace? {
    let line = document.textLines[index]
    let complaint = document.complaints[index]
    return document.stacks.last {
      $0.lines.upperBound <= line && line - $0.lines.upperBound < 40 && !$0.isManaged
        && !isOfConsequence($0, of: complaint) && !isOfOther($0, than: complaint)
    }
  }

  /// Whether one of the runtime's functions raised in `stack` for another reason than the words have.
  private func isOfOther(_ stack: StackTrace, than complaint: Complaint) -> Bool {
    guard stack.role == .exception, let raised = RaisedStack(stack) else { return false }
    return !RaisedStack.mayBeSame(raised.code, complaint.code)
  }

  /// Whether `stack` is of a later crash, of another kind: what the words report was only logged.
  private func isOfConsequence(_ stack: StackTrace, of complaint: Complaint) -> Bool {
    guard complaint.kind == .deallocation, !complaint.isException, stack.role == .crashed else {
      return false
    }
    return switch stack.meaning {
    case .delivers, .retainsObservers, .registers: true
    case .clearsUp, .complains, .makesClass, nil: stack.isRecursive
    }
  }

  /// The fault, if its stack confirms it when the words alone do not; `lists` are those with registrations.
  private func confirmed(_ fault: Fault, lists: [Complaint]) -> Fault? {
    var fault = fault
    switch fault.complaint.kind {
    case .undefinedKey:
      guard let stack = fault.stack, isObserving(stack) else { return nil }
    case .keyPathTrap:
      if let stack = fault.stack {
        if stack.calls("NSExpression") { return nil }
        if stack.frames.contains(where: \.isAddition) || stack.calls(".observe") {
          fault.complaint.confidence = .high
        } else if stack.frames.contains(where: { $0.symbol != nil }),
          fault.complaint.confidence == .low
        {
          return nil
        }
      }
    case .removal:
      // The same pair is registered under another context: the removal named the wrong one.
      if let observer = fault.complaint.observer.address,
        lists.contains(where: { other in
          other.subject.address == fault.complaint.subject.address
            && other.observances.contains {
              $0.observer.address == observer && $0.keyPath == fault.complaint.keyPath
            }
        })
      {
        fault.complaint.code = .removeWrongContext
      }
    case .unhandled where !fault.complaint.observer.isKnown:
      // The observer's own method is below the one that raised.
      fault.complaint.observer.className = fault.stack.flatMap(RaisedStack.init)?.observer
    default: break
    }
    return fault
  }

  /// Whether the exception was raised by adding an observer, and not by the user's code inside it.
  private func isObserving(_ stack: StackTrace) -> Bool {
    for frame in stack.frames {
      if frame.isAddition || frame.symbol?.contains("NSKeyValueNestedProperty") == true {
        return true
      }
      if ImageOrigin.isOwn(frame, process: document.facts.process, appModules: appModules) {
        return false
      }
    }
    return false
  }

  // MARK: - Stacks

  /// The fault that the stack of an exception alone shows.
  private func raised() -> Fault? {
    document.stacks.lazy.filter { $0.role != .other }.compactMap { raised(in: $0) }.first
  }

  /// The fault that `stack` shows if one of the runtime's functions raised in it.
  func raised(in stack: StackTrace) -> Fault? {
    guard let raised = RaisedStack(stack) else { return nil }
    var complaint = Complaint(kind: raised.kind, code: raised.code, range: 0..<0)
    complaint.observer.className = raised.observer
    return fault(complaint, in: stack)
  }

  /// The fault that the stack of a crash alone shows.
  private func shown() -> Fault? {
    if let stack = document.stacks.first(where: { stack in
      stack.role != .other && stack.frames.count > 1 && stack.meaning == .complains
    }) {
      let complaint = Complaint(
        kind: .deallocation,
        code: .observedDeinitWhileObserved,
        range: 0..<0,
        isException: false
      )
      return fault(complaint, in: stack)
    }
    guard let stack = crashedStack else { return nil }
    return onTop(
      stack,
      isCertain: stack.role == .crashed || isBadAccess(stack) && !isOneOfThreads(stack)
    )
  }

  /// The fault that the top of `stack` shows, or what is in it again and again.
  func onTop(_ stack: StackTrace, isCertain: Bool) -> Fault? {
    if stack.isRecursive {
      let complaint = Complaint(
        kind: .recursionInStack,
        code: .reentrantChange,
        range: 0..<0,
        isException: false
      )
      return fault(complaint, in: stack)
    }
    var complaint: Complaint
    switch stack.registersNoClass ? .makesClass : stack.meaning {
    case .makesClass:
      guard stack.registersNoClass else { return nil }
      complaint = Complaint(
        kind: .classPairOnTop,
        code: .classChangedUnderObservation,
        range: 0..<0
      )
      if !isCertain { complaint.confidence = .low }
    case .complains: return nil
    // A stack without a stated crash may be from a breakpoint, for example in an article about KVO.
    case .retainsObservers, .delivers:
      guard isCertain || stack.beginsInRuntime else { return nil }
      complaint = Complaint(kind: .deliveryOnTop, code: .deliveryToDead, range: 0..<0)
      if !isCertain { complaint.confidence = .low }
    case .registers:
      guard isCertain else { return nil }
      complaint = Complaint(kind: .registrationOnTop, code: .concurrentRemoval, range: 0..<0)
      if !isShared(stack) { complaint.confidence = .low }
    case .clearsUp:
      guard isCertain else { return nil }
      complaint = Complaint(
        kind: .deallocationOnTop,
        code: .observedDeinitWhileObserved,
        range: 0..<0
      )
      // The text does not name the remaining registrations.
      complaint.confidence = .low
    case nil: return nil
    }
    complaint.isException = false
    var facts = document.facts
    if stack.top?.symbol.map(RuntimeFunction.isOfGNUstep) == true {
      complaint.runtime = .gnustep
    } else if facts.exception == nil, document.isBadAccess {
      facts.exception = "EXC_BAD_ACCESS"
    }
    return Fault(complaint: complaint, stack: stack, facts: facts, line: line(of: stack))
  }

  /// A fault that `stack` shows, with the facts of its document.
  private func fault(_ complaint: Complaint, in stack: StackTrace) -> Fault {
    Fault(complaint: complaint, stack: stack, facts: document.facts, line: line(of: stack))
  }

  /// Where the stack begins in the input.
  private func line(of stack: StackTrace) -> Int {
    stack.inputLine > 0 ? stack.inputLine : document.firstLine
  }

  /// Whether unmapped memory was accessed: under pointer authentication a deallocated object ends the process with a
  /// breakpoint in the runtime, and a handler of signals in its own way.
  private func isBadAccess(_ stack: StackTrace) -> Bool {
    document.isBadAccess
      || (document.isBreakpoint || stack.hasSignalHandler) && stack.beginsAtObject
  }

  /// The stack of the thread that accessed unmapped memory.
  private var crashedStack: StackTrace? {
    // There are several if someone shows several crashes.
    let all = document.stacks.filter { $0.role == .crashed && !isKilled($0) }
    if document.stacks.contains(where: { $0.role == .exception }) {
      // An uncaught exception ends the process elsewhere than at an object of the runtime.
      return all.first {
        $0.beginsAtObject && ($0.meaning == .delivers || $0.meaning == .retainsObservers)
      }
    }
    if let crashed = all.first(where: { $0.meaning != nil || $0.isRecursive }) ?? all.first {
      return isBadAccess(crashed) || !document.complaints.isEmpty || document.facts.exception == nil
        ? crashed : nil
    }
    guard document.isCrash else { return nil }
    return document.stacks.first {
      $0.role == .unknown && $0.frames.count > 1 && !$0.isManaged && !isKilled($0)
    }
  }

  /// Whether the system ended the process of `stack`.
  ///
  /// The statement above a stack that is next to it decides, since a log may have those of other processes.
  func isKilled(_ stack: StackTrace) -> Bool {
    guard !document.killLines.isEmpty else { return false }
    let line = stack.lines.lowerBound
    let access = document.badAccessLines.last { $0 <= line }
    let kill = document.killLines.last { $0 <= line }
    // One line may have both: memory without a valid signature.
    return access.map { $0 <= kill ?? -1 } ?? true
  }

  /// Whether the stacks of several threads are in the text, of which none is said to have crashed.
  private func isOneOfThreads(_ stack: StackTrace) -> Bool {
    guard stack.role == .unknown, let thread = stack.thread else { return false }
    return document.stacks.contains { other in
      other.role == .unknown && (other.thread.map { $0 != thread } ?? false)
    }
  }

  /// Whether another thread works on registrations at the same time.
  private func isShared(_ crashed: StackTrace) -> Bool {
    document.stacks.contains { other in
      other.lines != crashed.lines
        && other.frames.prefix(12).contains { frame in
          frame.isRegistration || frame.isDelivery
        }
    }
  }
}
