internal import CKVOUnwind
internal import KVORecorder
internal import KVORules
internal import KVOTrace

/// The changes that the calling thread has begun and not yet ended.
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
    /// The old values, of the observations that want them.
    var oldValues: [RegistrationID: Any]
  }

  /// As many open changes are remembered; a program that begins more and ends none loses the oldest.
  private static let capacity = 256

  private var open: [OpenChange] = []
  private var brackets = ChangeBrackets()
  /// The stacks of call sites seen before: naming one anew costs more than the change.
  private var stacks: [CallSite: StackID] = [:]

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

  /// Begins a change.
  func begin(_ change: OpenChange, as announced: Change?, at evidence: Evidence) {
    if open.count == Self.capacity { open.removeFirst() }
    open.append(change)
    if let announced { brackets.will(announced, scope: RecordingScope.current, at: evidence) }
  }

  /// Ends the innermost open change of the key, or nil where there is none.
  func end(address: UInt, key: StringID) -> OpenChange? {
    guard let index = open.lastIndex(where: { $0.address == address && $0.key == key })
    else { return nil }
    return open.remove(at: index)
  }

  /// Announces a change that was begun before anybody observed the object.
  func announce(_ change: Change, at evidence: Evidence) {
    brackets.will(change, scope: RecordingScope.current, at: evidence)
  }

  /// What the second half says about the order of changes.
  func judgeEnd(of change: Change, at evidence: Evidence) -> [Verdict] {
    brackets.did(change, at: evidence)
  }

  /// The place of a call as a stack of one frame.
  func stack(of site: CallSite) -> StackID {
    if let known = stacks[site] { return known }
    let stack = site.stack
    stacks[site] = stack
    return stack
  }

  /// What was never ended.
  func endOfThread() -> [Verdict] { brackets.close() }
}
