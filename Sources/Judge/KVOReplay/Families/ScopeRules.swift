import KVORules
import KVOTrace

/// Registrations that outlive scopes or grow from run to run of one (KVO021 and KVO022), and violations that tests
/// expect.
///
/// Needs the brackets of scopes, expectations of tests, additions and ends of registrations, and the exit.
struct ScopeRules: Sendable {
  private var scopes = ScopeTree()
  /// The open scopes by thread; empty if the log states the scope of each event.
  private var openScopes = OpenScopes()
  /// The slots of the registrations whose scope was inferred.
  private var inferredSlots: Set<Int32> = []
  /// The violations that tests expect.
  private var expectations = ScopeExpectedRules()
  private var growth = ScopeGrowth()
  /// The slots of the live registrations that were reported at the end of their scope.
  private var leakedSlots: Set<Int32> = []

  /// Whether any scope was run often enough for growth.
  var hasRuns: Bool { growth.hasRuns }
  /// The registrations that runs of scopes left live, by call site.
  var leftovers: [ScopeLeftovers] { growth.left }
  var growthCount: Int { growth.count }
  /// Whether the log does not state the scopes of events.
  var infers: Bool { !openScopes.isEmpty }
  /// Whether tests expect violations.
  var hasExpectations: Bool { !expectations.isEmpty }

  /// What an open scope is called.
  func name(of scope: ScopeID) -> StringID { scopes.name(of: scope) }

  mutating func begin(_ scope: Scope, _ evidence: Evidence, _ log: inout ReplayState) {
    scopes.begin(scope, at: evidence)
    expectations.begin(scope)
    if log.process?.saysScopes != true { openScopes.begin(scope, on: evidence.thread) }
  }

  mutating func expect(_ rules: [UInt16], in scope: ScopeID) {
    expectations.expect(rules, in: scope)
  }

  /// The scope of `target` uses the objects of the observation that `event` adds or removes.
  mutating func noteObjects(of event: UnsafePointer<Event>, _ target: EventTarget) {
    guard let scope = target.scope else { return }
    switch event.pointee.body {
    case .register(let registration), .refused(let registration, _, _):
      expectations.note(registration.subject.id, in: scope)
      if let observer = registration.observer { expectations.note(observer.id, in: scope) }
    case .remove(let removal):
      expectations.note(removal.subject.id, in: scope)
      if let observer = removal.observer { expectations.note(observer.id, in: scope) }
    default: break
    }
  }

  /// The event of `target` may prove a violation at the end of the log.
  mutating func note(_ target: EventTarget) {
    if hasExpectations, let scope = target.scope { expectations.note(target.event, in: scope) }
  }

  /// A change of `subject` is open at the end of `scope`, in which it began at the event `began`, on a thread without a
  /// scope.
  ///
  /// If it never ends, that is judged at the end of the log, or of the object, and belongs to the scope.
  mutating func noteOpenChange(of subject: ObjectID, began: Int, atEndOf scope: ScopeID) {
    if expectations.usesObject(subject, scope) { expectations.note(began, in: scope) }
  }

  /// Changes that were begun in the scope are open at its end, on other threads, which may still end them.
  ///
  /// If they never end, that is judged at the end of the log, or of the object, and belongs to the scope.
  mutating func noteLeftChanges(_ began: [Evidence], atEndOf scope: ScopeID) {
    if !hasExpectations { return }
    for change in began { expectations.note(change.event, in: scope) }
  }

  // MARK: - Registrations

  /// The registration at `slot` was added.
  mutating func enter(_ slot: Int, _ target: EventTarget) {
    guard let scope = target.scope else { return }
    scopes.enter(slot, in: scope)
    if target.isScopeInferred { inferredSlots.insert(Int32(slot)) }
  }

  /// The registration at `slot` ended.
  @inline(__always)
  mutating func leave(_ slot: Int, _ log: inout ReplayState) {
    if log.ledger.slots[slot].isScoped {
      scopes.leave(slot)
      if !inferredSlots.isEmpty { inferredSlots.remove(Int32(slot)) }
    }
    if !leakedSlots.isEmpty { leakedSlots.remove(Int32(slot)) }
    if !growth.isEmpty { growth.leave(slot) }
  }

  // MARK: - Scopes that are not said

  /// Finds the scope of an event that does not name it.
  mutating func infer(
    of event: UnsafePointer<Event>,
    _ target: inout EventTarget,
    _ log: inout ReplayState
  ) {
    var answer = openScopes.scope(on: event.pointee.thread)
    if case .scope = answer, event.pointee.thread == nil, log.namesSomeThreads {
      answer = .uncertain
    }
    switch answer {
    case .none: break
    case .scope(let scope):
      target.scope = scope
      target.isScopeInferred = true
    case .uncertain:
      switch event.pointee.body {
      case .register, .cancel: if log.unsaid.scope == nil { log.unsaid.scope = target.event }
      default: break
      }
    }
  }

  /// Scopes overlap: which of them a registration was made in is known only if the log states it.
  private mutating func forgetInferred(_ log: inout ReplayState) {
    var first: Int?
    for slot in inferredSlots.map(Int.init)
    where log.ledger.isLive(slot) && log.ledger.slots[slot].isScoped {
      scopes.leave(slot)
      log.ledger.unmarkScoped(slot)
      // The set has no order, and a report must be the same in each run.
      let event = log.ledger.slots[slot].registered.event
      first = min(first ?? event, event)
    }
    if log.unsaid.scope == nil { log.unsaid.scope = first }
    inferredSlots = []
  }

  // MARK: - KVO021

