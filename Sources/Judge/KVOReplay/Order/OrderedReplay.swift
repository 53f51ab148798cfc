package import KVORules
package import KVOTrace

/// The events of one process, put into the order in which they happened and judged.
///
/// An event that arrives in order is judged at once. One that leaves a gap in the orders of its object, or that is of
/// an unknown registration, is held back by the sequencer, and with it all later events, until the missing events have
/// arrived or a window of events has passed.
package struct OrderedReplay: Sendable {
  package private(set) var engine: RuleEngine
  private var sequencer: EventSequencer
  /// Its memory is reused.
  private var outline = EventOutline()

  /// A replay that has seen nothing.
  ///
  /// - Parameters:
  ///   - profile: the runtime to judge as; nil: the recorded one.
  ///   - options: what else to judge.
  ///   - window: how many events are held back at the most.
  package init(
    profile: Profile? = nil,
    options: RuleEngine.Options = .init(),
    window: Int = 4_096
  ) {
    engine = RuleEngine(profile: profile, options: options)
    sequencer = EventSequencer(window: window)
  }

  /// The sizes of everything that is kept; lets a test see that none grows with events.
  package var capacities: [Int] { engine.capacities + [sequencer.keptCount] }

  /// Events may name `classes`, which runtimes made for observing, in place of their classes: see
  /// ``RuleEngine/learn(_:)``.
  package mutating func learn(_ classes: [StringID: StringID]) { engine.learn(classes) }

  /// Takes the next event of the log.
  ///
  /// Complexity: O(1) amortized for an event that comes in its turn, plus what it ends.
  ///
  /// - Parameters:
  ///   - event: the next event of the log.
  ///   - number: its 1-based number in the input.
  ///   - judge: is called with the new verdicts, which may concern earlier events, before this returns.
  package mutating func take(_ event: Event, number: Int, _ judge: (Verdict) -> Void) {
    withUnsafePointer(to: event) { take($0, number, judge) }
  }

  /// Takes the next events of the log, as ``take(_:number:_:)`` does one.
  ///
  /// Cheaper than one by one with many live objects: data that is not in the processor's caches is prefetched for some
  /// dozens of events at a time.
  ///
  /// - Parameters:
  ///   - events: the next events of the log.
  ///   - firstNumber: the number of the first of them; those of the others follow it without a gap.
  ///   - judge: is called with the new verdicts, before this returns.
  package mutating func take(
    _ events: Span<Event>,
    firstNumber: Int,
    _ judge: (Verdict) -> Void
  ) {
    var outline = EventOutline()
    swap(&outline, &self.outline)
    outline.update(from: events)
    take(events, outline, firstNumber: firstNumber, judge)
    self.outline = outline
  }

  /// Takes the next events of the log, as ``take(_:firstNumber:_:)`` does, by their `outline`, which must be of these.
  package mutating func take(
    _ events: Span<Event>,
    _ outline: borrowing EventOutline,
    firstNumber: Int,
    _ judge: (Verdict) -> Void
  ) {
    precondition(outline.eventCount == events.count, "an outline of other events")
    events.withUnsafeBufferPointer { events in
      outline.steps.withUnsafeBufferPointer { steps in
        guard let first = events.baseAddress else { return }
        var at = 0
        for index in steps.indices {
          if index % RuleEngine.warmedCount == 0 { engine.warm(steps, of: first, from: index) }
          let count = steps[index].kind == .wholeChange ? EventOutline.wholeChangeCount : 1
          // Nothing is held that could belong before it.
          if count == 1 || !sequencer.isEmpty
            || !engine.consumeWholeChange(steps[index])
          {
            for offset in 0..<count { take(first + at + offset, firstNumber + at + offset, judge) }
          }
          at += count
        }
      }
    }
  }

  /// The log has ended.
  ///
  /// - Parameter judge: is called with the final verdicts, before this returns.
  package mutating func finish(_ judge: (Verdict) -> Void) {
    sequencer.flush { engine.consume($0, number: $1).forEach(judge) }
    engine.finish().forEach(judge)
  }

  @inline(__always)
  private mutating func take(
    _ event: UnsafePointer<Event>,
    _ number: Int,
    _ judge: (Verdict) -> Void
  ) {
    if sequencer.isEmpty, engine.consumeIfNext(event, number: number) {
      if engine.hasVerdicts { engine.takeVerdicts().forEach(judge) }
      return
    }
    hold(event.pointee, number: number, judge)
  }

  private mutating func hold(_ event: Event, number: Int, _ judge: (Verdict) -> Void) {
    sequencer.push(event, number: number, subject: engine.home(of: event)) {
      engine.consume($0, number: $1).forEach(judge)
    }
    sequencer.release(while: { engine.isNext($0) }) {
      engine.consume($0, number: $1).forEach(judge)
    }
  }
}
