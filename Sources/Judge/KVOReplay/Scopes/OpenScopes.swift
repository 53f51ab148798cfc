import KVORules
import KVOTrace

/// The scopes that are open, and the scope of an event that does not state it.
///
/// An event without a scope is in the innermost one that is open on its thread. If that is uncertain it is in none, and
/// the rules that need scopes are not judged.
///
/// Memory is bounded: of more than ``capacity`` open scopes the oldest is dropped.
///
/// Complexity: O(open scopes) for every input.
struct OpenScopes: Sendable {
  /// The inferred scope of an event that does not state it.
  enum Answer: Sendable {
    /// No scope is open.
    case none
    case scope(ScopeID)
    /// An open scope may or may not contain the event.
    case uncertain
  }

  private struct Open: Sendable {
    var id: ScopeID
    var thread: ThreadID?
  }

  private static let capacity = 1_024

  private var open: [Open] = []
  /// Whether scopes overlapped on one thread, as those of interleaved tasks do.
  private(set) var haveOverlapped = false

  var isEmpty: Bool { open.isEmpty }
  /// The scopes that are open, the innermost last.
  var ids: [ScopeID] { open.map(\.id) }

  /// A scope begins.
  ///
  /// If it states a parent that is not the innermost scope on its thread, the two overlap: a scope that began in
  /// between is still open, and does not contain it.
  mutating func begin(_ scope: Scope, on thread: ThreadID?) {
    if let parent = scope.parent, let innermost = open.last(where: { $0.thread == thread }),
      innermost.id != parent
    {
      haveOverlapped = true
    }
    if open.count == Self.capacity { open.removeFirst() }
    open.append(Open(id: scope.id, thread: thread))
  }

  /// A scope ends.
  ///
  /// - Returns: whether another that began later on the same thread is still open: then the scopes of the events inside
  ///   are uncertain.
  mutating func end(_ scope: ScopeID) -> Bool {
    guard let index = open.lastIndex(where: { $0.id == scope }) else { return false }
    let ended = open.remove(at: index)
    let overlaps = open[index...].contains { $0.thread == ended.thread }
    haveOverlapped = !open.isEmpty && (haveOverlapped || overlaps)
    return overlaps
  }

  /// The scope of an event of `thread` that states none.
  ///
  /// Events without a thread count as one thread as long as no event has one; otherwise they may be on any thread.
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
