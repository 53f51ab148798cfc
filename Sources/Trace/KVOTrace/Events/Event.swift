/// One thing that happened in the recorded process.
///
/// Mirrors one line of the JSON Lines form (`Documentation/LogFormat.md`) and one record of the binary form. An event
/// alone implies no verdict: that is the work of the rules.
///
/// Replays move millions of these: the optional numbers are kept without the padding of optionals, and rare, large
/// parts are stored indirectly.
@usableFromInline
package struct Event: Hashable, Sendable {
  // Zero if there is none, so that equal events have equal bytes.
  @usableFromInline var timeWord: UInt64 = 0
  @usableFromInline var orderWord: UInt64 = 0
  @usableFromInline var threadWord = OptionalIdentifier<ThreadTag>(nil)
  @usableFromInline var scopeWord = OptionalIdentifier<ScopeTag>(nil)
  @usableFromInline package var stack: StackID
  @usableFromInline var hasTime = false
  @usableFromInline var hasOrder = false
  @usableFromInline package var body: Body

  /// Nanoseconds on a monotonic clock of the recorded process; nil if the log has none.
  @inlinable package var time: UInt64? {
    get { hasTime ? timeWord : nil }
    set { (timeWord, hasTime) = (newValue ?? 0, newValue != nil) }
  }
  /// Nil if the log does not state it.
  @inlinable package var thread: ThreadID? {
    get { threadWord.value }
    set { threadWord.value = newValue }
  }
  /// The position among the events of one subject, taken inside the critical section that made the event true; nil if
  /// the writer takes none, and line order is used instead.
  @inlinable package var order: UInt64? {
    get { hasOrder ? orderWord : nil }
    set { (orderWord, hasOrder) = (newValue ?? 0, newValue != nil) }
  }
  /// The innermost scope that the thread or task was in.
  @inlinable package var scope: ScopeID? {
    get { scopeWord.value }
    set { scopeWord.value = newValue }
  }

  @inlinable
  package init(
    _ body: Body,
    time: UInt64? = nil,
    thread: ThreadID? = nil,
    order: UInt64? = nil,
    stack: StackID = .none,
    scope: ScopeID? = nil
  ) {
    self.stack = stack
    self.body = body
    self.time = time
    self.thread = thread
    self.order = order
    self.scope = scope
  }

  /// What happened.
  ///
  /// The cases are the event names of the log, one to one.
  @usableFromInline
  package enum Body: Hashable, Sendable {
    /// The recorded process. At most once, in the first line; it may be absent.
    indirect case process(ProcessInfo)
    /// An image was present at the start or was loaded. Precedes every stack with an address in it.
    indirect case module(Module)
    /// The name of the event's thread. May occur at any time, repeatedly.
    case threadName(StringID)
    /// A registration that existed before this log file. Not an addition.
    case live(Registration)
    /// An observation is being added; its ``registerEnd(_:)`` may never come in a killed log.
    case register(Registration)
    /// The registration is in the table. Initial deliveries precede it, and changes may too.
    case registerEnd(RegistrationID)
    /// An add or a removal that was not carried out. Nothing changes; `part` names the refused part of the key path.
    indirect case refused(Registration, reason: RefusalReason, part: StringID)
    /// A removal by name. The registration that it matched, if any, has ended from here on.
    case remove(Removal)
    /// The removal has returned to its caller. It does not mean that it matched.
    case removeEnd(Removal)
    /// A registration ended otherwise. A second one for the same registration has no effect.
    case cancel(RegistrationID, by: CancelCause)
    /// A change begins. Changes nest per thread.
    case willChange(Change)
    /// A change is made. Deliveries of it come before and after this.
    case didChange(Change)
    /// A callback was claimed and begins.
    case notify(Delivery)
    /// A callback returned.
    case notifyEnd(Delivery)
    /// A deep path attaches itself to an intermediate object.
    case attach(Attachment)
    /// A deep path detaches itself from an intermediate object.
    case detach(Attachment)
    /// Deallocation begins: strong references to the object cannot be made from here on.
    case `deinit`(ObjectRef)
    /// Deallocation ended: the id is never used again.
    case deinitEnd(ObjectRef)
    /// The value as a probe saw it. Equal fingerprints mean equal values.
    case write(subject: ObjectRef, key: StringID, fingerprint: StringID)
    /// A reference was created, or was seen in a walk.
    case hold(Reference)
    /// A reference was dropped.
    case drop(Reference)
    /// A walk of the strong references begins: the `hold` events up to its end are one snapshot.
    indirect case walkBegin(roots: [ObjectRef])
    /// The walk ended. `opaque` lists the classes that it could not inspect. `isAsserted`: a test asserts that it finds
    /// no cycle.
    indirect case walkEnd(isComplete: Bool, opaque: [StringID], isAsserted: Bool = false)
    /// The program said that the object should be deallocated, `deadline` on the clock of ``time``.
    case expectDeinit(ObjectRef, deadline: UInt64?)
    /// A scope opens. Scopes of parallel tests overlap.
    case scopeBegin(Scope)
    /// A scope closes.
    case scopeEnd(ScopeID)
    /// A lock that the library holds, or that was reported to it, was taken by the thread.
    case lock(LockID)
    /// The lock was released.
    case unlock(LockID)
    /// The object's class changed. `isKVOSubclass`: to one that a runtime made for observing.
    case classChanged(ObjectRef, to: StringID, isKVOSubclass: Bool)
    /// A class's declaration about a key. May be repeated.
    indirect case declares(KeyDeclaration)
    /// The process is crashing. `live` events of the current registrations may follow.
    case crash(Crash)
    /// Events that could not be recorded. From here on the absence of an event proves nothing.
    case dropped(count: UInt64, why: StringID)
    /// Normal exit of the process.
    case exit(status: Int)
    /// A test states which violations it expects in the event's scope and in those inside it, by the numbers of their
    /// rules. From here on, up to the end of the scope. May be repeated, which adds to the previous ones.
    case expects(rules: [UInt16])
    /// The recorder keeps the files that it has now, up to this event, and says why.
    case keep(StringID)
    /// From here on only the events of some objects are recorded: of those in the ``ObjectSample`` of this share.
    case sample(share: UInt64, why: StringID)
    /// A task begins to take values. It has not waited yet.
    indirect case consumerBegin(Consumer)
    /// A consumer waits: its state when the log was asked for it, at the end of a scope, or at the exit. Not written
    /// each time that it begins to wait. Comes once for each such request; may follow the consumer's end if that came
    /// at the same time, and then means nothing.
    indirect case parked(Consumer)
    /// A consumer ended. A second one for the same continuation: it was resumed again.
    case consumerEnd(ConsumerID, why: Consumer.End)
  }
}