  /// A scope ends; the changes that were begun in it follow.
  ///
  /// - Returns: where it was opened.
  mutating func close(_ scope: ScopeID, _ log: inout ReplayState) -> Evidence? {
    if !openScopes.isEmpty, openScopes.end(scope) { forgetInferred(&log) }
    log.seen.insert(.scopeEnd)
    return scopes.opened(scope)
  }

  /// A scope has ended: its registrations must have ended.
  mutating func end(_ scope: ScopeID, _ evidence: Evidence, _ log: inout ReplayState) {
    let ended = scopes.end(scope)
    let left = ended.members.filter { Self.isLeft($0, log) }.map { ($0, log.ledger.slots[$0]) }
    let doubtful = Set(left.map(\.0).filter { isDoubtful($0, log) })
    growth.end(ended.name, left, at: evidence, log.classNames, doubtful: doubtful)
    guard log.droppedAt == nil else { return }
    judgeLeaks(ended.members, name: ended.name, at: evidence, opened: ended.opened, &log)
  }

  /// The process exits normally: all registrations must have ended.
  mutating func exit(_ evidence: Evidence, _ log: inout ReplayState) {
    guard log.droppedAt == nil else { return }
    let live = log.ledger.slots.indices.filter { log.ledger.isLive($0) }
    judgeLeaks(live, name: .none, at: evidence, opened: nil, &log)
  }

  /// Whether the registration at `slot` is live, and its token is not being deallocated.
  private static func isLeft(_ slot: Int, _ log: ReplayState) -> Bool {
    guard log.ledger.isLive(slot) else { return false }
    guard !log.deallocations.isEmpty, let token = log.ledger.slots[slot].registration.token else {
      return true
    }
    return log.deallocations[token.id] == nil
  }

  /// Whether the registration at `slot` may have ended instead of an equal one, or may not have been made in the scope:
  /// lines that state neither their scope nor their thread may be of several threads.
  private func isDoubtful(_ slot: Int, _ log: ReplayState) -> Bool {
    log.ledger.slots[slot].isEndShared
      || inferredSlots.contains(Int32(slot)) && log.ledger.slots[slot].registered.thread == nil
  }

  private mutating func judgeLeaks(
    _ members: [Int],
    name: StringID,
    at evidence: Evidence,
    opened: Evidence?,
    _ log: inout ReplayState
  ) {
    var found: [Verdict] = []
    for slot in members where Self.isLeft(slot, log) && !leakedSlots.contains(Int32(slot)) {
      let registration = log.ledger.slots[slot].registration
      let registered = log.ledger.slots[slot].registered
      guard registration.expectedToLive == .none else { continue }
      leakedSlots.insert(Int32(slot))
      found.append(
        Verdict(
          .leakedRegistration,
          of: registration,
          [evidence, registered] + (opened.map { [$0] } ?? []),
          .scope(name),
          confidence: isDoubtful(slot, log) ? .low : .high
        )
      )
    }
    log.verdicts += found.sorted { $0.evidence[1].event < $1.evidence[1].event }
  }

  // MARK: - KVO022

  mutating func finish(_ log: inout ReplayState) {
    guard log.droppedAt == nil else { return }
    for group in growth.finish() {
      log.verdicts.append(
        Verdict(
          .registrationGrowth,
          of: group.registration,
          [group.ended.as(.failed), group.registered],
          .growth(scope: group.scope, runCount: group.riseCount, counts: group.counts),
          confidence: group.isDoubtful ? .low : .high
        )
      )
    }
  }

  // MARK: - Expected violations

  /// Marks the new verdicts that a test expects.
  ///
  /// A verdict belongs to the scope of its event. If the event is in none, it belongs to the scope in which its
  /// registration was made, and to those that used its objects, up to the end of each: an observation of a test may
  /// fail on a thread without a scope. One that is judged at the end of the log names its scope, or belongs to that of
  /// its newest event. If the event may be in any of several scopes, each of them counts: what a test may have expected
  /// fails nothing.
  ///
  /// - Parameters:
  ///   - scope: the scope that is responsible for the verdicts of the event: its own, or the one that it ends.
  ///   - thread: the thread of the event.
  ///   - log: holds the verdicts.
  func markExpected(in scope: ScopeID?, on thread: ThreadID?, _ log: inout ReplayState) {
    let own = scope.map { [$0] } ?? possibleScopes(on: thread)
    // A verdict that waited was marked when it was found.
    for index in log.verdicts.indices where !log.verdicts[index].isExpected {
      guard let number = log.verdicts[index].code.number else { continue }
      let scopes = own.isEmpty ? origins(of: log.verdicts[index], log) : own
      log.verdicts[index].isExpected = scopes.contains { expectations.expects(number, in: $0) }
    }
  }

  /// The scopes of a verdict whose event is in none.
  private func origins(of verdict: Verdict, _ log: ReplayState) -> [ScopeID] {
    if let scope = verdict.scope ?? expectations.scope(of: verdict.evidence) { return [scope] }
    let slot = verdict.registration.map { log.ledger.slot(of: $0) } ?? -1
    let scope = slot >= 0 ? log.origins[slot].scope : nil
    if verdict.code == .registrationGrowth { return scope.map { [$0] } ?? [] }
    return ((scope.map { [$0] } ?? []) + expectations.users(of: verdict)).filter(scopes.isOpen)
  }
}

extension ScopeRules {
  /// The scopes that may contain an event that states none, if that is uncertain.
  private func possibleScopes(on thread: ThreadID?) -> [ScopeID] {
    if case .uncertain = openScopes.scope(on: thread) { openScopes.ids } else { [] }
  }
}

extension RuleCode {
  /// The number in the code.
  fileprivate var number: UInt16? { UInt16(rawValue.dropFirst(3)) }
}
