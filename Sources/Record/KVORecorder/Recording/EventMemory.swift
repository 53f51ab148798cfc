package import KVOTrace

/// Keeps events in memory, for as long as a test scope is open.
///
/// Each event is kept once, however many memories are attached: tests that run side by side share the blocks of events,
/// and a memory knows where in them it was attached and detached. A block lives as long as a memory that begins in it or
/// before it.
package final class EventMemory: Sendable {
  // State: `parts`, under its own lock; appended to when the memory is attached. No other lock is taken under it.
  private let parts = GuardedState<[Part]>([])

  package init() {}

  /// The events recorded so far, in the order of recording.
  ///
  /// Complexity: O(events that were recorded while it was attached).
  package var events: [Event] { parts.withLock { $0 }.flatMap(\.events) }

  /// Begins with the next event of `block`, the newest one.
  func begin(in block: EventBlock) {
    let part = Part(first: block, start: block.count)
    parts.withLock { $0.append(part) }
  }

  /// Ends with the last event of `block`, the newest one.
  func end(in block: EventBlock) {
    let count = block.count
    parts.withLock { parts in
      guard let index = parts.indices.last, parts[index].last == nil else { return }
      parts[index].last = block
      parts[index].end = count
    }
  }

  /// The events of one time for which the memory was attached.
  private struct Part: Sendable {
    /// The block of the first event, and its index there.
    var first: EventBlock
    var start: Int
    /// The block of the last event, and the index after it there; nil while the memory is attached.
    var last: EventBlock?
    var end = 0

    init(first: EventBlock, start: Int) {
      self.first = first
      self.start = start
    }

    var events: [Event] {
      var events: [Event] = []
      var block: EventBlock? = first
      var index = start
      while let current = block {
        let (kept, next) = current.contents
        let isLast = current === last
        events += kept[index..<(isLast ? end : kept.count)]
        block = isLast ? nil : next
        index = 0
      }
      return events
    }
  }
}

/// Some events in the order of recording, and the block of those that follow.
final class EventBlock: Sendable {
  private struct State: Sendable {
    var events: [Event] = []
    /// The next block; nil until this one is full.
    var next: EventBlock?
  }

  static let capacity = 1_024

  // State: `state`, under its own lock. No other lock is taken under it.
  private let state = GuardedState(State())

  deinit {
    // One after the other: a chain of blocks that is released at once would overflow the stack.
    var next = takeNext()
    while isKnownUniquelyReferenced(&next) { next = next?.takeNext() }
  }

  var count: Int { state.withLock { $0.events.count } }

  /// The events so far, and the next block.
  var contents: (events: [Event], next: EventBlock?) {
    state.withLock { ($0.events, $0.next) }
  }

  /// Keeps `event`.
  ///
  /// - Returns: the block for the event after it.
  func take(_ event: Event) -> EventBlock {
    state.withLock { state in
      state.events.append(event)
      if state.events.count < Self.capacity { return self }
      let next = EventBlock()
      state.next = next
      return next
    }
  }

  private func takeNext() -> EventBlock? {
    state.withLock { state in
      let next = state.next
      state.next = nil
      return next
    }
  }
}
