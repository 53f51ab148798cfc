import KVORules
import KVOTrace

/// The notifications before a change that have not been followed by the one after it (KVO013).
///
/// The promise is broken when the deliveries of the change are over, or when the change can no longer end. A
/// registration that ends removes its promises.
///
/// Complexity: O(open promises) for every input; their number is bounded.
struct PriorPromises: Sendable {
  struct Promise: Sendable {
    /// The registration, in the ledger.
    var slot: Int
    var thread: Int
    /// The number of the change, as stated by the notification.
    var id: ChangeID?
    /// The change itself, if it is open.
    var change: Change?
    /// The thread of the change, which may be another one.
    var changeThread: Int
    var began: Evidence?
    var notified: Evidence
    /// Where the change was made.
    var made: Evidence?
    /// How many callbacks the thread was in.
    var depth: Int
  }

  private static let capacity = 256

  private var promises: [Promise] = []

  var isEmpty: Bool { promises.isEmpty }
  /// Whether a change was made of which a notification is owed.
  var hasMade: Bool { promises.contains { $0.made != nil } }

  /// Beyond the capacity the oldest promise is no longer judged.
  ///
  /// A runtime may notify of one change twice in advance, but once afterwards.
  mutating func add(_ promise: Promise) {
    let isKnown =
      promise.id != nil && promises.contains { $0.slot == promise.slot && $0.id == promise.id }
    if isKnown { return }
    if promises.count == Self.capacity { promises.removeFirst() }
    promises.append(promise)
  }

  /// A callback after the change with the number `id`, or one without a number.
  ///
  /// - Returns: whether it was promised.
  mutating func keep(_ slot: Int, _ id: ChangeID?) -> Bool {
    let kept = promises.lastIndex {
      $0.slot == slot && (id == nil || $0.id == nil || $0.id == id)
    }
    guard let kept else { return false }
    promises.remove(at: kept)
    return true
  }

  /// A change was made by `thread`, inside `depth` callbacks.
  ///
  /// The notifications before it are over, also those of other observers that a promise was made inside of, in a log that
  /// does not record ends.
  mutating func made(_ change: Change, on thread: Int, depth: Int, at evidence: Evidence) {
    for index in promises.indices where Self.isOf(change, promises[index], thread) {
      promises[index].made = evidence
      if promises[index].thread == thread {
        promises[index].depth = min(promises[index].depth, depth)
      }
    }
  }

  /// Whether the registration at `slot` was notified that `change` is coming.
  func contains(_ slot: Int, _ change: Change, on thread: Int) -> Bool {
    promises.contains { $0.slot == slot && Self.isOf(change, $0, thread) }
  }

  private static func isOf(_ change: Change, _ promise: Promise, _ thread: Int) -> Bool {
    if let id = promise.id, let other = change.id { return id == other }
    return promise.changeThread == thread
      && promise.change.map { ChangeBrackets.belong($0, change) } ?? false
  }

  /// `thread`, inside `depth` callbacks, continued, or the log ended.
  ///
  /// - Parameters:
  ///   - thread: the thread.
  ///   - depth: how many callbacks it is in.
  ///   - lastAct: the deliveries of changes that were made before this event are over.
  /// - Returns: the promises of changes that were made. They are broken, unless a getter made the thread continue: see
  ///   `RefutableMisses`.
  mutating func conclude(
    on thread: Int,
    depth: Int,
    before lastAct: Int = .max
  ) -> [Promise] {
    take { promise in
      promise.thread == thread && depth <= promise.depth
        && promise.made.map { $0.event < lastAct } == true
    }
  }

  /// Changes of `thread` were abandoned: those that are not among its open ones never end.
  mutating func giveUp(on thread: Int, _ open: ChangeBrackets) -> [Promise] {
    take { promise in
      promise.changeThread == thread && promise.made == nil
        && promise.change.map { !open.isOpen($0) } ?? false
    }
  }

  /// Whether the registration at `slot` is owed a notification by a thread that the log does not name, which may have
  /// gone on.
  func isOwedWithoutThread(_ slot: Int) -> Bool {
    promises.contains { $0.slot == slot && $0.made != nil && $0.notified.thread == nil }
  }

  /// The registration at `slot` ended.
  mutating func excuse(_ slot: Int) { promises.removeAll { $0.slot == slot } }

  private mutating func take(_ isBroken: (Promise) -> Bool) -> [Promise] {
    let broken = promises.filter(isBroken)
    if !broken.isEmpty { promises.removeAll(where: isBroken) }
    return broken
  }
}
