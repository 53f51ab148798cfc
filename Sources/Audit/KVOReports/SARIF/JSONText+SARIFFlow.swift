import KVORules
import KVOText

extension JSONText {
  /// Writes the calls that led to a finding, from the first call to the one that failed: a flow for each thread.
  ///
  /// A stack is a step, at its first own frame; `executionOrder` puts the steps of all threads in one order. A single
  /// step would repeat the location of the result, and is not written.
  ///
  /// Source: SARIF 2.1.0, 3.36 to 3.38.
  mutating func writeSarifFlows(of finding: Finding, _ sources: SourceFiles) {
    let steps = finding.steps
    guard steps.count > 1 else { return }
    var threads: [String?] = []
    for step in steps where !threads.contains(step.stack.thread) {
      threads.append(step.stack.thread)
    }
    key("codeFlows")
    list([finding]) { text, _ in
      text.object { text in
        text.key("threadFlows")
        text.list(threads) { text, thread in
          text.write(sarifThreadFlow: steps.filter { $0.stack.thread == thread }, sources)
        }
      }
    }
  }

  private mutating func write(sarifThreadFlow steps: [Finding.Step], _ sources: SourceFiles) {
    object { text in
      if let phrase = steps.first?.stack.threadPhrase {
        text.key("message")
        text.write(sarifMessage: phrase)
      }
      text.key("locations")
      text.list(steps) { text, step in
        text.object { text in
          text.key("location")
          text.write(sarifFrame: step.frame, message: step.stack.heading, sources)
          text.key("executionOrder")
          text.value(step.number)
          text.key("importance")
          text.value(step.stack.role == .failed ? "essential" : "important")
        }
      }
    }
  }
}

extension Finding {
  /// A call of a finding whose source is known.
  fileprivate struct Step {
    var number: Int
    var stack: Stack
    var frame: StackFrame
  }

  /// The calls in their order, as many as are shown: the last ones if there are more.
  fileprivate var steps: [Step] {
    let known = stacks.compactMap { stack in stack.shownFrame.map { (stack, $0) } }
    // The failed call is the first stack, and each next one explains it by an earlier event.
    var ordered = Array(known.prefix(ReportLimit.sarifFlowLocationCount).reversed())
    if ordered.allSatisfy({ $0.0.event > 0 }) {
      ordered = ordered.enumerated().sorted {
        ($0.element.0.event, $0.offset) < ($1.element.0.event, $1.offset)
      }.map(\.element)
    }
    return ordered.enumerated().map {
      Step(number: $0.offset + 1, stack: $0.element.0, frame: $0.element.1)
    }
  }
}
