import KVORules
import KVOTrace

/// The threads of a log, each with its open changes, its callbacks and its pending deliveries.
///
/// Complexity: O(1) for finding a thread; memory is bounded by the threads.
struct ThreadTable: Sendable {
  /// One thread.
  struct Thread: Sendable {
    var id: ThreadID?
    var name = StringID.none
    var brackets = ChangeBrackets()
    var callbacks: [Callback] = []
    /// How many outer callbacks it is in that are no longer tracked.
    var forgottenCallbackCount = 0
    var missed = MissedDeliveries()
    /// The registrations to which its open changes were already delivered.
    var early = EarlyDeliveries()
    /// How many of its events were decided by the program.
    var activity = 0
    /// The last event, callbacks aside, that it acted in while a thread had open changes or notifications were owed.
    ///
    /// What it did in a callback that is over does not show that it went on with what is around the callback.
    var lastAct = 0
    /// Whether an exception left the last of its callbacks, or is raised because that did not handle its notification: the
    /// callback is over when the thread goes on.
    var isRaising = false
    /// The time of its newest registration; nil: none, or not stated.
    var registeredAt: UInt64?
    /// Where it made its newest registration.
    var newestSite = StringID.none
    /// How much it had done then.
    var newestActivity = 0
    /// Its index in the list of busy threads; -1: none.
    fileprivate var busyIndex = -1

    /// How many callbacks it is in.
    var depth: Int { forgottenCallbackCount + callbacks.count }

    /// The callback that it is in, if that is a notification before a change.
    var prior: ChangeBrackets.Prior? {
      guard let delivery = callbacks.last?.delivery, delivery.phase == .prior else { return nil }
      return ChangeBrackets.Prior(of: delivery.change)
    }

    /// Whether it has no open changes, and no pending deliveries.
    var isIdle: Bool { brackets.isEmpty && missed.isEmpty }

    mutating func noteRegistration(at site: StringID, _ time: UInt64?) {
      registeredAt = time
      newestSite = site
      newestActivity = activity
    }
  }

  struct Callback: Sendable {
    var delivery: Delivery
    var began: Evidence
    /// The ledger's index of its registration, which does not move while the callback runs; -1: none.
    var slot: Int
    /// The last act of the thread before it.
    var lastAct: Int
  }

  /// The key of events without a thread, which no identifier has.
  private static let unknown = WordTable.none - 1

  private var threads: [Thread] = []
  private var indices = WordTable()
  private var lastWord = WordTable.none
  private var lastIndex = -1
  /// The threads that may have open changes or pending deliveries: the others can be skipped when something ends.
  private(set) var busy: [Int] = []

  var count: Int { threads.count }
  /// Whether any event names a thread.
  private(set) var hasNamed = false

  subscript(index: Int) -> Thread {
    _read { yield threads[index] }
    _modify { yield &threads[index] }
  }

  /// The index of `thread`, which is new if it was not seen before.
  @inline(__always)
  mutating func index(of thread: ThreadID?) -> Int {
    // A thread usually has several events before another one.
    let word = thread?.rawValue ?? Self.unknown
    return word == lastWord ? lastIndex : find(word, thread)
  }

  private mutating func find(_ word: UInt64, _ thread: ThreadID?) -> Int {
    var index = indices.find(word)
    if index < 0 {
      index = threads.count
      threads.append(Thread(id: thread))
      if thread != nil { hasNamed = true }
      indices.set(word, index)
    }
    lastWord = word
    lastIndex = index
    return index
  }

  /// Adds the thread to the list of busy threads or removes it, depending on its state.
  mutating func updateBusy(_ index: Int) {
    let at = threads[index].busyIndex
    // Of changes that were abandoned.
    if threads[index].brackets.isEmpty, !threads[index].early.isEmpty {
      threads[index].early = EarlyDeliveries()
    }
    // Not on the whole thread, which would be copied.
    if threads[index].brackets.isEmpty && threads[index].missed.isEmpty {
      guard at >= 0 else { return }
      let last = busy.removeLast()
      if last != index {
        busy[at] = last
        threads[last].busyIndex = at
      }
      threads[index].busyIndex = -1
    } else if at < 0 {
      threads[index].busyIndex = busy.count
      busy.append(index)
    }
  }

  /// A change of the thread at `index`, which is idle, began and ended, and was delivered.
  mutating func noteWholeChange(_ index: Int) {
    // Both halves of the change, and of the callback.
    threads[index].activity &+= 4
  }

  /// The elements of `indices`, ordered by the numbers of the threads.
  func sorted(_ indices: some Sequence<Int>) -> [Int] {
    indices.sorted { left, right in
      guard let right = threads[right].id else { return false }
      guard let left = threads[left].id else { return true }
      return left.rawValue < right.rawValue
    }
  }
}
