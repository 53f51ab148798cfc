/// A task that takes values one after the other and waits for each, as `consumerBegin` and `parked` describe it.
@usableFromInline
package struct Consumer: Hashable, Sendable {
  /// What the task waits in.
  @usableFromInline
  package enum Form: String, Hashable, Sendable, CaseIterable {
    /// A loop over a sequence.
    case loop
    /// One continuation.
    case continuation
  }

  /// Why a consumer ended.
  @usableFromInline
  package enum End: String, Hashable, Sendable, CaseIterable {
    /// The sequence ended.
    case finished
    /// The task was cancelled.
    case cancelled
    /// The sequence threw an error.
    case failed
    /// The program left the loop.
    case left
    /// The continuation was resumed.
    case resumed
  }

  package var id: ConsumerID
  package var form: Form
  /// What it waits for: class and key path, or the name of a sequence.
  package var awaited: StringID
  /// The source line that made the sequence or the continuation.
  package var site: StringID
  /// The observation whose values it takes; nil if there is none.
  package var registration: RegistrationID?
  /// The name of its task.
  package var task: StringID
  /// The priority of its task when it began; nil outside of tasks.
  package var priority: Int?
  /// Why it is meant to outlive its scope.
  package var expectedToLive: StringID
  /// When it began to wait, on the clock of ``Event/time``.
  package var since: UInt64?
  /// Whether nobody can give it a value, or end the sequence, any more.
  package var isOrphaned: Bool
  /// Whether the scope of the event ends and leaves it waiting.
  package var isLeft: Bool

  package init(
    id: ConsumerID,
    form: Form = .loop,
    awaited: StringID = .none,
    site: StringID = .none,
    registration: RegistrationID? = nil,
    task: StringID = .none,
    priority: Int? = nil,
    expectedToLive: StringID = .none,
    since: UInt64? = nil,
    isOrphaned: Bool = false,
    isLeft: Bool = false
  ) {
    self.id = id
    self.form = form
    self.awaited = awaited
    self.site = site
    self.registration = registration
    self.task = task
    self.priority = priority
    self.expectedToLive = expectedToLive
    self.since = since
    self.isOrphaned = isOrphaned
    self.isLeft = isLeft
  }
}
