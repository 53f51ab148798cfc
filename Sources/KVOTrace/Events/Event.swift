/// One thing that happened in the recorded process.
///
/// Mirrors one line of the JSON Lines form (`Documentation/LogFormat.md`) and one record of the
/// binary form. An event alone says nothing about right and wrong: that is the rules' work.
///
/// Replays move millions of these: the optional numbers are kept without the padding of optionals,
/// and what is rare and large is behind a pointer.
@usableFromInline
package struct Event: Hashable, Sendable {
  // Zero where there is none, so that equal events have equal words.
  @usableFromInline var timeWord: UInt64 = 0
  @usableFromInline var orderWord: UInt64 = 0
  @usableFromInline var threadWord = OptionalIdentifier<ThreadTag>(nil)
  @usableFromInline var scopeWord = OptionalIdentifier<ScopeTag>(nil)
  package var stack: StackID
  @usableFromInline var hasTime = false
  @usableFromInline var hasOrder = false
  package var body: Body

  /// Nanoseconds on a monotonic clock of the recorded process; nil where the log has none.
  @inlinable package var time: UInt64? {
    get { hasTime ? timeWord : nil }
    set { (timeWord, hasTime) = (newValue ?? 0, newValue != nil) }
  }
  /// Nil where the log does not say.
  @inlinable package var thread: ThreadID? {
    get { threadWord.value }
    set { threadWord.value = newValue }
  }
  /// The place among the events of one subject, taken inside the critical section that made the
  /// event true; nil where the writer takes none, and line order stands in.
  @inlinable package var order: UInt64? {
    get { hasOrder ? orderWord : nil }
    set { (orderWord, hasOrder) = (newValue ?? 0, newValue != nil) }
  }
  /// The innermost scope that the thread or task was in.
  @inlinable package var scope: ScopeID? {
    get { scopeWord.value }
    set { scopeWord.value = newValue }
  }

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
  package enum Body: Hashable, Sendable {
    /// The recorded process. At most once, in the first line; it may be absent.
    indirect case process(ProcessInfo)
    /// An image was there at the start or was loaded. Precedes every stack with an address in it.
    indirect case module(Module)
    /// The name of the event's thread. May come at any time, and again.
    case threadName(StringID)
    /// A registration that was there before this part of the log. Not an addition.
    case live(Registration)
    /// An observation is being added; its ``registerEnd(_:)`` may never come in a killed log.
    case register(Registration)
    /// The registration is in the table. Initial deliveries come before it, changes may too.
    case registerEnd(RegistrationID)
    /// An add or a removal that was not carried out. Changes nothing; `part` names the part of the
    /// key path that was refused.
    indirect case refused(Registration, reason: RefusalReason, part: StringID)
    /// A removal by name. What it matched, if anything, is gone from here on.
    case remove(Removal)
    /// The removal has returned to its caller. Does not say that it matched.
    case removeEnd(Removal)
    /// A registration ended otherwise. A second one of the same registration means nothing.
    case cancel(RegistrationID, by: CancelCause)
    /// A change begins. Nests per thread.
    case willChange(Change)
    /// A change is made. Deliveries of it come before and after this.
    case didChange(Change)
    /// A callback was claimed and begins.
    case notify(Delivery)
    /// A callback returned.
    case notifyEnd(Delivery)
    /// A deep path hangs itself on an intermediate object.
    case attach(Attachment)
    /// A deep path hangs itself off an intermediate object.
    case detach(Attachment)
    /// Deallocation begins: strong references to the object cannot be made from here on.
    case `deinit`(ObjectRef)
    /// Deallocation ended: the id is never used again.
    case deinitEnd(ObjectRef)
    /// The value as a probe saw it. Equal fingerprints: equal values.
    case write(subject: ObjectRef, key: StringID, fingerprint: StringID)
    /// A reference came to be, or was seen in a walk.
    case hold(Reference)
    /// A reference was dropped.
    case drop(Reference)
    /// A walk of the strong references begins: the holds up to its end are one picture.
    indirect case walkBegin(roots: [ObjectRef])
    /// The walk ended. `opaque` lists the classes that it could not see into. `isAsserted`: somebody says that
    /// it must not find a cycle.
    indirect case walkEnd(isComplete: Bool, opaque: [StringID], isAsserted: Bool = false)
    /// Somebody said that the object should die, `deadline` on the clock of ``time``.
    case expectDeinit(ObjectRef, deadline: UInt64?)
    /// A scope opens. Scopes of parallel tests overlap.
    case scopeBegin(Scope)
    /// A scope closes.
    case scopeEnd(ScopeID)
    /// A lock that the layer holds, or was told of, was taken by the thread.
    case lock(LockID)
    /// The lock was given back.
    case unlock(LockID)
    /// The object's class changed. `isKVOSubclass`: to one that a runtime made for observing.
    case classChanged(ObjectRef, to: StringID, isKVOSubclass: Bool)
    /// What a class says about a key. May come again.
    indirect case declares(KeyDeclaration)
    /// The process is going down. `live` events of what is registered may follow.
    case crash(Crash)
    /// Events that could not be recorded. From here on the absence of an event proves nothing.
    case dropped(count: UInt64, why: StringID)
    /// Orderly end of the process.
    case exit(status: Int)
    /// A test says which violations are meant in the event's scope and in those inside it, by the numbers
    /// of their rules. From here on, up to the end of the scope. May come again, and adds to what was said.
    case expects(rules: [UInt16])
  }
}

extension Event.Body {
  /// The names of all events, as the log spells them, in the order of the cases.
  package static let names = [
    "process", "module", "threadName", "live", "register", "registerEnd", "refused", "remove",
    "removeEnd", "cancel", "willChange", "didChange", "notify", "notifyEnd", "attach", "detach",
    "deinit", "deinitEnd", "write", "hold", "drop", "walkBegin", "walkEnd", "expectDeinit",
    "scopeBegin", "scopeEnd", "lock", "unlock", "class", "declares", "crash", "dropped", "exit",
    "expects",
  ]

  /// The event's name, as the log spells it.
  package var name: String {
    switch self {
    case .process: "process"
    case .module: "module"
    case .threadName: "threadName"
    case .live: "live"
    case .register: "register"
    case .registerEnd: "registerEnd"
    case .refused: "refused"
    case .remove: "remove"
    case .removeEnd: "removeEnd"
    case .cancel: "cancel"
    case .willChange: "willChange"
    case .didChange: "didChange"
    case .notify: "notify"
    case .notifyEnd: "notifyEnd"
    case .attach: "attach"
    case .detach: "detach"
    case .deinit: "deinit"
    case .deinitEnd: "deinitEnd"
    case .write: "write"
    case .hold: "hold"
    case .drop: "drop"
    case .walkBegin: "walkBegin"
    case .walkEnd: "walkEnd"
    case .expectDeinit: "expectDeinit"
    case .scopeBegin: "scopeBegin"
    case .scopeEnd: "scopeEnd"
    case .lock: "lock"
    case .unlock: "unlock"
    case .classChanged: "class"
    case .declares: "declares"
    case .crash: "crash"
    case .dropped: "dropped"
    case .exit: "exit"
    case .expects: "expects"
    }
  }
}
