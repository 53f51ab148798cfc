import KVORules
import KVOTrace

/// How many consumers each run of a scope leaves waiting (KVO042).
///
/// It counts those that were found waiting at the end of the run in which they began, and that have not ended since, by
/// the line of their sequence, or by its name if the log has no line. A group grows while each run, from the first that
/// left one, ends with more than the previous run. A group of which one has ended by the end of the log, and that is
/// smaller than it was, is withdrawn: what is cancelled later is not leaked.
///
/// Complexity: O(groups of its name) for the end of a scope, O(1) for other inputs.
struct ConsumerGrowth: Sendable {
  private struct Line: Hashable {
    var site: StringID
    var awaited: StringID
  }

  private struct Key: Hashable {
    var scope: StringID
    var line: Line
  }

  private struct Group {
    var liveCount = 0
    /// How many runs ended with more than the previous one.
    var riseCount = 0
    var isRising = true
    /// How many there were at the last ends, up to ``ScopeGrowth/countLimit``.
    var counts: [Int] = []
    /// The last run of the scope, and its end.
    var run: ScopeID
    var ended: Evidence

    /// The group after another run of the scope.
    func ended(_ scope: ScopeID, _ evidence: Evidence) -> Group {
      var next = self
      if liveCount > counts.last ?? 0 { next.riseCount += 1 } else { next.isRising = false }
      (next.run, next.ended) = (scope, evidence)
      next.counts = Array((counts + [liveCount]).suffix(ScopeGrowth.countLimit))
      return next
    }
  }

  /// Left in scopes whose end follows.
  private var pending: [ScopeID: [Consumer]] = [:]
  /// By the name of the scope.
  private var groups: [StringID: [Line: Group]] = [:]
  /// Of the groups of which a run left nothing: they do not rise at every end, whatever follows.
  private var emptied: Set<Key> = []
  private var memberships: [ConsumerID: Key] = [:]

  var isEmpty: Bool { pending.isEmpty && groups.isEmpty }

  /// The scope ends and leaves the consumer waiting.
  mutating func leave(_ consumer: Consumer, in scope: ScopeID) {
    pending[scope, default: []].append(consumer)
  }

  mutating func end(_ id: ConsumerID) {
    guard let key = memberships.removeValue(forKey: id) else { return }
    groups[key.scope]?[key.line]?.liveCount -= 1
  }

  /// A run of the scope called `name` ends.
  ///
  /// - Parameters:
  ///   - scope: the run.
  ///   - name: its name.
  ///   - evidence: where it ends.
  ///   - isWaiting: whether a consumer that was found waiting has not ended since.
  mutating func endScope(
    _ scope: ScopeID,
    called name: StringID,
    _ evidence: Evidence,
    isWaiting: (ConsumerID) -> Bool
  ) {
    let waiting = (pending.removeValue(forKey: scope) ?? []).filter { isWaiting($0.id) }
    if name == .none { return }
    for consumer in waiting where memberships[consumer.id] == nil {
      let line = Line(site: consumer.site, awaited: consumer.awaited)
      // Nothing says that two of them wait for the same.
      if line.site == .none, line.awaited == .none { continue }
      let key = Key(scope: name, line: line)
      memberships[consumer.id] = key
      var new = Group(run: scope, ended: evidence)
      new.isRising = !emptied.contains(key)
      groups[name, default: [:]][line, default: new].liveCount += 1
    }
    guard let before = groups[name] else { return }
    let left = before.filter { $0.value.liveCount > 0 }
    for line in before.keys where left[line] == nil { emptied.insert(Key(scope: name, line: line)) }
    groups[name] = left.isEmpty ? nil : left.mapValues { $0.ended(scope, evidence) }
  }

  /// The groups that grew in every run, in the order of their last runs and lines.
  func finish() -> [Verdict] {
    let all = groups.flatMap { scope, groups in
      groups.map { (key: Key(scope: scope, line: $0.key), group: $0.value) }
    }
    let grown = all.filter { _, group in
      group.isRising && group.riseCount >= ScopeGrowth.leastRunCount
        && group.liveCount >= group.counts.last ?? 0
    }
    return grown.sorted {
      ($0.group.ended.event, $0.key.line.site.rawValue, $0.key.line.awaited.rawValue)
        < ($1.group.ended.event, $1.key.line.site.rawValue, $1.key.line.awaited.rawValue)
    }
    .map { key, group in
      var verdict = Verdict(
        .consumerGrowth,
        subject: nil,
        evidence: [group.ended.at(key.line.site).as(.failed)],
        detail: .consumerGrowth(
          awaited: key.line.awaited,
          scope: key.scope,
          runCount: group.riseCount,
          counts: group.counts
        )
      )
      verdict.scope = group.run
      return verdict
    }
  }
}
