internal import KVORecorder
internal import KVOTrace
internal import Synchronization

/// Tokens that live as long as an object does, by that object.
///
/// Each is released when its owner or the object that it observes is deallocated, whichever is first, and before the
/// deallocation of an observed object is judged, because such an observation is meant to end with it.
final class BoundTokens: Sendable {
  /// A token, and the other object whose deallocation ends it: it is found under both.
  private struct Bound: Sendable {
    var token: ObservationToken
    var other: ObjectID?
  }

  private struct Owner: Sendable {
    var record: ObjectRecord
    var tokens: [Bound] = []
    /// Above this number of tokens, those that have ended are dropped.
    var sweepLimit = 8
  }

  static let shared = BoundTokens()

  // State:
  // - `owners`, under its own lock. Nothing is ended or released while it is held.
  // - `isUsed`: set before the first token is bound, and never cleared. relaxed: code that binds to
  //   an object holds it, and so sets this before its deallocation.
  private let owners = GuardedState<[ObjectID: Owner]>([:])
  private let isUsed = Atomic<Bool>(false)

  private init() {}

  /// Keeps `token` until `owner` or the object that it observes is deallocated.
  func bind(_ token: ObservationToken, to owner: AnyObject) {
    isUsed.store(true, ordering: .relaxed)
    let record = ObjectTable.shared.watchedRecord(of: owner)
    guard !record.isUnwatchedInDeinit else { return token.invalidate() }
    let subject = token.object.map { ObjectTable.shared.record(of: $0) }
    if let subject, subject !== record {
      add(Bound(token: token, other: subject.ref.id), to: record)
      add(Bound(token: token, other: record.ref.id), to: subject)
    } else {
      add(Bound(token: token), to: record)
    }
    // An object may have been deallocated in between.
    if !token.isActive {
      forget([token], of: record.ref.id)
      if let subject { forget([token], of: subject.ref.id) }
    }
  }

  private func add(_ bound: Bound, to record: ObjectRecord) {
    let toSweep = owners.withLock { owners -> [ObservationToken] in
      var owner = owners[record.ref.id] ?? Owner(record: record)
      defer { owners[record.ref.id] = owner }
      guard !owner.tokens.contains(where: { $0.token === bound.token && $0.other == bound.other })
      else { return [] }
      owner.tokens.append(bound)
      guard owner.tokens.count > owner.sweepLimit else { return [] }
      owner.sweepLimit = 2 * owner.tokens.count
      return owner.tokens.map(\.token)
    }
    guard !toSweep.isEmpty else { return }
    // Queried without the lock: a token takes the lock of its registrations.
    forget(toSweep.filter { !$0.isActive }, of: record.ref.id)
    owners.withLock { owners in
      let count = owners[record.ref.id]?.tokens.count ?? 0
      owners[record.ref.id]?.sweepLimit = max(8, 2 * count)
    }
  }

  /// Ends and releases the tokens that are bound to a deallocated object.
  func release(boundTo owner: ObjectID) {
    guard isUsed.load(ordering: .relaxed) else { return }
    guard let gone = owners.withLock({ $0.removeValue(forKey: owner) }) else { return }
    for bound in gone.tokens {
      bound.token.endWithOwner()
      if let other = bound.other { forget([bound.token], of: other) }
    }
  }

  private func forget(_ tokens: [ObservationToken], of owner: ObjectID) {
    let isMeant = Set(tokens.map(ObjectIdentifier.init))
    let forgotten = owners.withLock { owners -> [Bound] in
      let forgotten = owners[owner]?.tokens.filter { isMeant.contains(ObjectIdentifier($0.token)) }
      owners[owner]?.tokens.removeAll { isMeant.contains(ObjectIdentifier($0.token)) }
      if owners[owner]?.tokens.isEmpty == true { owners[owner] = nil }
      return forgotten ?? []
    }
    withExtendedLifetime(forgotten) {}
  }

  /// The objects that tokens are bound to and the addresses of the tokens, in no particular order.
  ///
  /// Without the observed objects, unless a token is bound to its own. Retains no token beyond the locked section.
  var addresses: [(owner: ObjectRecord, token: UInt)] {
    owners.withLock { owners in
      owners.values.flatMap { owner in
        owner.tokens.filter { $0.other == nil || $0.token.subject != owner.record.ref.id }
          .map { (owner.record, ObjectTable.address(of: $0.token)) }
      }
    }
  }
}

extension ObservationToken {
  /// Keeps the observation until `owner` or the observed object is deallocated, or until it is invalidated.
  ///
  /// ```swift
  /// account.observe(\.balance) { [weak self] account, change in … }.bind(to: self)
  /// ```
  ///
  /// The token need not be kept. Neither object is kept alive, unless the handler keeps it: do not capture the owner
  /// strongly. The end of the observation with either of them is intended, and not reported. Any thread; in the deinit of
  /// `owner` it ends the observation. A second call adds an owner, and the first of them ends the observation.
  ///
  /// Mirrors the initializer of `PMKVObserver` that takes an observer, and `takeUntil:` with
  /// `rac_willDeallocSignal`.
  ///
  /// - Parameter owner: the object whose lifetime bounds the observation.
  /// - Returns: the token, to end the observation earlier.
  /// - Complexity: O(tokens that are bound to the two objects).
  @discardableResult
  public func bind(to owner: AnyObject) -> ObservationToken {
    if isActive { BoundTokens.shared.bind(self, to: owner) }
    return self
  }

  /// Keeps the observation until the observed object is deallocated, or until it is invalidated.
  ///
  /// The token need not be kept. Mirrors the initializer of `PMKVObserver` without an observer.
  ///
  /// - Returns: the token, to end the observation earlier.
  @discardableResult
  public func bindToObject() -> ObservationToken {
    if let object { bind(to: object) }
    return self
  }
}
