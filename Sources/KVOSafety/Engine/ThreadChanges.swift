internal import CKVOUnwind
internal import KVORecorder
internal import KVORules
internal import KVOTrace

/// The changes that the calling thread has begun and not yet ended, and the names that it has interned.
///
/// Belongs to one thread, and is never touched by another; it is destroyed when the thread ends, and then reports the
/// changes that were never ended (KVO012).
final class ThreadChanges {
  /// A change between its two halves.
  ///
  /// An object, because its many words would be copied more than once.
  final class OpenChange {
    /// The address of the object.
    ///
    /// An object has no number before it is observed.
    let address: UInt
    let key: StringID
    let site: CallSite
    let extent: ChangeExtent
    /// What the program called the first half with; nil if the library began the change, which only the library ends.
    let announced: AnnouncedChange?
    /// Whether setter notifications of this key until the end are part of this change, which is a change of some
    /// elements or made by the setter of an override.
    let covers: Bool
    /// For a change that covers others, the callback in which it began; otherwise nil.
    ///
    /// An assignment by an observer that is notified of the change is not part of it.
    let callback: UnsafeMutablePointer<DeliveryFrame>?
    /// How many changes that this one covers were begun by a call and not ended.
    fileprivate var coveredCount = 0
    var id: ChangeID?
    /// Whether the first half is in the log: it is not if the object was not observed.
    var isAnnounced = false
    /// The old values, of the observations that want them.
    var oldValues: [ChangeNotification.OldValue] = []

    init(
      address: UInt,
      key: StringID,
      site: CallSite,
      extent: ChangeExtent,
      announced: AnnouncedChange?,
      covers: Bool
    ) {
      self.address = address
      self.key = key
      self.site = site
      self.extent = extent
      self.announced = announced
      self.covers = covers
      callback = covers ? DeliveryFrame.innermost : nil
    }
  }

  private struct Prior {
    var change: ChangeID?
    var callback: UnsafeMutablePointer<DeliveryFrame>?
  }

  /// The number of open changes that are remembered; if a program begins more and ends none, the oldest are dropped.
  private static let capacity = 256

  // Not checked for overlapping accesses, which costs more than the access: no method calls out during one.
  @exclusivity(unchecked) private var open: [OpenChange] = []
  @exclusivity(unchecked) private var brackets = ChangeBrackets()
  /// The notifications before a change that are under way, each with the callback around it.
  @exclusivity(unchecked) private var priors: [Prior] = []
  /// The changes that setters have begun, until they are moved to `brackets`.
  let setters = OpenSetters()
  /// Interned names: naming a call site or a key path again costs more than the work that is done there.
  let names = ThreadNames()

  /// The calling thread's instance, if it has begun any change.
  static var ofThisThread: ThreadChanges? {
    kvos_thread_object().map { Unmanaged<ThreadChanges>.fromOpaque($0).takeUnretainedValue() }
  }

  /// The calling thread's instance.
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

  /// An unused number for a change.
  func nextChange() -> ChangeID { setters.nextChange() }

  /// Begins a change.
  func begin(_ change: OpenChange, as announced: Change?, at evidence: Evidence) {
    if open.count == Self.capacity, open.removeFirst().covers { setters.coveringCount -= 1 }
    open.append(change)
    if change.covers { setters.coveringCount += 1 }
    if let announced { announce(announced, at: evidence) }
  }

  /// Ends the innermost open change of the key that was announced as `announced`; if there is none, the innermost one
  /// that the program announced; nil if there is none either.
  func end(address: UInt, key: StringID, as announced: AnnouncedChange?) -> OpenChange? {
    var found: Int?
    for index in open.indices.reversed()
    where open[index].address == address && open[index].key == key {
      if open[index].announced == announced {
        found = index
        break
      }
      if found == nil, announced != nil, open[index].announced != nil { found = index }
    }
    guard let found else { return nil }
    let ended = open.remove(at: found)
    if ended.covers { setters.coveringCount -= 1 }
    return ended
  }

  /// Drops the innermost open change of the key, if it was begun before the object was observed.
  func dropUnannounced(_ address: UInt, key: StringID) {
    let last = open.lastIndex { $0.address == address && $0.key == key }
    if let last, !open[last].isAnnounced { open.remove(at: last) }
  }

  /// Whether an open change of this key covers the notifications of a setter inside it.
  func isCovered(address: UInt, key: StringID) -> Bool {
    indexOfCovering(address, key) != nil
  }

  /// The first half of a change, by a call: whether an open change of this key covers it.
  func beginCovered(address: UInt, key: StringID) -> Bool {
    guard let covering = indexOfCovering(address, key) else { return false }
    open[covering].coveredCount += 1
    return true
  }

  /// The second half of such a change.
  ///
  /// If none has begun inside an open change that the program announced, the half is not covered: it belongs to another
  /// change, or ends that one.
  func endCovered(address: UInt, key: StringID) -> Bool {
    guard let covering = indexOfCovering(address, key) else { return false }
    guard open[covering].coveredCount > 0 else { return open[covering].announced == nil }
    open[covering].coveredCount -= 1
    return true
  }

  private func indexOfCovering(_ address: UInt, _ key: StringID) -> Int? {
    guard setters.coveringCount > 0 else { return nil }
    // By index: the closure of `lastIndex` would be passed a reference.
    for index in open.indices.reversed()
    where open[index].covers && open[index].address == address && open[index].key == key {
      if open[index].callback == DeliveryFrame.innermost { return index }
    }
    return nil
  }

  /// Whether a change is open that was begun explicitly, not by a setter that keeps the old value.
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

  /// The calling thread's interned names.
  static var namesOfThisThread: ThreadNames {
    guard let known = kvos_thread_object() else { return current.names }
    return Unmanaged<ThreadChanges>.fromOpaque(known)._withUnsafeGuaranteedRef { $0.names }
  }

  /// Announces a change of a setter, or a change that was begun before the object was observed.
  func announce(_ change: Change, at evidence: Evidence) {
    takeSetters()
    brackets.will(change, scope: RecordingScope.current, inside: innermostPrior, at: evidence)
  }

  /// An observer is about to be notified before a change; ``endPrior()`` follows.
  func beginPrior(of change: ChangeID?) {
    priors.append(Prior(change: change, callback: DeliveryFrame.innermost))
  }

  func endPrior() { priors.removeLast() }

  /// The innermost callback of the thread, if it is a notification before a change.
  private var innermostPrior: ChangeBrackets.Prior? {
    guard let prior = priors.last, let callback = DeliveryFrame.innermost,
      callback.pointee.outer == prior.callback
    else { return nil }
    return ChangeBrackets.Prior(of: prior.change)
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

  /// Verdict of the second half on the order of changes.
  func judgeEnd(of change: Change, at evidence: Evidence) -> [Verdict] {
    takeSetters()
    return brackets.did(change, at: evidence)
  }

  /// From here on, changes begun by setters are judged with the others.
  private func takeSetters() {
    setters.takeAll { setter in
      let evidence = Evidence(stack: .none, order: setter.order)
      let change = Change(subject: setter.subject, key: setter.key, id: setter.id)
      brackets.will(change, scope: setter.scope, at: evidence)
    }
  }

  /// A call site as a stack of one frame.
  func stack(of site: CallSite) -> StackID { names.names(of: site).stack }

  /// The verdicts on changes that were never ended.
  func endOfThread() -> [Verdict] {
    takeSetters()
    return brackets.close()
  }
}
