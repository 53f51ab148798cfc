internal import KVORecorder

/// The values of one observation on their way to several loops, each at its own pace.
final class StreamHub<Element: Sendable>: Sendable {
  /// The result that a loop receives.
  enum Next: Sendable {
    case element(Element)
    /// All values were taken, and there will be no more.
    case finished
    /// There is no value yet; the loop is woken when there is one.
    case nothing
  }

  private struct Loop: Sendable {
    /// The number of the next value, counted from the first value ever.
    var position: Int
    /// The number of the first value that it does not receive, because its task was cancelled before.
    var end = Int.max
    var waking: AsyncStream<Void>.Continuation
  }

  private struct State: Sendable {
    /// The values that are kept, and the number of the first of them.
    var kept: [Element] = []
    var first = 0
    var isFinished = false
    var loops: [Int: Loop] = [:]
    var lastLoop = 0
  }

  // State: `state`, under its own lock. Loops are woken, and values released, without it.
  private let state = GuardedState(State())
  private let limit: Int?

  init(keeping limit: Int?) { self.limit = limit.map { max($0, 1) } }

  /// Adds a value for every loop.
  func yield(_ element: Element) {
    let (loops, dropped) = state.withLock { state -> ([Loop], [Element]) in
      state.kept.append(element)
      var dropped: [Element] = []
      if let limit, state.kept.count > limit {
        let count = state.kept.count - limit
        dropped = Array(state.kept.prefix(count))
        state.kept.removeFirst(count)
        state.first += count
      }
      return (Array(state.loops.values), dropped)
    }
    for loop in loops { loop.waking.yield() }
    withExtendedLifetime(dropped) {}
  }

  /// Ends the values.
  func finish() {
    let loops = state.withLock { state -> [Loop] in
      state.isFinished = true
      return Array(state.loops.values)
    }
    for loop in loops { loop.waking.finish() }
  }

  /// Adds a loop, at the first value that is kept.
  func join(waking: AsyncStream<Void>.Continuation) -> Int {
    let (number, isFinished) = state.withLock { state -> (Int, Bool) in
      state.lastLoop += 1
      state.loops[state.lastLoop] = Loop(position: state.first, waking: waking)
      return (state.lastLoop, state.isFinished)
    }
    if isFinished { waking.finish() }
    return number
  }

  /// Removes a loop.
  func leave(_ number: Int) {
    let gone = state.withLock { $0.loops.removeValue(forKey: number) }
    withExtendedLifetime(gone) {}
  }

  /// Ends a loop after the values that are kept now; a second call does nothing.
  func close(_ number: Int) {
    state.withLock { state in
      guard let loop = state.loops[number], loop.end == .max else { return }
      state.loops[number]?.end = state.first + state.kept.count
    }
  }

  /// The next value of a loop.
  func next(_ number: Int) -> Next {
    state.withLock { state in
      guard let loop = state.loops[number] else { return .finished }
      // It does not receive values that were dropped since.
      let position = max(loop.position, state.first)
      guard position < loop.end else { return .finished }
      guard position < state.first + state.kept.count else {
        return state.isFinished ? .finished : .nothing
      }
      state.loops[number]?.position = position + 1
      return .element(state.kept[position - state.first])
    }
  }
}

/// One loop over a hub's values, which the hub drops together with it.
final class StreamLoop<Element: Sendable>: Sendable {
  private let hub: StreamHub<Element>
  private let number: Int

  init(_ hub: StreamHub<Element>, waking: AsyncStream<Void>.Continuation) {
    self.hub = hub
    number = hub.join(waking: waking)
  }

  deinit { hub.leave(number) }

  func next() -> StreamHub<Element>.Next { hub.next(number) }

  /// Ends it after the values that are kept now.
  func close() { hub.close(number) }
}
