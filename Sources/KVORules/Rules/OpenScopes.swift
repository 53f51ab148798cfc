import KVOTrace

/// The scopes that are open, and which of them an event is in that does not say it.
///
/// An event without a scope is in the innermost one that is open on its thread. Where that is not
/// certain it is in none, and the rules that ask for scopes are not judged.
///
/// Memory is bounded: of more than ``capacity`` open scopes the oldest is forgotten.
///
/// Complexity: O(open scopes) for every input.
struct OpenScopes: Sendable {
  /// What is known of the scope of an event that does not say it.
  enum Answer: Sendable {
    /// No scope is open.
    case none
    case scope(ScopeID)
    /// A scope is open that the event may be in, or not.
    case uncertain
  }

  private struct Open: Sendable {
    var id: ScopeID
    var thread: ThreadID?
  }

  private static let capacity = 1_024

  private var open: [Open] = []
  /// Whether scopes overlapped on one thread, as those of tasks do that take turns on it.
  private(set) var haveOverlapped = false

  var isEmpty: Bool { open.isEmpty }

  mutating func begin(_ scope: ScopeID, on thread: ThreadID?) {
    if open.count == Self.capacity { open.removeFirst() }
    open.append(Open(id: scope, thread: thread))
  }

  /// A scope ends.
  ///
  /// - Returns: whether another that began later on the same thread is open still: then nothing is
  ///   certain of the events inside.
  mutating func end(_ scope: ScopeID) -> Bool {
    guard let place = open.lastIndex(where: { $0.id == scope }) else { return false }
    let ended = open.remove(at: place)
    let overlaps = open[place...].contains { $0.thread == ended.thread }
    if overlaps { haveOverlapped = true }
    return overlaps
  }

  /// The scope of an event of `thread` that names none.
  ///
  /// Threads that are not named are one thread, as long as all are: where some are named, the others
  /// may be any.
  func scope(on thread: ThreadID?) -> Answer {
    if open.isEmpty { return .none }
    if haveOverlapped { return .uncertain }
    guard let innermost = open.last(where: { $0.thread == thread }) else {
      return open.contains { $0.thread == nil } || thread == nil ? .uncertain : .none
    }
    let isMixed = open.contains { ($0.thread == nil) != (thread == nil) }
    return isMixed ? .uncertain : .scope(innermost.id)
  }
}
