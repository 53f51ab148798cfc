internal import KVORecorder
internal import KVOTrace
internal import Synchronization

/// What a loop takes values from.
struct ConsumerOrigin: Hashable, Sendable {
  /// The call that made the sequence.
  var site: StringID
  /// The class of the observed object, or the name of a sequence that observes nothing.
  var subject: StringID
  /// The observed key path, or none.
  var keyPath = StringID.none
  /// Whether an audited scope fails if it leaves a loop waiting.
  ///
  /// Observations that outlive a scope are reported anyway.
  var isJudgedByScopes = false
}

/// The loops that take values from this library's sequences, and since when each of them waits.
///
/// Timeline of a loop: its iterator adds it; the iterator stores a word before it waits, and another one after
/// that, without a lock; the last reference to the iterator removes it.
///
/// State:
/// - `state`, under its own lock: the memory of the entries, and which are unused. Memory is never freed, but
///   used again: there are as many entries as loops existed at one time.
/// - `since` of each entry: atomic, relaxed, because nothing is published with it. Written by the task of
///   the loop only.
final class ConsumerTable: Sendable {
  static let shared = ConsumerTable()

  /// One loop.
  struct Entry: ~Copyable {
    /// When it began to wait, in nanoseconds of `CLOCK_MONOTONIC_COARSE`; 0 if it does not wait.
    let since = Atomic<UInt64>(0)
    /// The complement of its task's address, so that it does not look like a reference; that of 0 for none.
    let task = Atomic<UInt>(~0)
    var description = Waiting()
    /// Distinguishes it from others that used the entry before.
    var number: UInt64 = 0
  }

  /// What is known of a loop.
  struct Waiting: Hashable, Sendable {
    var origin = ConsumerOrigin(site: .none, subject: .none)
    var taskName: String?
    var priority: UInt8 = 0
    var scope: ScopeID?
  }

  /// How many loops wait alike, and since when the first of them does.
  struct Count: Sendable {
    var count = 0
    var since = UInt64.max
  }

  private static let blockCount = 1024

  private struct State: @unchecked Sendable {
    // Sendable: used under the lock only, except for the atomic words of the entries.
    var blocks: [UnsafeMutablePointer<Entry>] = []
    var unused: [UnsafeMutablePointer<Entry>] = []
    var addedCount: UInt64 = 0
  }

  private let state = GuardedState(State())

  /// Adds a loop, which does not wait yet.
  ///
  /// - Returns: the address of its entry, which is valid until it is removed.
  func add(_ description: Waiting) -> UInt {
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
      return UInt(bitPattern: entry)
    }
  }

  /// Removes a loop.
  func remove(_ address: UInt) {
    // Released without the lock.
    let name = state.withLock { state -> String? in
      guard let entry = UnsafeMutablePointer<Entry>(bitPattern: address) else { return nil }
      let name = entry.pointee.description.taskName
      entry.pointee.since.store(0, ordering: .relaxed)
      entry.pointee.description = Waiting()
      entry.pointee.number = 0
      state.unused.append(entry)
      return name
    }
    withExtendedLifetime(name) {}
  }

  /// The loops that wait.
  ///
  /// - Complexity: O(n) in the loops that existed at one time.
  func waiting() -> [Waiting: Count] {
    state.withLock { state in
      var counts: [Waiting: Count] = [:]
      var (latest, count): (Waiting?, Count) = (nil, Count())
      for block in state.blocks {
        for index in 0..<Self.blockCount {
          let entry = block + index
          let since = entry.pointee.since.load(ordering: .relaxed)
          guard since != 0 else { continue }
          // Those of one line mostly follow each other.
          if entry.pointee.description != latest {
            if let latest { counts[latest] = count }
            count = counts[entry.pointee.description] ?? Count()
            latest = entry.pointee.description
          }
          count.count += 1
          count.since = min(count.since, since)
        }
      }
      if let latest { counts[latest] = count }
      return counts
    }
  }

  /// The loops that were made in a scope, are judged by it, and wait in a task that `isWaiting` finds waiting.
  ///
  /// `isWaiting` takes the address of a task, which may have ended meanwhile; it is called without the lock.
  func waiting(in scope: ScopeID, where isWaiting: (UInt) -> Bool) -> [Waiting: Count] {
    struct Candidate: Hashable {
      var number: UInt64
      var since: UInt64
      var task: UInt
      var description: Waiting
    }
    func candidates() -> Set<Candidate> {
      state.withLock { state in
        var found: Set<Candidate> = []
        for block in state.blocks {
          for index in 0..<Self.blockCount {
            let entry = block + index
            let since = entry.pointee.since.load(ordering: .relaxed)
            let description = entry.pointee.description
            guard since != 0, description.scope == scope, description.origin.isJudgedByScopes
            else { continue }
            let task = entry.pointee.task.load(ordering: .relaxed)
            found.insert(
              Candidate(
                number: entry.pointee.number,
                since: since,
                task: task,
                description: description
              )
            )
          }
        }
        return found
      }
    }
    let waiting = candidates().filter { isWaiting(~$0.task) }
    guard !waiting.isEmpty else { return [:] }
    // Those that wait still: until now their tasks existed.
    var counts: [Waiting: Count] = [:]
    for candidate in candidates().intersection(waiting) {
      counts[candidate.description, default: Count()].count += 1
      let since = counts[candidate.description]?.since ?? .max
      counts[candidate.description]?.since = min(since, candidate.since)
    }
    return counts
  }
}
