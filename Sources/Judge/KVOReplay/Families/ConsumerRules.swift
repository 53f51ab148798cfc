package import KVORules
package import KVOTrace

/// A consumer that has not ended.
package struct LiveConsumer: Sendable {
  /// As its last event describes it.
  package var consumer: Consumer
  /// Where it began, or where it was first seen waiting.
  package var began: Evidence
}

/// The tasks that take values and wait for them.
///
/// Needs the beginnings and ends of consumers, and their states. Memory is bounded by the live consumers.
///
/// Complexity: O(1) for every input.
struct ConsumerRules: Sendable {
  private var known: [ConsumerID: LiveConsumer] = [:]
  /// The newest of those that ended: their state may have been written at the same time.
  private var ended = BoundedMap<ConsumerTag, Bool>(capacity: 4_096)

  var count: Int { known.count }

  var live: [LiveConsumer] { known.values.sorted { $0.began.event < $1.began.event } }

  mutating func begin(_ consumer: Consumer, _ evidence: Evidence) {
    guard known[consumer.id] == nil else { return }
    known[consumer.id] = LiveConsumer(consumer: consumer, began: evidence.at(consumer.site))
  }

  mutating func park(_ consumer: Consumer, _ evidence: Evidence) {
    if let live = known[consumer.id] {
      known[consumer.id] = LiveConsumer(consumer: consumer, began: live.began)
    } else if ended[consumer.id] == nil {
      begin(consumer, evidence)
    }
  }

  mutating func end(_ id: ConsumerID) {
    known[id] = nil
    ended.set(id, true)
  }
}
