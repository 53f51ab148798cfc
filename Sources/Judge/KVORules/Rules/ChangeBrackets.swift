package import KVOTrace

/// The changes that one thread (or task) has begun and not ended, and faults in their nesting.
///
/// Judges KVO012. A pure state machine, as ``SubjectLedger`` is. The innermost change is the last.
///
/// Complexity: O(1) for changes that nest, O(open changes) for those that do not; the number of
/// open changes is bounded.
@usableFromInline
package struct ChangeBrackets: Sendable {
  @usableFromInline
  struct Open: Sendable {
    var change: Change
    var began: Evidence
    var scope: ScopeID?
    /// Where the scope was opened that has ended since, on another thread.
    var left: Evidence?
    /// The change that an observer was notified of in advance when it began this one, directly or through other
    /// observers that did the same.
    ///
    /// The observer ends this one when it is notified that the other is made, and so after the other has ended.
    var origin: Change?
    /// The exception that left a callback which was notified before the change.
    var exception: Exception?
  }

  /// An exception that left a callback: the change is not made, unless its caller catches it.
  package struct Exception: Sendable {
    /// None for a notification that was not handled.
    var name: StringID
    var observer: ObjectRef?
    var evidence: Evidence

    package init(name: StringID, observer: ObjectRef?, evidence: Evidence) {
      self.name = name
      self.observer = observer
      self.evidence = evidence
    }
  }

  private let capacity: Int
  @usableFromInline private(set) var open: [Open] = []
  /// How many open changes of each object were dropped because there were too many, and have not ended.
  private var dropped: [ObjectID: Int] = [:]
  /// The same of further objects.
  private var furtherDroppedCount = 0
  /// The newest changes that were reported as never ended, although they may still end.
  private var reported: [Change] = []
  private static let reportedLimit = 16

  /// No open changes.
  ///
  /// - Parameter capacity: how many open changes are remembered. Beyond that, the outermost is dropped, and its end is
  ///   not judged.
  package init(capacity: Int = 256) { self.capacity = max(1, capacity) }

  // Inlined: a call would retain the whole value.
  @inlinable package var isEmpty: Bool { open.isEmpty }
  @inlinable package var count: Int { open.count }

  /// A change begins, in the innermost open scope `scope`.
  ///
  /// `prior` is the callback that it begins in, if that is a notification before a change.
  package mutating func will(
    _ change: Change,
    scope: ScopeID? = nil,
    inside prior: Prior? = nil,
    at evidence: Evidence
  ) {
    if open.count == capacity {
      drop(open.removeFirst().change.subject.id)
    }
    let outer = prior.flatMap { prior in
      prior.change == nil ? open.last : open.last { $0.change.id == prior.change }
    }
    let origin = outer.map { $0.origin ?? $0.change }
    open.append(Open(change: change, began: evidence, scope: scope, origin: origin))
  }

  /// A notification before a change, by the number of that change if it has one.
  package struct Prior: Sendable {
    var change: ChangeID?
    package init(of change: ChangeID?) { self.change = change }
  }

  /// A change ends: silent if it is the innermost, or if the later ones were begun in a notification before it.
  ///
  /// Halves belong together by object and key, and by their number if both have one. A
  /// change that ends while another later one is open is reported once, and ended wherever it is in the list.
  package mutating func did(_ change: Change, at evidence: Evidence) -> [Verdict] {
    end(change, at: evidence).verdicts
  }

  /// As ``did(_:at:)``, and also returns where the change began.
  package mutating func end(
    _ change: Change,
    at evidence: Evidence
  ) -> (began: Evidence?, verdicts: [Verdict]) {
    guard let index = open.lastIndex(where: { Self.belong($0.change, change) }) else {
      // It may be one of those that were dropped, or reported already.
      if endDropped(of: change.subject.id) || endReported(change) { return (nil, []) }
      if let other = open.last(where: { $0.change.hasKey(of: change) }) {
        let mismatched = verdict(
          change,
          [evidence.as(.failed), other.began.as(.changed)],
          .mismatched(begun: other.change.kind, ended: change.kind)
        )
        return (nil, [mismatched])
      }
      return (nil, [verdict(change, [evidence.as(.failed)], .didWithoutWill)])
    }
    let ended = open.remove(at: index)
    guard let inner = intruder(from: index, into: ended) else { return (ended.began, []) }
    let isOfOneObject = inner.change.subject.id == change.subject.id
    let outOfOrder = verdict(
      change,
      [evidence.as(.failed), ended.began.as(.changed), inner.began.as(.changed)],
      inner.change.hasKey(of: change)
        ? .outOfOrder
        : .crossed(inner: inner.change.key, of: isOfOneObject ? nil : inner.change.subject)
    )
    return (ended.began, [outOfOrder])
  }

  private mutating func drop(_ subject: ObjectID) {
    if dropped[subject] == nil, dropped.count == capacity {
      furtherDroppedCount += 1
    } else {
      dropped[subject, default: 0] += 1
    }
  }

  /// Whether a change of `subject` was dropped, which ends now.
  private mutating func endDropped(of subject: ObjectID) -> Bool {
    if let count = dropped[subject] {
      dropped[subject] = count == 1 ? nil : count - 1
      return true
    }
    guard furtherDroppedCount > 0 else { return false }
    furtherDroppedCount -= 1
    return true
  }

  /// Whether `change` was reported as never ended, and ends now.
  private mutating func endReported(_ change: Change) -> Bool {
    guard let index = reported.lastIndex(where: { Self.belong($0, change) }) else { return false }
    reported.remove(at: index)
    return true
  }

  private mutating func noteReported(_ changes: [Change]) {
    reported = (reported + changes).suffix(Self.reportedLimit)
  }

  /// Another thread ended the change with the number of `change`, which is reported there.
  ///
  /// - Returns: whether it is open.
  package mutating func forget(_ change: Change) -> Bool {
    guard change.id != nil, let index = open.lastIndex(where: { $0.change.id == change.id })
    else { return false }
    open.remove(at: index)
    return true
  }

  /// The innermost open change from `index` on that was not begun in a notification before the one that `ended`; one of
  /// the same key, if there is any.
  private func intruder(from index: Int, into ended: Open) -> Open? {
    guard index < open.count else { return nil }
    let origin = ended.origin ?? ended.change
    func intrudes(_ later: Open) -> Bool { later.origin.map { !Self.belong(origin, $0) } ?? true }
    return open[index...].last { $0.change.hasKey(of: ended.change) && intrudes($0) }
      ?? open[index...].last(where: intrudes)
  }

  /// A scope ends on this thread: every change that was begun in it and is still open is reported and dropped.
  ///
  /// The failed event is the beginning of the change: that is the unmatched call.
  package mutating func closeScope(
    _ scope: ScopeID,
    openedAt evidence: Evidence? = nil
  ) -> [Verdict] {
    guard open.contains(where: { $0.scope == scope }) else { return [] }
    let left = open.filter { $0.scope == scope }
    open.removeAll { $0.scope == scope }
    noteReported(left.map(\.change))
    return left.map { neverEnded($0, evidence) }
  }

  /// A scope ends on another thread: every change that was begun in it and is still open belongs to no scope any more.
  ///
  /// It may be about to end on its own thread.
  ///
  /// - Returns: where these changes began.
  package mutating func leaveScope(
    _ scope: ScopeID,
    openedAt evidence: Evidence? = nil
  ) -> [Evidence] {
    var left: [Evidence] = []
    for index in open.indices where open[index].scope == scope {
      open[index].scope = nil
      open[index].left = evidence
      left.append(open[index].began)
    }
    return left
  }

  /// The log ends before the thread or the process does: every open change whose scope has ended is reported and
  /// dropped, unless its thread is unknown.
  package mutating func closeLeft() -> [Verdict] {
    func isLeft(_ open: Open) -> Bool { open.left != nil && open.began.thread != nil }
    let left = open.filter(isLeft)
    if left.isEmpty { return [] }
    open.removeAll(where: isLeft)
    return left.map { neverEnded($0, $0.left) }
  }

  /// The thread or the process ends: every open change is reported and dropped.
  package mutating func close() -> [Verdict] {
    let left = open
    open = []
    dropped = [:]
    furtherDroppedCount = 0
    return left.map { neverEnded($0, $0.left) }
  }

  /// The object was deallocated: its open changes can no longer end, and are reported and dropped.
  package mutating func subjectDeallocated(_ subject: ObjectID) -> [Verdict] {
    dropped[subject] = nil
    let left = open.filter { $0.change.subject.id == subject }
    guard !left.isEmpty else { return [] }
    open.removeAll { $0.change.subject.id == subject }
    // Without a number, one that ends later may be of another object at the same address.
    noteReported(left.map(\.change).filter { $0.id != nil })
    return left.map { neverEnded($0, $0.left) }
  }

  /// An exception left a callback that was notified before the change with the number `id`.
  package mutating func abandon(_ id: ChangeID, by exception: Exception) {
    guard let index = open.lastIndex(where: { $0.change.id == id }) else { return }
    open[index].exception = exception
  }

  /// Whether a change of `subject` is open.
  package func isChanging(_ subject: ObjectID) -> Bool {
    open.contains { $0.change.subject.id == subject }
  }

  /// How many changes of `subject` are open.
  package func openCount(of subject: ObjectID) -> Int {
    open.count { $0.change.subject.id == subject }
  }

  /// Whether `half` would end the innermost open change.
  package func isInnermost(_ half: Change) -> Bool {
    open.last.map { Self.belong($0.change, half) } ?? false
  }

  /// The innermost open change of `subject` whose key `fits`, and where it began.
  ///
  /// Complexity: O(open changes).
  package func open(
    of subject: ObjectID,
    where fits: (StringID) -> Bool
  ) -> (change: Change, began: Evidence)? {
    let found = open.last { $0.change.subject.id == subject && fits($0.change.key) }
    return found.map { ($0.change, $0.began) }
  }

  /// Whether a change of one of `keys` is open, on any object.
  package func isOpen(anyOf keys: Set<StringID>) -> Bool {
    open.contains { keys.contains($0.change.key) }
  }

  /// The innermost open change of `key` on `subject` that may have the number `id`.
  package func open(_ id: ChangeID?, of key: StringID, on subject: ObjectID) -> Change? {
    open.last {
      $0.change.subject.id == subject && $0.change.key == key
        && (id == nil || $0.change.id == nil || $0.change.id == id)
    }?.change
  }

  /// The open change with the number `id`, or the innermost one if `id` is nil.
  ///
  /// If no open change has that number, the innermost one without a number in the log.
  package func open(_ id: ChangeID?) -> (change: Change, began: Evidence)? {
    let found =
      id == nil
      ? open.last : open.last { $0.change.id == id } ?? open.last { $0.change.id == nil }
    return found.map { ($0.change, $0.began) }
  }

  /// The open changes that began in no scope, and where they began, innermost last.
  ///
  /// Complexity: O(open changes).
  package var openOutsideOfScopes: [(change: Change, began: Evidence)] {
    open.filter { $0.scope == nil }.map { ($0.change, $0.began) }
  }

  /// Whether `half` would end an open change.
  package func isOpen(_ half: Change) -> Bool {
    open.contains { Self.belong($0.change, half) }
  }

  package static func belong(_ begun: Change, _ ended: Change) -> Bool {
    guard begun.hasKey(of: ended) else { return false }
    guard let first = begun.id, let second = ended.id else { return true }
    return first == second
  }

  private func neverEnded(_ open: Open, _ scope: Evidence?) -> Verdict {
    var verdict = verdict(
      open.change,
      [open.began.as(.failed)] + (scope.map { [$0.as(.scope)] } ?? []),
      .willWithoutDid
    )
    if let exception = open.exception {
      // The fault is that of the callback.
      verdict.detail = .exception(exception.name, observer: exception.observer)
      verdict.evidence.append(exception.evidence)
      verdict.severity = .warning
    }
    return verdict
  }

  private func verdict(
    _ change: Change,
    _ evidence: [Evidence],
    _ imbalance: Verdict.Imbalance
  ) -> Verdict {
    Verdict(
      .unbalancedChange,
      subject: change.subject,
      keyPath: change.key,
      evidence: evidence,
      detail: .change(imbalance)
    )
  }
}

extension Change {
  /// Whether `other` is a change of the same key of the same object.
  fileprivate func hasKey(of other: Change) -> Bool {
    subject.id == other.subject.id && key == other.key
  }
}
