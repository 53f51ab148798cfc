internal import CKVOIntrinsics
internal import KVORecorder
package import KVOTrace

extension KVO {
  /// Loops over the values of one sequence that wait for the next value, or tasks that wait for continuations of one line.
  public struct ParkedConsumers: Equatable, Sendable {
    /// The source line that made the sequence: `Screen.swift:12`.
    public let site: String
    /// What they wait for: class and key path (`Account.balance`), or the name of the sequence.
    public let awaited: String
    /// The number of loops.
    public let count: Int
    /// How many of them nobody can resume any more, because the other side was released without ending the sequence.
    ///
    /// Known of recorded continuations only.
    public let orphanedCount: Int
    /// How long the first of them has waited, to a few milliseconds.
    public let longest: Duration
    /// The names of those of their tasks that have one, sorted.
    public let taskNames: [String]
    /// The highest priority that their tasks had when the loops began; nil outside of tasks.
    public let priority: TaskPriority?
  }

  /// The loops that wait for a value now, by the line that made their sequence; the largest number first.
  ///
  /// ```swift
  /// for parked in KVO.parked() { print(parked) }
  /// // 1000000 wait for Account.balance, the first for 86400.2 s: Row.swift:20
  /// ```
  ///
  /// Counts the loops over ``ObservedValues``, over ``SharedValues``, over sequences with `noted(as:)` and over streams of
  /// `AsyncStream.recorded(as:)`, and the tasks that wait for a ``RecordedContinuation``. A loop is counted from the
  /// first call of its iterator until the iterator is released; one that was cancelled, until its task has run again.
  /// Other threads may begin or stop waiting in the meantime. Can be called on any thread.
  ///
  /// - Complexity: O(n) in the loops that existed at one time.
  public static func parked() -> [ParkedConsumers] { parked(ConsumerTable.shared.waiting()) }

  /// Writes into the log which consumers wait now, as the process does when it exits.
  ///
  /// `kvo-audit census --parked` counts them by line. Does nothing unless something records. Can be called on any
  /// thread, for example by a timer of a server that is killed one day: a loop that waits writes nothing by itself.
  ///
  /// - Complexity: O(n) in the loops that existed at one time, and an event of about 25 bytes for each that waits.
  public static func recordParked() {
    guard Recorder.shared.isRecording else { return }
    record(ConsumerTable.shared.parked())
  }

  private static func record(_ parked: [ConsumerTable.Parked], isLeft: Bool = false) {
    for parked in parked {
      var consumer = parked.consumer
      consumer.isLeft = isLeft
      Recorder.shared.record(.parked(consumer))
    }
  }

  /// The consumers that an audited scope left waiting and that no rule reports; all are recorded.
  ///
  /// - Parameters:
  ///   - scope: the scope in which they began.
  ///   - isWaiting: whether the task at an address waits; the task may have ended.
  /// - Returns: those that wait, by line.
  package static func parked(
    inScope scope: ScopeID,
    where isWaiting: (UInt) -> Bool
  ) -> [ParkedConsumers] {
    let parked = ConsumerTable.shared.parked(in: scope, where: isWaiting)
    record(parked, isLeft: true)
    var counts: [ConsumerTable.Waiting: ConsumerTable.Count] = [:]
    // The others are reported as KVO041 and KVO043.
    for parked in parked where !parked.consumer.isOrphaned {
      counts[parked.description, default: ConsumerTable.Count()].add(
        since: parked.consumer.since ?? .max,
        isOrphaned: parked.consumer.isOrphaned
      )
    }
    return self.parked(counts)
  }

  private static func parked(
    _ waiting: [ConsumerTable.Waiting: ConsumerTable.Count]
  ) -> [ParkedConsumers] {
    struct Key: Hashable {
      var site: StringID
      var awaited: StringID
    }
    let names = Recorder.shared.names
    let now = kvos_coarse_nanoseconds()
    let groups = Dictionary(grouping: waiting) { entry in
      Key(site: entry.key.origin.site, awaited: entry.key.origin.awaited)
    }
    let parked = groups.map { key, entries in
      let since = entries.map(\.value.since).min() ?? now
      let priority = entries.map(\.key.priority).max() ?? 0
      return ParkedConsumers(
        site: names.site(key.site)?.location ?? "",
        awaited: names[key.awaited],
        count: entries.reduce(0) { $0 + $1.value.count },
        orphanedCount: entries.reduce(0) { $0 + $1.value.orphanedCount },
        longest: .nanoseconds(Int64(clamping: now > since ? now - since : 0)),
        taskNames: Set(entries.compactMap(\.key.taskName)).sorted(),
        priority: priority == 0 ? nil : TaskPriority(rawValue: priority)
      )
    }
    return parked.sorted {
      ($1.count, $0.site, $0.awaited) < ($0.count, $1.site, $1.awaited)
    }
  }
}

extension KVO.ParkedConsumers: CustomStringConvertible {
  /// `3 wait for Account.balance, the first for 12.5 s: Screen.swift:12 (names, prices)`.
  public var description: String {
    let verb = count == 1 ? "waits" : "wait"
    let tenths = Int((longest / .milliseconds(100)).rounded(.down))
    let time = "\(tenths / 10).\(tenths % 10) s"
    let duration = count == 1 ? "for \(time)" : "the first for \(time)"
    let names = taskNames.isEmpty ? "" : " (\(taskNames.joined(separator: ", ")))"
    let orphaned = orphanedCount == 0 ? "" : ", \(orphanedCount) for nobody"
    return "\(count) \(verb) for \(awaited), \(duration)\(orphaned): \(site)\(names)"
  }
}
