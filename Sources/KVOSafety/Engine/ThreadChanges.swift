internal import CKVOUnwind
internal import KVORecorder
internal import KVORules
internal import KVOTrace

/// The changes that the calling thread has begun and not yet ended, and what it has named before.
///
/// Belongs to one thread, and is never touched by another; it goes when the thread ends, and says
/// then which changes were never ended (KVO012).
final class ThreadChanges {
  /// A change between its two halves.
  struct OpenChange {
    /// Where the object is.
    ///
    /// An object has no number before it is observed.
    var address: UInt
    var key: StringID
    var id: ChangeID?
    /// Whether the first half is in the log: not while nobody observes the object.
    var isAnnounced: Bool
    var site: CallSite
    var extent: ChangeExtent
    /// The old values, of the observations that want them.
    var oldValues: [ChangeNotification.OldValue]
  }

  /// As many open changes are remembered; a program that begins more and ends none loses the oldest.
  private static let capacity = 256

  private var open: [OpenChange] = []
  /// How many of them concern some elements of a collection.
  private var partialCount = 0
  private var brackets = ChangeBrackets()
  private var numbers: Range<UInt64> = 0..<0
  /// What was named before: naming a call site or a key path anew costs more than what is done there.
  let names = ThreadNames()

  /// The calling thread's, if it has begun any change.
  static var ofThisThread: ThreadChanges? {
    kvos_thread_object().map { Unmanaged<ThreadChanges>.fromOpaque($0).takeUnretainedValue() }
  }

  /// The calling thread's.
  static var current: ThreadChanges {
    if let known = ofThisThread { return known }
    let changes = ThreadChanges()
    kvos_set_thread_object(Unmanaged.passRetained(changes).toOpaque()) { pointer in
      let changes = Unmanaged<ThreadChanges>.fromOpaque(pointer).takeRetainedValue()
      LiveMonitor.shared.report(changes.endOfThread())
    }
    return changes
  }

  /// A number that no change had before.
  ///
  /// Taken in blocks, so that threads do not meet at one counter.
  func nextChange() -> ChangeID {
    if numbers.isEmpty { numbers = ObjectTable.shared.nextChangeNumbers(count: 256) }
    defer { numbers = (numbers.lowerBound + 1)..<numbers.upperBound }
    return ChangeID(numbers.lowerBound)
  }

  /// Begins a change.
  func begin(_ change: OpenChange, as announced: Change?, at evidence: Evidence) {
    if open.count == Self.capacity, open.removeFirst().extent.isPartial { partialCount -= 1 }
    open.append(change)
    if change.extent.isPartial { partialCount += 1 }
    if let announced { announce(announced, at: evidence) }
  }

  /// Ends the innermost open change of the key, or nil where there is none.
  func end(address: UInt, key: StringID) -> OpenChange? {
    guard let index = open.lastIndex(where: { $0.address == address && $0.key == key })
    else { return nil }
    let ended = open.remove(at: index)
    if ended.extent.isPartial { partialCount -= 1 }
    return ended
  }

  /// Whether a change of some elements of this key is open: what its setter says inside it is part of
  /// that change.
  func isCovered(address: UInt, key: StringID) -> Bool {
    partialCount > 0
      && open.contains { $0.extent.isPartial && $0.address == address && $0.key == key }
  }

  /// Announces a change of a setter, or one that was begun before anybody observed the object.
  func announce(_ change: Change, at evidence: Evidence) {
    brackets.will(change, scope: RecordingScope.current, at: evidence)
  }

  /// What the second half says about the order of changes.
  func judgeEnd(of change: Change, at evidence: Evidence) -> [Verdict] {
    brackets.did(change, at: evidence)
  }

  /// The place of a call as a stack of one frame.
  func stack(of site: CallSite) -> StackID { names.names(of: site).stack }

  /// What was never ended.
  func endOfThread() -> [Verdict] { brackets.close() }
}
