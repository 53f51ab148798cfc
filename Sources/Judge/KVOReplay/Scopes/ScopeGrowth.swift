package import KVORules
package import KVOTrace

/// How many registrations each run of a scope leaves live (KVO022).
///
/// It counts those that were made in the scope, by line, types and key path. A group grows while each run, from the
/// first that left one live, ends with more live ones than the previous run: one that was empty in between never does.
/// Memory is bounded by the live registrations, the names of scopes, and the lines that left one live.
///
/// Complexity: O(registrations left live + groups of the name) for the end of a scope; O(1) for the end of a
/// registration.
struct ScopeGrowth: Sendable {
  struct Group: Sendable {
    var scope: StringID
    /// The last of them, and where it was made.
    var registration: Registration
    var registered: Evidence
    /// The last end of the scope.
    var ended: Evidence
    var liveCount = 0
    /// How many runs ended with more than the previous one.
    var riseCount = 0
    /// How many were live at the last ends, up to ``ScopeGrowth/countLimit``.
    var counts: [Int] = []
    /// The same from the first run on, thinned out.
    var series = RunSeries()
    var isRising = true
    /// Whether it is uncertain of one of them that it was made in the scope, or that it was left.
    var isDoubtful = false
  }

  private struct Key: Hashable {
    var scope: StringID
    var site: StringID
    var stack: StackID
    var subject: StringID
    var observer: StringID?
    var keyPath: StringID
  }

  /// The minimum number of runs that shows growth.
  static let leastRunCount = 3
  static let countLimit = 8

  private var runs: [StringID: Int] = [:]
  private var indices: [Key: Int] = [:]
  private var groups: [Group] = []
  private var keys: [Key] = []
  private var free: [Int] = []
  /// Of the groups of which a run left nothing live: they do not rise at every end, whatever follows.
  private var emptied: Set<Key> = []
  private var groupsOf: [StringID: Set<Int>] = [:]
  /// The group of each slot of the ledger; -1: none.
  private var memberships: [Int32] = []

  /// Whether any scope was run often enough.
  var hasRuns: Bool { runs.values.contains { $0 >= Self.leastRunCount } }
  var isEmpty: Bool { indices.isEmpty }
  /// How many groups there are or were at one time.
  var count: Int { groups.count }

  /// A run of the scope called `name` ended and left `members` live, in no particular order; of those in `doubtful` that is
  /// uncertain.
  mutating func end(
    _ name: StringID,
    _ members: [(slot: Int, RegistrationLedger.Slot)],
    at evidence: Evidence,
    _ names: ClassNames,
    doubtful: Set<Int>
  ) {
    if name == .none { return }
    runs[name, default: 0] += 1
    for (slot, member) in members.sorted(by: { $0.1.registered.event < $1.1.registered.event }) {
      let group = group(of: member, name, evidence, names)
      groups[group].liveCount += 1
      groups[group].registration = member.registration
      groups[group].registered = member.registered
      if doubtful.contains(slot) { groups[group].isDoubtful = true }
      while memberships.count <= slot { memberships.append(-1) }
      memberships[slot] = Int32(group)
    }
    for group in groupsOf[name] ?? [] { judge(group, evidence) }
  }

  private mutating func judge(_ group: Int, _ evidence: Evidence) {
    let count = groups[group].liveCount
    if count == 0 { return remove(group) }
    if count > groups[group].counts.last ?? 0 {
      groups[group].riseCount += 1
    } else {
      groups[group].isRising = false
    }
    groups[group].ended = evidence
    groups[group].counts.append(count)
    groups[group].series.append(count, run: runs[groups[group].scope] ?? 0)
    if groups[group].counts.count > Self.countLimit { groups[group].counts.removeFirst() }
  }

  private mutating func group(
    of member: RegistrationLedger.Slot,
    _ name: StringID,
    _ evidence: Evidence,
    _ names: ClassNames
  ) -> Int {
    let registration = member.registration
    let site = member.registered.site
    let key = Key(
      scope: name,
      site: site,
      stack: site == .none ? member.registered.stack : .none,
      subject: names.observed(registration.subject.className),
      observer: registration.observer.map { names.observed($0.className) },
      keyPath: registration.keyPath
    )
    if let known = indices[key] { return known }
    var new = Group(
      scope: name,
      registration: registration,
      registered: member.registered,
      ended: evidence
    )
    new.isRising = !emptied.contains(key)
    let index: Int
    if let last = free.popLast() {
      index = last
      groups[index] = new
      keys[index] = key
    } else {
      index = groups.count
      groups.append(new)
      keys.append(key)
    }
    indices[key] = index
    groupsOf[name, default: []].insert(index)
    return index
  }

  private mutating func remove(_ group: Int) {
    let key = keys[group]
    emptied.insert(key)
    indices[key] = nil
    groupsOf[key.scope]?.remove(group)
    groups[group].isRising = false
    free.append(group)
  }

  /// The registration at `slot` ended.
  mutating func leave(_ slot: Int) {
    guard slot < memberships.count, memberships[slot] >= 0 else { return }
    groups[Int(memberships[slot])].liveCount -= 1
    memberships[slot] = -1
  }

  /// The groups that grew in every run, in the order of the last registrations.
  func finish() -> [Group] {
    groups.filter { $0.isRising && $0.riseCount >= Self.leastRunCount }
      .sorted { $0.registered.event < $1.registered.event }
  }

  /// The remaining registrations of each group, in the order of the last registrations.
  var left: [ScopeLeftovers] {
    indices.values.map { groups[$0] }
      .sorted { $0.registered.event < $1.registered.event }
      .map { group in
        ScopeLeftovers(
          scope: group.scope,
          runCount: runs[group.scope] ?? 0,
          registration: group.registration,
          registered: group.registered,
          series: group.series,
          isGrowing: group.isRising && group.riseCount >= Self.leastRunCount
        )
      }
  }
}

/// The registrations that runs of a scope left live, made at one call site.
package struct ScopeLeftovers: Sendable {
  package var scope: StringID
  /// How often the scope was run.
  package var runCount: Int
  /// The last of them, and where it was made.
  package var registration: Registration
  package var registered: Evidence
  /// How many were live at the ends of runs.
  package var series: RunSeries
  /// Whether each run left more (KVO022).
  package var isGrowing: Bool
}
