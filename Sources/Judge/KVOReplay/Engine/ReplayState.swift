import KVORules
import KVOTrace

/// The state of a log as far as it was read: the facts that all rule families use.
///
/// The engine owns it and lends it to one family at a time, which appends its verdicts. State that only one family
/// needs is kept by that family.
struct ReplayState: Sendable {
  /// The deallocation of an object.
  struct Deallocation: Sendable {
    var began: Evidence
    /// Where other threads found the object being deallocated, ran its isolated deinit, or released it if the first one
    /// found that.
    var others: [Evidence] = []
    var isOver = false

    /// Whether one of its beginnings is on `thread`.
    func isOn(_ thread: ThreadID?) -> Bool {
      began.thread == thread || others.contains { $0.thread == thread }
    }
  }

  /// Properties of a registration in addition to the ledger's.
  struct Origin: Sendable {
    var scope: ScopeID?
    /// How much its thread had done when it was made.
    var activity: Int
    /// How many classes of objects had changed by then.
    var classChangeCount: Int
    /// Whether a `live` line lists it.
    var isListed: Bool
  }

  /// Kinds of events that rules require.
  struct Need: OptionSet, Sendable {
    let rawValue: UInt16
    static let change = Need(rawValue: 1)
    static let scopeEnd = Need(rawValue: 2)
    static let callbackEnd = Need(rawValue: 4)
    static let callback = Need(rawValue: 8)
    static let prior = Need(rawValue: 16)
    static let write = Need(rawValue: 32)
    static let attachment = Need(rawValue: 64)
    static let site = Need(rawValue: 128)
    static let reference = Need(rawValue: 256)
    /// An executor that callbacks are expected on.
    static let expectedExecutor = Need(rawValue: 512)
    /// An executor that a callback of such a registration ran on.
    static let executor = Need(rawValue: 1_024)
    static let lock = Need(rawValue: 2_048)
    static let declaration = Need(rawValue: 4_096)
    static let classChange = Need(rawValue: 8_192)
    static let additionEnd = Need(rawValue: 16_384)
  }

  let requestedProfile: Profile?
  private(set) var process: ProcessInfo?
  /// Whether the judged runtime would have notified other observers than those in the log.
  ///
  /// Stored because every change needs it.
  private(set) var notifiesOthers = false
  var ledger: RegistrationLedger
  /// The indices of the observed objects in the ledger.
  var subjects = WordTable()
  /// One for each slot of the ledger.
  var origins: [Origin] = []
  /// The greatest orders of the events of objects that are not in the ledger; the oldest are dropped.
  var unobservedOrders = BoundedMap<ObjectTag, UInt64>(capacity: 4_096)
  var threads = ThreadTable()
  /// Where the deallocation of an object began; the oldest are dropped.
  var deallocations = BoundedMap<ObjectTag, Deallocation>(capacity: 4_096)
  var dependencies = KeyDependencies()
  private(set) var classNames = ClassNames()
  /// How many changes of the classes of objects there were.
  var classChangeCount = 0
  var unsaid = Unsaid()
  var losses = Losses()
  /// Which objects were recorded, if not all; see `Sampling`.
  private(set) var sampling: Sampling?
  var seen: Need = []
  /// The rules that may have had more to judge when the log ended.
  var cutRules: Set<RuleCode> = []
  /// Whether a family may be waiting for the next events of threads.
  var hasOpenEnds = false
  /// How many threads have a callback that raises; see `ThreadTable.Thread`.
  var raisingThreadCount = 0
  var hasEnded = false
  /// The index of the thread that ended the process; nil: none, or not stated.
  var exitingThread: Int?
  var hasCrashed = false
  /// Whether nothing happened since the crash that was recorded last: an exit is its end.
  var isCrashing = false
  /// How many events named a registration that was never added, or added one twice.
  var contradictionCount = 0
  /// Verdicts that have not been passed on yet.
  var verdicts: [Verdict] = []

  init(profile: Profile?, historyCapacity: Int) {
    requestedProfile = profile
    ledger = RegistrationLedger(historyCapacity: historyCapacity)
    updateProfile()
  }

