package import KVOTrace
internal import Synchronization

/// The library as a whole: the current observations, the handling of faults, and the log.
public enum KVO {
  /// The reaction to faults, rule by rule.
  ///
  /// ```swift
  /// KVO.policy[.doubleRemove] = .trap
  /// ```
  public static var policy: ObservationPolicy {
    get { LiveMonitor.shared.policy }
    set { LiveMonitor.shared.policy = newValue }
  }

  /// How many ended registrations an observed object remembers, so that a report can name the
  /// earlier removal.
  ///
  /// Applies to objects that are first observed after it is set.
  ///
  /// Older ones are dropped, and the report says "earlier history lost".
  public static var historyCapacity: Int {
    get { historySetting.load(ordering: .relaxed) }
    set { historySetting.store(max(newValue, 0), ordering: .relaxed) }
  }

  // relaxed: a setting, read when an object is first observed; nothing is published with it.
  private static let historySetting = Atomic<Int>(64)

  /// The current registrations, as events describe them.
  package static var liveRegistrations: [Registration] {
    ObjectTable.shared.subjects.flatMap(\.registrations)
  }

  /// Which observed objects are being changed, each at one moment during the call.
  ///
  /// Complexity: O(observed objects).
  package static var changesInProgress: [ObjectID: ChangeProgress] {
    Dictionary(
      ObjectTable.shared.subjects.map { ($0.record.ref.id, $0.progress) },
      uniquingKeysWith: { first, _ in first }
    )
  }

  /// The actors that the callbacks of those of `registrations` are expected on that have not ended, each once.
  ///
  /// Complexity: O(live registrations).
  package static func actors(of registrations: Set<RegistrationID>) -> [any Actor] {
    var actors: [ObjectIdentifier: any Actor] = [:]
    for subject in ObjectTable.shared.subjects {
      for id in subject.registrations.compactMap(\.id) where registrations.contains(id) {
        guard let actor = subject.observation(id)?.expected?.actor else { continue }
        actors[ObjectIdentifier(actor)] = actor
      }
    }
    return Array(actors.values)
  }

  /// Ends the registrations of observers whose deinit was handed to their actor and has finished by now.
  package static func settleDeallocations() { DeallocationHook.settle() }

  /// A number that is not used in this process's events.
  package static func nextNumber() -> UInt64 { ObjectTable.shared.nextNumber() }
}
