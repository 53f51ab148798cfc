import Foundation
import KVORecorder
import KVOReplay
import KVORules
import KVOTrace
import Testing

@testable import KVOSafety

/// KVO024: what a log says of two threads that change one object at once.
@Suite("Changes of two threads at once")
struct ConcurrentChangeTests {
  /// What the rules find about `subject` in the events that `body` makes.
  private func verdicts(about subject: AnyObject, _ body: () -> Void) -> [Verdict] {
    let memory = EventMemory()
    Recorder.shared.attach(memory)
    body()
    Recorder.shared.detach(memory)
    var engine = RuleEngine()
    var verdicts: [Verdict] = []
    for (number, event) in memory.events.enumerated() {
      verdicts += engine.consume(event, number: number + 1)
    }
    let id = (subject as? any KeyValueObservable)?.knownStorage?.record.ref.id
    return (verdicts + engine.finish()).filter { $0.subject?.id == id }
  }

  /// Runs `body` on another thread, and waits for it.
  private func elsewhere(_ body: @escaping @Sendable () -> Void) {
    let done = DispatchSemaphore(value: 0)
    Thread {
      body()
      done.signal()
    }
    .start()
    done.wait()
  }

  @Test("are found with the stacks of both, if setters make them")
  func setters() {
    let meter = Meter()
    nonisolated(unsafe) let shared = meter
    let found = verdicts(about: meter) {
      var isFirst = true
      let token = meter.observe(\.count, options: [.prior]) { _, change in
        // The first change is open on this thread while another thread makes one.
        guard change.isPrior, isFirst else { return }
        isFirst = false
        elsewhere { shared.count = 2 }
      }
      meter.count = 1
      // Neither overlaps anything: no stack, nothing found.
      meter.count = 3
      token.invalidate()
    }
    let overlaps = found.filter { $0.code == .concurrentChange }
    #expect(overlaps.count == 1)
    #expect(overlaps.first?.evidence.map(\.role) == [.failed, .changed])
    #expect(overlaps.first?.evidence.allSatisfy { $0.stack != .none } == true)
    #expect(Set(overlaps.first?.evidence.map(\.thread) ?? []).count == 2)
  }

  @Test("are found with both lines, if one is announced by hand")
  func byHand() {
    let meter = Meter()
    nonisolated(unsafe) let shared = meter
    let found = verdicts(about: meter) {
      let token = meter.observe(\.count) { _, _ in }
      meter.willChangeValue(for: \.count)
      elsewhere { shared.count = 2 }
      meter.didChangeValue(for: \.count)
      token.invalidate()
    }
    let overlaps = found.filter { $0.code == .concurrentChange }
    #expect(overlaps.count == 1)
    #expect(overlaps.first?.evidence.allSatisfy { $0.stack != .none } == true)
  }

  @Test("name the callers of the second, if both are announced by hand, and the line of the first")
  func callers() {
    let meter = Meter()
    nonisolated(unsafe) let shared = meter
    let found = verdicts(about: meter) {
      let token = meter.observe(\.count) { _, _ in }
      meter.willChangeValue(for: \.count)
      elsewhere {
        shared.willChangeValue(for: \.count)
        shared.didChangeValue(for: \.count)
      }
      meter.didChangeValue(for: \.count)
      token.invalidate()
    }
    let overlaps = found.filter { $0.code == .concurrentChange }
    #expect(overlaps.count == 1)
    let stacks = overlaps.first?.evidence.map(\.stack) ?? []
    #expect(stacks.count == 2)
    // The first has begun when nothing overlapped it.
    #expect(stacks.map { Recorder.shared.names.frames(of: $0).count > 1 } == [true, false])
  }

  @Test("have only the line of the announcement if nothing overlaps")
  func alone() {
    let meter = Meter()
    let memory = EventMemory()
    Recorder.shared.attach(memory)
    let token = meter.observe(\.count) { _, _ in }
    meter.willChangeValue(for: \.count)
    meter.didChangeValue(for: \.count)
    token.invalidate()
    Recorder.shared.detach(memory)
    let id = meter.knownStorage?.record.ref.id
    let stacks = memory.events.compactMap { event -> StackID? in
      switch event.body {
      case .willChange(let change) where change.subject.id == id: event.stack
      case .didChange(let change) where change.subject.id == id: event.stack
      default: nil
      }
    }
    #expect(stacks.count == 2)
    for stack in stacks { #expect(Recorder.shared.names.frames(of: stack).count == 1) }
  }

  @Test("are not reported for nested setters of one thread, which have no stack")
  func nested() {
    let meter = Meter()
    let memory = EventMemory()
    Recorder.shared.attach(memory)
    let token = meter.observe(\.count, options: [.prior]) { _, change in
      if change.isPrior { meter.name = "inner" }
    }
    meter.count = 1
    token.invalidate()
    Recorder.shared.detach(memory)
    let id = meter.knownStorage?.record.ref.id
    let halves = memory.events.filter { event in
      switch event.body {
      case .willChange(let change), .didChange(let change): change.subject.id == id
      default: false
      }
    }
    #expect(halves.count == 4)
    #expect(halves.allSatisfy { $0.stack == .none })
    #expect(halves.compactMap(\.order) == halves.compactMap(\.order).sorted())
  }
}
