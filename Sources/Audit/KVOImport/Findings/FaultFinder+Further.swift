import KVORules

/// Several crashes in one text that nothing else separates, as when someone pastes all that they have.
extension FaultFinder {
  /// The faults of crashes that have their own stack and are none of `known`.
  ///
  /// An exception is another one if it is another rule's, or raised elsewhere. A bad access is another one if the text
  /// states it again, between the stack of the crash before and its own: one report has both only in its head.
  func further(than known: [Fault]) -> [Fault] {
    // What is only logged may be followed by the crash that it causes.
    guard
      known.allSatisfy({ fault in
        fault.complaint.isException || fault.complaint.isNotice || fault.complaint.kind.isOnTop
      })
    else { return [] }
    var found: [Fault] = []
    var previousEnd = 0
    var lines = Set(known.compactMap { $0.stack?.lines })
    var outlines = Set(known.compactMap { $0.stack?.outline })
    for stack in document.stacks
    where stack.role == .exception || stack.role == .crashed {
      // Services export one event, whose stacks have no lines.
      guard stack.lines.lowerBound < ReportDocument.structureLine else { break }
      let lead = previousEnd..<max(previousEnd, stack.lines.lowerBound)
      previousEnd = max(previousEnd, stack.lines.upperBound)
      if lines.contains(stack.lines) || outlines.contains(stack.outline) { continue }
      var shown: Fault?
      if stack.role == .exception {
        shown = raised(in: stack).flatMap { fault in
          (known + found).contains { mayBeSame($0, fault) } ? nil : fault
        }
      } else if document.badAccessLines.contains(where: lead.contains), stack.frames.count > 1,
        !isKilled(stack)
      {
        shown = onTop(stack, isCertain: true)
      }
      guard let fault = shown else { continue }
      found.append(fault)
      lines.insert(stack.lines)
      outlines.insert(stack.outline)
    }
    return found
  }

  /// Whether the fault in words, whose own stack does not show where it was raised, may be the one that `raised` shows.
  private func mayBeSame(_ fault: Fault, _ raised: Fault) -> Bool {
    if let stack = fault.stack, RaisedStack(stack) != nil { return false }
    return RaisedStack.mayBeSame(fault.complaint.code, raised.complaint.code)
  }
}