  /// The profile that the log was recorded under.
  var recordedProfile: Profile { Profile(recordedOn: process?.runtime) }
  /// The profile that is judged.
  var profile: Profile { requestedProfile ?? recordedProfile }
  /// Whether matching is repeated for another runtime than the recorded one.
  var rematches: Bool { requestedProfile != nil && requestedProfile != recordedProfile }
  /// The first event that reported missing events.
  var droppedAt: Int? { losses.first }
  /// Whether the log may lack declarations of classes, and registrations that later events end.
  var mayLackBeginnings: Bool {
    losses.first != nil || process?.isComplete == false || sampling != nil
  }

  /// The description of the process; a second one only changes the judged profile.
  mutating func begin(_ info: ProcessInfo) {
    // Subjects are not re-judged by a later process line.
    if process == nil {
      process = info
      if let share = info.sampledShare {
        sampling = Sampling(share: UInt64(max(share, 0)), since: nil)
      }
    }
    updateProfile()
  }

  mutating func learn(_ classes: [StringID: StringID]) {
    for (name, className) in classes {
      classNames.learn(name, of: className)
      if name != className { dependencies.rename(name, to: className) }
    }
  }

  /// From `evidence` on the recorder leaves out the objects that are not in the sample of `share`.
  ///
  /// - Returns: whether events of objects are missing from here on that the log has until here.
  mutating func sample(_ share: UInt64, at evidence: Evidence) -> Bool {
    let before = sampling?.sample.share ?? ObjectSample.all
    guard share < before else { return false }
    sampling = Sampling(share: share, since: evidence.event)
    return true
  }

  private mutating func updateProfile() {
    notifiesOthers = MatchingSemantics(profile) != MatchingSemantics(recordedProfile)
  }

  /// The event's thread did something by decision of the program.
  @inline(__always)
  mutating func act(_ target: EventTarget) { threads[target.thread].activity &+= 1 }

  /// The last act of `thread` if another thread ended the process, possibly before it could go on; otherwise later than
  /// every event.
  func lastAct(of thread: Int) -> Int {
    guard hasEnded, let exitingThread, exitingThread != thread else { return .max }
    return threads[thread].lastAct
  }

  /// How many callbacks a thread is in at the end of the log; none if the log does not show it.
  func depthAtEnd(of thread: Int) -> Int { saysDepth ? threads[thread].depth : 0 }

  /// Whether the log may show how deep a thread is in callbacks, as far as it has been read: a log that has no ends of any
  /// kind does not.
  var saysDepth: Bool { !seen.isDisjoint(with: [.callbackEnd, .additionEnd]) }

  /// The evidence of a deallocation: the stack and the thread of its beginning if its end does not state them.
  func evidenceOfDeallocation(_ object: ObjectID, _ evidence: Evidence) -> Evidence {
    guard let began = deallocations[object]?.began else { return evidence }
    var copy = evidence
    if copy.stack == .none { copy.stack = began.stack }
    if copy.thread == nil { copy.thread = began.thread }
    return copy
  }

  /// Whether the deallocation of the observer of the registration at `slot` has begun.
  @inline(__always)
  func isObserverDeallocated(_ slot: Int) -> Bool {
    guard !deallocations.isEmpty, let observer = ledger.slots[slot].registration.observer else {
      return false
    }
    return deallocations[observer.id] != nil
  }

  /// Whether nothing is delivered to the registration at `slot` because its observer is being deallocated.
  ///
  /// A token does not end with an observer that the log may name for it.
  func isSilencedByDeallocation(_ slot: Int) -> Bool {
    ledger.slots[slot].registration.form != .token && isObserverDeallocated(slot)
  }

  /// Reports changes that lack a half, unless that half may be among the lost events.
  mutating func reportUnbalanced(_ found: [Verdict]) {
    // Appending nothing to nothing would allocate.
    if droppedAt == nil, !found.isEmpty { verdicts += found }
  }

  /// The tokens of live registrations.
  ///
  /// Complexity: O(registrations).
  var liveTokens: Set<ObjectID> {
    Set(
      ledger.slots.indices.lazy.filter { ledger.isLive($0) }
        .compactMap { ledger.slots[$0].registration.token?.id }
    )
  }
}
