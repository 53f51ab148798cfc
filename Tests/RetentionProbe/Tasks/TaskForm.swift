import KVORetention
import Synchronization

/// A screen that takes values in a task, as applications have it.
final class TaskScreen: @unchecked Sendable {
  // Sendable: each is used by one form, which waits for its tasks.
  var seen = 0
  var task: Task<Void, Never>?
  var tasks: [Task<Void, Never>] = []
  var named: [String: Task<Void, Never>] = [:]
  var action: (@Sendable () async -> Void)?
  var later: (() -> Void)?
  let feed: Feed

  init(_ feed: Feed) { self.feed = feed }

  func show(_ value: Int) {
    seen += value
    feed.noteShown()
  }
}

/// Where values come from: it outlives the screens, as a server connection does.
final class Feed: Sendable {
  private struct State {
    var streams: [AsyncStream<Int>.Continuation] = []
    var throwing: [AsyncThrowingStream<Int, any Error>.Continuation] = []
    var waiting: [UnsafeContinuation<Void, Never>] = []
    var tasks: [Task<Void, Never>] = []
    var isFinished = false
    /// How many values screens have shown, and who waits for how many.
    var shownCount = 0
    var watchers: [(count: Int, continuation: UnsafeContinuation<Void, Never>)] = []

    /// Removes and returns those who wait for no more than were shown.
    mutating func reached() -> [UnsafeContinuation<Void, Never>] {
      let reached = watchers.filter { $0.count <= shownCount }.map(\.continuation)
      watchers.removeAll { $0.count <= shownCount }
      return reached
    }
  }

  private let state = Mutex(State())

  /// Waits until screens have shown so many values.
  func untilShown(_ count: Int) async {
    await withUnsafeContinuation { continuation in
      let reached = state.withLock { state in
        state.watchers.append((count, continuation))
        return state.reached()
      }
      for continuation in reached { continuation.resume() }
    }
  }

  func noteShown() {
    let reached = state.withLock { state in
      state.shownCount += 1
      return state.reached()
    }
    for continuation in reached { continuation.resume() }
  }

  /// One value now, and others at some time.
  func values() -> AsyncStream<Int> {
    let (stream, continuation) = AsyncStream.makeStream(of: Int.self)
    continuation.yield(1)
    state.withLock { $0.streams.append(continuation) }
    return stream
  }

  /// Ends a stream at the end of the form.
  func finishLater(_ continuation: AsyncStream<Int>.Continuation) {
    state.withLock { $0.streams.append(continuation) }
  }

  /// The same with an end by an error.
  func throwingValues() -> AsyncThrowingStream<Int, any Error> {
    let (stream, continuation) = AsyncThrowingStream.makeStream(of: Int.self)
    continuation.yield(1)
    state.withLock { $0.throwing.append(continuation) }
    return stream
  }

  /// Waits until the feed ends.
  func end() async {
    await withUnsafeContinuation { continuation in
      let isFinished = state.withLock { state in
        if !state.isFinished { state.waiting.append(continuation) }
        return state.isFinished
      }
      if isFinished { continuation.resume() }
    }
  }

  /// Cancels a task at the end of the form.
  func cancelLater(_ task: Task<Void, Never>) { state.withLock { $0.tasks.append(task) } }

  func finish() {
    let ended = state.withLock { state in
      state.isFinished = true
      let ended = state
      state = State(isFinished: true, shownCount: state.shownCount, watchers: state.watchers)
      return ended
    }
    for stream in ended.streams { stream.finish() }
    for stream in ended.throwing { stream.finish() }
    for continuation in ended.waiting { continuation.resume() }
    for task in ended.tasks { task.cancel() }
  }
}

/// A way in which a task keeps a screen alive, and the same way in which it does not.
///
/// Whether the screen leaks is decided by a weak reference, after all others are released, and never
/// by a search.
struct TaskForm: Sendable, CustomStringConvertible {
  let name: String
  /// The file and the line of the form.
  let file: String
  let line: Int
  /// Whether the screen has its task, so that a search from the screen can find it.
  let isStored: Bool
  private let screen: @Sendable (_ feed: Feed, _ leaks: Bool) -> TaskScreen

