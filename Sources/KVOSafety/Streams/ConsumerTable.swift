internal import KVORecorder
internal import KVOTrace
internal import Synchronization

/// The consumers of this process, and since when each of them waits.
///
/// Timeline of a consumer: its ``ConsumerLife`` adds it; stores a word before it waits, and another one after that,
/// without a lock; and removes it when the last reference to the iterator or the continuation is released.
///
/// State:
/// - `state`, under its own lock: the memory of the entries, and which are unused. Memory is never freed, but
///   used again: there are as many entries as consumers existed at one time.
/// - `since` and `task` of each entry: atomic, relaxed, because nothing is published with them. Written by the task of
///   the consumer only.
final class ConsumerTable: Sendable {
  static let shared: ConsumerTable = {
    Recorder.shared.atExit { KVO.recordParked() }
    return ConsumerTable()
  }()

  /// One consumer.
  struct Entry: ~Copyable {
    /// When it began to wait, in nanoseconds of `CLOCK_MONOTONIC_COARSE`; 0 if it does not wait.
    let since = Atomic<UInt64>(0)
    /// The complement of its task's address, so that it does not look like a reference; that of 0 for none.
    let task = Atomic<UInt>(~0)
    var description = Waiting()
    /// Distinguishes it from others that used the entry before; its id in the log.
    var number: UInt64 = 0
    /// The observation whose values it takes.
    var registration: RegistrationID?
    /// What can resume it, if that is known.
    var source: ConsumerSource?

    /// How the log describes it.
    var consumer: Consumer {
      Consumer(
        id: ConsumerID(number),
        form: description.origin.form,
        awaited: description.origin.awaited,
        site: description.origin.site,
        registration: registration,
        task: description.taskName.map { Recorder.shared.id(of: $0) } ?? .none,
        priority: description.priority == 0 ? nil : Int(description.priority),
        expectedToLive: description.origin.expectedToLive
      )
    }
  }

  /// What is known of a consumer.
  struct Waiting: Hashable, Sendable {
    var origin = ConsumerOrigin(site: .none, awaited: .none)
    var taskName: String?
    var priority: UInt8 = 0
    var scope: ScopeID?
  }

  /// How many consumers wait alike, and since when the first of them does.
  struct Count: Sendable {
    var count = 0
    var orphanedCount = 0
    var since = UInt64.max

    mutating func add(since: UInt64, isOrphaned: Bool) {
      count += 1
      if isOrphaned { orphanedCount += 1 }
      self.since = min(self.since, since)
    }
  }

  /// One consumer that waits.
  struct Parked: Sendable {
    var consumer: Consumer
    var description: Waiting
    /// The address of its task.
    var task: UInt
  }

  private static let blockCount = 1024

  private struct State: @unchecked Sendable {
    // Sendable: used under the lock only, except for the atomic words of the entries.
    var blocks: [UnsafeMutablePointer<Entry>] = []
    var unused: [UnsafeMutablePointer<Entry>] = []
    var addedCount: UInt64 = 0

    /// Calls `body` with each entry that waits, and since when.
    func forEachWaiting(_ body: (UnsafeMutablePointer<Entry>, _ since: UInt64) -> Void) {
      for block in blocks {
        for entry in (0..<ConsumerTable.blockCount).lazy.map({ block + $0 }) {
          let since = entry.pointee.since.load(ordering: .relaxed)
          if since != 0 { body(entry, since) }
        }
      }
    }
  }

  private let state = GuardedState(State())

  /// Adds a consumer, which does not wait yet.
  ///
  /// - Returns: the address of its entry, which is valid until it is removed.
  func add(
    _ description: Waiting,
    registration: RegistrationID? = nil,
    source: ConsumerSource? = nil
  ) -> UInt {
    state.withLock { state in
      if state.unused.isEmpty {
        let block = UnsafeMutablePointer<Entry>.allocate(capacity: Self.blockCount)
        for index in 0..<Self.blockCount { (block + index).initialize(to: Entry()) }
        state.blocks.append(block)
        state.unused = (0..<Self.blockCount).reversed().map { block + $0 }
      }
      let entry = state.unused.removeLast()
      state.addedCount += 1
      entry.pointee.description = description
      entry.pointee.number = state.addedCount
      entry.pointee.registration = registration
      entry.pointee.source = source
      return UInt(bitPattern: entry)
    }
  }

  /// Removes a consumer.
  ///
  /// - Returns: its id.
  @discardableResult
  func remove(_ address: UInt) -> ConsumerID {
    // Released without the lock.
    let removed = state.withLock { state -> (UInt64, String?, ConsumerSource?) in
      guard let entry = UnsafeMutablePointer<Entry>(bitPattern: address) else {
        return (0, nil, nil)
      }
      let removed = (entry.pointee.number, entry.pointee.description.taskName, entry.pointee.source)
      entry.pointee.since.store(0, ordering: .relaxed)
      entry.pointee.description = Waiting()
      entry.pointee.number = 0
      entry.pointee.source = nil
      state.unused.append(entry)
      return removed
    }
    return ConsumerID(removed.0)
  }

  /// How many consumers wait, by what is known of them.
  ///
  /// - Complexity: O(n) in the consumers that existed at one time.
  func waiting() -> [Waiting: Count] {
    state.withLock { state in
      var counts: [Waiting: Count] = [:]
      var (latest, count): (Waiting?, Count) = (nil, Count())
      state.forEachWaiting { entry, since in
        // Those of one line mostly follow each other.
        if entry.pointee.description != latest {
          if let latest { counts[latest] = count }
          count = counts[entry.pointee.description] ?? Count()
          latest = entry.pointee.description
        }
        count.add(since: since, isOrphaned: entry.pointee.source?.isGone == true)
      }
      if let latest { counts[latest] = count }
      return counts
    }
  }

  /// Each consumer that waits and for which `isIncluded` is true.
  ///
  /// - Complexity: as that of ``waiting()``.
  func parked(where isIncluded: (Waiting) -> Bool = { _ in true }) -> [Parked] {
    state.withLock { state in
      var parked: [Parked] = []
      state.forEachWaiting { entry, since in
        guard isIncluded(entry.pointee.description) else { return }
        var consumer = entry.pointee.consumer
        consumer.since = since
        consumer.isOrphaned = entry.pointee.source?.isGone == true
        parked.append(
          Parked(
            consumer: consumer,
            description: entry.pointee.description,
            task: ~entry.pointee.task.load(ordering: .relaxed)
          )
        )
      }
      return parked
    }
  }

  /// The consumers that began in a scope, are judged by it, and wait in a task that `isWaiting` finds waiting.
  ///
  /// `isWaiting` takes the address of a task, which may have ended meanwhile; it is called without the lock.
  func parked(in scope: ScopeID, where isWaiting: (UInt) -> Bool) -> [Parked] {
    func candidates() -> [Parked] {
      parked { $0.scope == scope && $0.origin.isJudgedByScopes }
    }
    let waiting = candidates().filter { isWaiting($0.task) }
    guard !waiting.isEmpty else { return [] }
    // One that has been resumed meanwhile may have waited for something else when its task was looked at.
    let still = Set(candidates().map(\.consumer))
    return waiting.filter { still.contains($0.consumer) }
  }
}
