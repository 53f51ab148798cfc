internal import KVORecorder
internal import KVOTrace
internal import Synchronization

/// How often registrations were requested again, while ``ObservationPolicy/coalescesDuplicates`` is on.
///
/// The second of two equal registrations is added, judged and ended at once, so that its report and the log have both
/// call sites; it remains to count the removals that belong to it.
final class DuplicateCoalescing: Sendable {
  private struct Entry: Sendable {
    weak var storage: SubjectStorage?
    var count = 0
  }

  private struct Entries: Sendable {
    var byRegistration: [RegistrationID: Entry] = [:]
    /// Above this number, those of ended registrations are dropped.
    var sweepLimit = 64
  }

  static let shared = DuplicateCoalescing()

  // State:
  // - `entries`, under its own lock, which is never taken together with another.
  // - `isOn`: the policy. relaxed: a setting; nothing is published with it.
  // - `isUsed`: whether there ever was an entry. relaxed: a removal that races with its matching addition has no
  //   defined order anyway.
  private let entries = GuardedState(Entries())
  private let isOn = Atomic<Bool>(false)
  private let isUsed = Atomic<Bool>(false)

  private init() {}

  /// Whether the policy enables coalescing.
  var isEnabled: Bool {
    get { isOn.load(ordering: .relaxed) }
    set { isOn.store(newValue, ordering: .relaxed) }
  }

  /// Notes that the registration `id` of `storage` was requested once more.
  func note(_ id: RegistrationID, of storage: SubjectStorage) {
    isUsed.store(true, ordering: .relaxed)
    let known = entries.withLock { entries -> [RegistrationID: Entry] in
      entries.byRegistration[id, default: Entry(storage: storage)].count += 1
      guard entries.byRegistration.count > entries.sweepLimit else { return [:] }
      entries.sweepLimit = 2 * entries.byRegistration.count
      return entries.byRegistration
    }
    // Queried without the lock: registrations have their own.
    let ended = known.filter { $0.value.storage?.contains($0.key) != true }
    guard !ended.isEmpty else { return }
    entries.withLock { entries in
      for id in ended.keys { entries.byRegistration[id] = nil }
      entries.sweepLimit = max(64, 2 * entries.byRegistration.count)
    }
  }

  /// Whether a removal belongs to a coalesced addition, and so ends nothing.
  func absorbs(_ removal: Removal, from storage: SubjectStorage) -> Bool {
    guard isUsed.load(ordering: .relaxed) else { return false }
    guard let id = storage.match(removal) else { return false }
    return entries.withLock { entries in
      guard let count = entries.byRegistration[id]?.count, count > 0 else { return false }
      entries.byRegistration[id]?.count = count - 1
      return true
    }
  }
}

extension SubjectStorage {
  /// The registration that `registration`, which was added just now, is a duplicate of: the oldest one by the same
  /// observer, or through the same controller, of the same key path under the same context.
  ///
  /// One that another thread added later is not: each of the two would be a duplicate of the other, and both would end.
  func original(of registration: Registration) -> RegistrationID? {
    guard registration.form == .classic || registration.form == .controller else { return nil }
    return registration.id.flatMap { copy(of: $0) }
  }
}
