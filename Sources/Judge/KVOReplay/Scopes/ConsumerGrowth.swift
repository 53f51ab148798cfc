import KVORules
import KVOTrace

/// How many consumers each run of a scope leaves waiting (KVO042).
///
/// It counts those that were found waiting at the end of the run in which they began, and that have not ended since, by
/// the line of their sequence. A group grows while each run, from the first that left one, ends with more than the
/// previous run. A group of which one has ended by the end of the log, and that is smaller than it was, is withdrawn:
/// what is cancelled later is not leaked.
///
/// Complexity: O(groups) for the end of a scope, O(1) for other inputs.
struct ConsumerGrowth: Sendable {
  private struct Key: Hashable {
    var scope: StringID
    var site: StringID
    var awaited: StringID
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
  }

  /// Left in scopes whose end follows.
  private var pending: [ScopeID: [Consumer]] = [:]
  private var groups: [Key: Group] = [:]
  private var memberships: [ConsumerID: Key] = [:]

  var isEmpty: Bool { pending.isEmpty && groups.isEmpty }

  /// The scope ends and leaves the consumer waiting.
  mutating func leave(_ consumer: Consumer, in scope: ScopeID) {
    pending[scope, default: []].append(consumer)
  }

  mutating func end(_ id: ConsumerID) {
    guard let key = memberships.removeValue(forKey: id) else { return }
    groups[key]?.liveCount -= 1
  }

  mutating func endScope(_ scope: ScopeID, called name: StringID, _ evidence: Evidence) {
    let left = pending.removeValue(forKey: scope) ?? []
    if name == .none { return }
    for consumer in left where memberships[consumer.id] == nil {
      let key = Key(scope: name, site: consumer.site, awaited: consumer.awaited)
      memberships[consumer.id] = key
      groups[key, default: Group(run: scope, ended: evidence)].liveCount += 1
    }
    for (key, group) in groups where key.scope == name {
      if group.liveCount == 0 {
        groups[key] = nil
        continue
      }
      var next = group
      if group.liveCount > group.counts.last ?? 0 {
        next.riseCount += 1
      } else {
        next.isRising = false
      }
      (next.run, next.ended) = (scope, evidence)
      next.counts = Array((group.counts + [group.liveCount]).suffix(ScopeGrowth.countLimit))
      groups[key] = next
    }
  }

  /// The groups that grew in every run, in the order of their last runs and lines.
  func finish() -> [Verdict] {
    let grown = groups.filter { _, group in
      group.isRising && group.riseCount >= ScopeGrowth.leastRunCount
        && group.liveCount >= group.counts.last ?? 0
    }
    return grown.sorted {
      ($0.value.ended.event, $0.key.site.rawValue, $0.key.awaited.rawValue)
        < ($1.value.ended.event, $1.key.site.rawValue, $1.key.awaited.rawValue)
    }
    .map { key, group in
      var verdict = Verdict(
        .consumerGrowth,
        subject: nil,
        evidence: [group.ended.at(key.site).as(.failed)],
        detail: .consumerGrowth(
          awaited: key.awaited,
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
