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
    /// Whether what setters say of this key until the end is part of this change: one of some elements, and
    /// one that the setter of an override makes.
    var covers: Bool
    /// The callback that a change which covers others was begun in; nil for other changes.
    ///
    /// What an observer sets that is told of the change is no part of it.
    var callback: UnsafeMutablePointer<DeliveryFrame>?
    /// The old values, of the observations that want them.
    var oldValues: [ChangeNotification.OldValue]
  }

  /// As many open changes are remembered; a program that begins more and ends none loses the oldest.
  private static let capacity = 256

  private var open: [OpenChange] = []
  private var brackets = ChangeBrackets()
  /// What setters have begun, as far as nobody had to look at it among `brackets`.
  let setters = OpenSetters()
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

  deinit {
    setters.deallocate()
    names.deallocate()
  }

  /// A number that no change had before.
  func nextChange() -> ChangeID { setters.nextChange() }

  /// Begins a change.
  func begin(_ change: OpenChange, as announced: Change?, at evidence: Evidence) {
    if open.count == Self.capacity, open.removeFirst().covers { setters.coveringCount -= 1 }
    open.append(change)
    if change.covers { setters.coveringCount += 1 }
    if let announced { announce(announced, at: evidence) }
  }

  /// Ends the innermost open change of the key, or nil where there is none.
  func end(address: UInt, key: StringID) -> OpenChange? {
    guard let index = open.lastIndex(where: { $0.address == address && $0.key == key })
    else { return nil }
    let ended = open.remove(at: index)
    if ended.covers { setters.coveringCount -= 1 }
    return ended
  }

  /// Forgets the innermost open change of the key, if it was begun before anybody observed the object.
  func dropUnannounced(_ address: UInt, key: StringID) {
    let last = open.lastIndex { $0.address == address && $0.key == key }
    if let last, !open[last].isAnnounced { open.remove(at: last) }
  }

  /// Whether a change of this key is open that covers what a setter says inside it.
  func isCovered(address: UInt, key: StringID) -> Bool {
    setters.coveringCount > 0
      && open.contains {
        $0.covers && $0.address == address && $0.key == key
          && $0.callback == DeliveryFrame.innermost
      }
  }

  /// Whether a change is open that was begun by itself, not by a setter that keeps the old value.
  var hasOpen: Bool { !open.isEmpty }

  /// Whether such a change of this key is open.
  func isOpen(address: UInt, key: StringID) -> Bool {
    open.contains { $0.address == address && $0.key == key }
  }

  /// The calling thread's setters.
  static var settersOfThisThread: OpenSetters {
    guard let known = kvos_thread_object() else { return current.setters }
    return Unmanaged<ThreadChanges>.fromOpaque(known)._withUnsafeGuaranteedRef { $0.setters }
  }

  /// What the calling thread has named.
  static var namesOfThisThread: ThreadNames {
    guard let known = kvos_thread_object() else { return current.names }
    return Unmanaged<ThreadChanges>.fromOpaque(known)._withUnsafeGuaranteedRef { $0.names }
  }

  /// Announces a change of a setter, or one that was begun before anybody observed the object.
  func announce(_ change: Change, at evidence: Evidence) {
    takeSetters()
    brackets.will(change, scope: RecordingScope.current, at: evidence)
  }

  /// How many changes of `subject` the thread has announced and not ended.
  func openCount(of subject: ObjectID) -> Int {
    setters.count(of: subject) + brackets.openCount(of: subject)
  }

  /// Whether `change` is the innermost that is open, so that its end is in order.
  func isInnermost(_ change: Change) -> Bool {
    takeSetters()
    return brackets.isInnermost(change)
  }

  /// What the second half says about the order of changes.
  func judgeEnd(of change: Change, at evidence: Evidence) -> [Verdict] {
    takeSetters()
    return brackets.did(change, at: evidence)
  }

  /// From here on what setters have begun is judged with the rest.
  private func takeSetters() {
    setters.takeAll { setter in
      let evidence = Evidence(stack: .none, order: setter.order)
      let change = Change(subject: setter.subject, key: setter.key, id: setter.id)
      brackets.will(change, scope: setter.scope, at: evidence)
    }
  }

  /// The place of a call as a stack of one frame.
  func stack(of site: CallSite) -> StackID { names.names(of: site).stack }

  /// What was never ended.
  func endOfThread() -> [Verdict] {
    takeSetters()
    return brackets.close()
  }
}