  init(
    _ name: String,
    isStored: Bool = true,
    file: String = #fileID,
    line: Int = #line,
    _ mount: @escaping @Sendable (_ screen: TaskScreen, _ feed: Feed, _ leaks: Bool) -> Void
  ) {
    self.name = name
    self.isStored = isStored
    self.file = file.split(separator: "/").last.map(String.init) ?? file
    self.line = line
    screen = { feed, leaks in
      let screen = TaskScreen(feed)
      mount(screen, feed, leaks)
      return screen
    }
  }

  var description: String { name }

  /// What became of one of the two.
  struct Outcome: Sendable {
    var leaks: Bool
    /// The search from the screen, while somebody held it.
    var answer: RetainAnswer
    /// The tasks that hold a screen that leaks.
    var holders: RetainTasks?

    /// The cycles through tasks that hold the screen.
    var drawn: [RetainCycle] {
      answer.taskCycles.filter { cycle in
        cycle.edges.contains { $0.from.className == "TaskScreen" }
      }
    }
    init(_ answer: RetainAnswer, leaks: Bool = false, holders: RetainTasks? = nil) {
      self.answer = answer
      self.leaks = leaks
      self.holders = holders
    }

    /// A cycle that was claimed although the screen was deallocated, or that no end of a task breaks.
    var isWrong: Bool {
      answer.verdict == .cycles || (!leaks && drawn.contains(where: \.isProven))
    }
    /// A leak for which no task was found.
    var isMissed: Bool { leaks && holders?.holders.isEmpty != false }
  }

  private final class Witness: @unchecked Sendable {
    // Sendable: no other code has it.
    weak var screen: TaskScreen?
  }

  private static let patience = 2_000
  private static let pause: UInt64 = 5_000_000

  /// Mounts the screen, searches it, releases it, and checks whether it still exists.
  ///
  /// - Parameters:
  ///   - leaks: whether to try the leaking one of the two.
  ///   - cycles: the search from the screen.
  ///   - tasks: the search for tasks that hold it.
  /// - Returns: whether it still exists, and what the searches found.
  func outcome(
    leaks: Bool,
    cycles: @Sendable (TaskScreen) -> RetainAnswer = { RetainSearch().findCycles(from: $0) },
    tasks: @Sendable (TaskScreen) -> RetainTasks? = { RetainSearch().findTasks(holding: $0) }
  ) async -> Outcome {
    let feed = Feed()
    let witness = Witness()
    let answer = await released(feed, leaks, witness, cycles)
    for _ in 0..<Self.patience where !leaks && witness.screen != nil {
      try? await Task.sleep(nanoseconds: Self.pause)
    }
    let holders = Self.holders(of: witness, tasks)
    let isAlive = witness.screen != nil
    feed.finish()
    return Outcome(answer, leaks: isAlive, holders: holders)
  }

  @inline(never)
  private static func holders(
    of witness: Witness,
    _ tasks: @Sendable (TaskScreen) -> RetainTasks?
  ) -> RetainTasks? {
    witness.screen.flatMap(tasks)
  }

  @inline(never)
  private func released(
    _ feed: Feed,
    _ leaks: Bool,
    _ witness: Witness,
    _ cycles: @Sendable (TaskScreen) -> RetainAnswer
  ) async -> RetainAnswer {
    let screen = screen(feed, leaks)
    witness.screen = screen
    await feed.untilShown(1)
    // The loop goes on to its next value, and waits. Until then, the correct one holds the screen, too: on a busy machine
    // that takes longer.
    try? await Task.sleep(nanoseconds: Self.pause)
    var answer = cycles(screen)
    for _ in 0..<Self.patience / 10 where isStored && Outcome(answer).drawn.isEmpty == leaks {
      try? await Task.sleep(nanoseconds: Self.pause)
      answer = cycles(screen)
    }
    return answer
  }
}
