package import KVORules
package import KVOTrace

/// A consumer that has not ended.
package struct LiveConsumer: Sendable {
  /// As its last event describes it.
  package var consumer: Consumer
  /// Where it began, or where it was first seen waiting.
  package var began: Evidence
}

/// Tasks that wait for values though nobody can resume them, that grow in number from run to run of a scope, and
/// misused continuations (KVO041 to KVO044).
///
/// Needs the beginnings and ends of consumers, their states, and the ends of scopes. Memory is bounded by the live
/// consumers and the names of scopes.
///
/// Complexity: O(1) for every input; the end of a scope, O(lines whose consumers scopes left).
struct ConsumerRules: Sendable {
  private struct Ended: Sendable {
    var awaited: StringID
    /// Where the continuation was resumed; nil: it is a loop, or ended otherwise.
    var resumed: Evidence?
  }

  private var known: [ConsumerID: LiveConsumer] = [:]
  /// The newest of those that ended: their state may have been written at the same time, and a continuation may be
  /// resumed once more.
  private var ended = BoundedMap<ConsumerTag, Ended>(capacity: 4_096)
  private var growth = ConsumerGrowth()
  /// Those that were reported as left waiting for ever.
  private var reported: Set<ConsumerID> = []

  var count: Int { known.count }
  /// Whether scopes left consumers waiting.
  private(set) var hasLeft = false

  var live: [LiveConsumer] { known.values.sorted { $0.began.event < $1.began.event } }

  mutating func begin(_ consumer: Consumer, _ evidence: Evidence) {
    guard known[consumer.id] == nil else { return }
    known[consumer.id] = LiveConsumer(consumer: consumer, began: evidence.at(consumer.site))
  }

  /// The consumer waits; `scope` is that of the event.
  mutating func park(
    _ consumer: Consumer,
    in scope: ScopeID?,
    called name: StringID,
    _ evidence: Evidence,
    _ log: inout ReplayState
  ) {
    guard ended[consumer.id] == nil else { return }
    let wasOrphaned = known[consumer.id]?.consumer.isOrphaned == true
    begin(consumer, evidence)
    known[consumer.id]?.consumer = consumer
    if consumer.isLeft { hasLeft = true }
    if consumer.isOrphaned, !wasOrphaned, consumer.form == .continuation {
      log.verdicts.append(.dropped(consumer.awaited, at: evidence.at(consumer.site)))
    }
    guard consumer.isLeft, let scope, consumer.expectedToLive == .none, log.droppedAt == nil,
      consumer.form == .loop
    else { return }
    if consumer.isOrphaned {
      guard reported.insert(consumer.id).inserted else { return }
      log.verdicts.append(
        Verdict(
          .parkedConsumer,
          subject: nil,
          evidence: [evidence.at(consumer.site).as(.failed)],
          detail: .consumer(awaited: consumer.awaited, scope: name)
        )
      )
    } else {
      growth.leave(consumer, in: scope)
    }
  }

  mutating func end(
    _ id: ConsumerID,
    _ why: Consumer.End,
    _ evidence: Evidence,
    _ log: inout ReplayState
  ) {
    if why == .resumed, let before = ended[id], let first = before.resumed {
      log.verdicts.append(.resumedAgain(before.awaited, at: evidence, first: first))
      return
    }
    reported.remove(id)
    let awaited = known.removeValue(forKey: id)?.consumer.awaited ?? .none
    ended.set(id, Ended(awaited: awaited, resumed: why == .resumed ? evidence : nil))
    growth.end(id)
  }

  mutating func endScope(_ scope: ScopeID, called name: StringID, _ evidence: Evidence) {
    if growth.isEmpty { return }
    growth.endScope(scope, called: name, evidence) { known[$0] != nil }
  }

  mutating func finish(_ log: inout ReplayState) {
    guard log.droppedAt == nil else { return }
    log.verdicts += growth.finish()
  }
}
