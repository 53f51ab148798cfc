import KVOReplay
private import KVOSystem
import KVOTrace

/// Judges an input on a second thread, while the calling thread reads it.
///
/// Both stages take about as long, because the reader outlines the events (``EventOutline``): most of them then stay in
/// the caches of its processor. They are judged in their order by one ``InputReplay``, as by one
/// thread: the findings are the same.
///
/// - Events are passed on in a ring of batches; whichever thread is faster waits for the other, until there is work
///   for several batches. A batch stays in the ring until it is replaced, so that the reader, which has less to do,
///   frees it.
/// - Names belong to the reader, which adds to them. The judge asks for a copy when it needs one, and the reader
///   provides it between two batches. Ids keep their names, so it does not matter that names were added since.
final class ReplayThread: @unchecked Sendable {
  // Sendable: `replay` is used by the calling thread up to `start()` and after `isDone`, and by the judging thread in
  // between; everything else that changes is guarded by `condition`, or used by the calling thread alone.

  private static let capacity = 64
  /// How many batches there are for a thread that is woken: to wake it takes about as long as a batch.
  private static let wakeCount = capacity / 4
  /// A smaller input is judged in the time that a thread needs to start.
  private static let leastEventCount = 16_384

  private struct Batch {
    var content: LogSource.Content
    /// Of its events, if any.
    var outline: EventOutline
  }

  private var replay: InputReplay
  private let mayStart: Bool
  // Used by the calling thread alone.
  private var isStarted = false
  private var eventCount = 0
  /// Its memory is reused.
  private var spareOutline = EventOutline()

  private let condition = ThreadCondition()
  private var batches: [Batch?] = Array(repeating: nil, count: capacity)
  private var givenCount = 0
  private var judgedCount = 0
  private var hasEnded = false
  private var isAbandoned = false
  private var isDone = false
  private var wantsNames = false
  private var names: TraceNames?

  /// A replay that has seen nothing; `mayStart`: whether it may use a second thread.
  init(_ replay: InputReplay, mayStart: Bool) {
    self.replay = replay
    self.mayStart = mayStart
  }

  // MARK: - The calling thread

  /// Judges `content`, or has it judged.
  func take(_ content: LogSource.Content, names: () -> TraceNames) {
    guard isStarted else {
      replay.take(content, names: names)
      if case .events(let events, _) = content { eventCount += events.count }
      if mayStart, eventCount >= Self.leastEventCount { start() }
      return
    }
    var outline = EventOutline()
    swap(&outline, &spareOutline)
    if case .events(let events, _) = content { outline.update(from: events.span) }
    condition.lock()
    let isFull = givenCount - judgedCount == Self.capacity
    let limit = isFull ? Self.capacity - Self.wakeCount : Self.capacity
    wait(names) { givenCount - judgedCount <= limit }
    // Freed after the lock is released.
    var batch: Batch? = Batch(content: content, outline: outline)
    swap(&batch, &batches[givenCount % Self.capacity])
    givenCount += 1
    if givenCount - judgedCount == Self.wakeCount { condition.broadcast() }
    condition.unlock()
    if let batch { spareOutline = batch.outline }
  }

  /// The input has ended; `reading` describes it.
  ///
  /// - Returns: the result, when all of it is judged.
  func finish(_ reading: LogReading, label: String) -> InputReplay.Outcome {
    end { reading.names }
    return replay.finish(reading, label: label)
  }

  /// The input cannot be read on, and has no result.
  func abandon() {
    end { nil }
  }

  /// Returns when all batches are judged, or, without `names`, abandoned.
  private func end(_ names: () -> TraceNames?) {
    guard isStarted else { return }
    condition.lock()
    hasEnded = true
    isAbandoned = names() == nil
    condition.broadcast()
    wait(names) { isDone }
    condition.unlock()
  }

  /// Waits until `isMet`, and provides names meanwhile, under the lock.
  private func wait(_ names: () -> TraceNames?, until isMet: () -> Bool) {
    while true {
      if wantsNames, let names = names() {
        self.names = names
        wantsNames = false
        condition.broadcast()
      }
      if isMet() { return }
      condition.wait()
    }
  }

  private func start() {
    // As much stack as the calling thread usually has. Without another thread this one judges.
    isStarted = ThreadCondition.detach(stackByteCount: 8 << 20) { self.judgeAll() }
  }

  // MARK: - The judging thread

  private func judgeAll() {
    while let batch = nextBatch() {
      replay.take(batch.content, outline: batch.outline) { self.requestNames() }
      condition.withLock {
        judgedCount += 1
        if givenCount - judgedCount == Self.capacity - Self.wakeCount { condition.broadcast() }
      }
    }
    condition.withLock {
      isDone = true
      condition.broadcast()
    }
  }

  /// The next batch, when it is there; nil after the last one.
  private func nextBatch() -> Batch? {
    condition.withLock {
      if givenCount == judgedCount {
        while givenCount - judgedCount < Self.wakeCount, !hasEnded { condition.wait() }
      }
      return givenCount == judgedCount ? nil : batches[judgedCount % Self.capacity]
    }
  }

  /// A copy of the names; nil if the input was abandoned.
  private func requestNames() -> TraceNames? {
    condition.withLock {
      wantsNames = true
      condition.broadcast()
      while names == nil, !isAbandoned { condition.wait() }
      defer { names = nil }
      return names
    }
  }
}
