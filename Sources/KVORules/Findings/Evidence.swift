package import KVOTrace

/// One event that proves a verdict: what it did, who did it, and from where.
package struct Evidence: Hashable, Sendable {
  /// What an event has to do with the fault.
  ///
  /// The raw values are the roles in JSON.
  package enum Role: String, Hashable, Sendable, CaseIterable {
    /// The event at which the fault showed.
    case failed
    /// Where the observation had been removed before.
    case removed
    /// Where the observation was made.
    case registered
    /// Where an object died.
    case deallocated
    /// Where the value was changed.
    case changed
    /// Where the callback began.
    case notified
    /// Where the scope was opened.
    case scope
    /// Where the lock was taken.
    case locked
    /// Where a key path hung itself on an object.
    case attached
    /// Where the value was seen before.
    case seen
    /// Where an exception was raised that left a callback.
    case raised
  }

  // Kept for every registration that is live or remembered: the optional numbers have no padding.
  /// The 1-based number of the event in its input (in JSON Lines: the line); 0 where the process
  /// still runs and events are not numbered.
  package var event: Int
  /// Zero where there is no order, so that equal evidence has equal words.
  private var orderWord: UInt64 = 0
  private var threadWord: OptionalIdentifier<ThreadTag>
  package var stack: StackID
  /// The source line of the call, where the compiler gave it.
  package var site: StringID
  package var role: Role
  private var hasOrder = false

  /// The event's place among the events of its subject, or nil.
  package var order: UInt64? {
    get { hasOrder ? orderWord : nil }
    set { (orderWord, hasOrder) = (newValue ?? 0, newValue != nil) }
  }
  package var thread: ThreadID? {
    get { threadWord.value }
    set { threadWord.value = newValue }
  }

  package init(
    role: Role,
    event: Int,
    order: UInt64? = nil,
    thread: ThreadID? = nil,
    stack: StackID = .none,
    site: StringID = .none
  ) {
    self.role = role
    self.event = event
    threadWord = OptionalIdentifier(thread)
    self.stack = stack
    self.site = site
    self.order = order
  }

  /// The same event in another role.
  package func `as`(_ role: Role) -> Evidence {
    var copy = self
    copy.role = role
    return copy
  }

  /// Whether the log says that the event came from another line than `other`, or from another stack where
  /// a line is not said.
  func isElsewhere(than other: Evidence) -> Bool {
    if site != .none, other.site != .none { return site != other.site }
    return stack != .none && other.stack != .none && stack != other.stack
  }
}
