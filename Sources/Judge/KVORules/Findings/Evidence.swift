public import KVOTrace

/// One event that proves a verdict: the action, its thread and its call site.
@usableFromInline
package struct Evidence: Hashable, Sendable {
  /// The role of an event in the fault.
  ///
  /// The raw values are the roles in JSON.
  @usableFromInline
  package enum Role: String, Hashable, Sendable, CaseIterable {
    /// The event at which the fault was detected.
    case failed
    /// Where the observation had been removed before.
    case removed
    /// Where the observation was made.
    case registered
    /// Where an object was deallocated.
    case deallocated
    /// Where the value was changed.
    case changed
    /// Where the callback began.
    case notified
    /// Where the scope was opened.
    case scope
    /// Where the lock was taken.
    case locked
    /// Where a key path attached itself to an object.
    case attached
    /// Where the value was seen previously.
    case seen
    /// Where an exception that propagated out of a callback was raised.
    case raised
    /// Where the continuation had been resumed before.
    case resumed
  }

  // Stored for every registration that is live or remembered, so the optional numbers have no padding.
  /// The 1-based number of the event in its input (in JSON Lines: the line); 0 if the process
  /// still runs and events are not numbered.
  @usableFromInline package var event: Int
  /// Zero if there is no order, so that equal evidence has equal bytes.
  @usableFromInline var orderWord: UInt64 = 0
  @usableFromInline var threadWord: OptionalIdentifier<ThreadTag>
  @usableFromInline package var stack: StackID
  /// The source line of the call, if the compiler gave it.
  @usableFromInline package var site: StringID
  @usableFromInline package var role: Role
  @usableFromInline var hasOrder = false

  /// The event's position among the events of its subject, or nil.
  @inlinable package var order: UInt64? {
    get { hasOrder ? orderWord : nil }
    set { (orderWord, hasOrder) = (newValue ?? 0, newValue != nil) }
  }
  @inlinable package var thread: ThreadID? {
    get { threadWord.value }
    set { threadWord.value = newValue }
  }

  @inlinable
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
  @inlinable
  package func `as`(_ role: Role) -> Evidence {
    var copy = self
    copy.role = role
    return copy
  }

  /// The same event at a known source line.
  @inlinable
  package func at(_ site: StringID) -> Evidence {
    var copy = self
    copy.site = site
    return copy
  }

  /// Whether the event came before `other`, which concerns the same subject: by their orders, or by their lines if one
  /// has none.
  @inlinable
  package func precedes(_ other: Evidence) -> Bool {
    hasOrder && other.hasOrder ? orderWord < other.orderWord : event < other.event
  }

  /// Whether, by the log, the event came from another line than `other`, or from another stack if a line is unknown.
  package func isElsewhere(than other: Evidence) -> Bool {
    if site != .none, other.site != .none { return site != other.site }
    return stack != .none && other.stack != .none && stack != other.stack
  }
}
