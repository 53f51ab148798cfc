/// One call on a shared object: when it was made, when it had returned, and what it did.
struct HistoryCall<Operation> {
  /// Moments, in any unit that grows.
  var began: Int
  var ended: Int
  var operation: Operation
}

/// What an object does when calls come one after the other.
protocol SequentialSpecification {
  associatedtype State: Hashable
  associatedtype Operation
  static var initial: State { get }
  /// The state after `operation`, or nil if it cannot have had its result.
  static func apply(_ operation: Operation, to state: State) -> State?
}

/// Whether calls that overlapped could have come one after the other, each at some moment between its
/// beginning and its end, with the results that they had (Herlihy and Wing's linearisability).
///
/// Searches as Wing and Gong do: a call may come next if none of the others had ended before it began;
/// what was tried in vain is remembered.
///
/// Complexity: exponential in the calls that overlap, at the worst.
struct LinearizabilityChecker<Specification: SequentialSpecification> {
  private struct Attempt: Hashable {
    var done: [Bool]
    var state: Specification.State
  }

  private let calls: [HistoryCall<Specification.Operation>]
  private var failed: Set<Attempt> = []

  init(_ calls: [HistoryCall<Specification.Operation>]) {
    self.calls = calls.sorted { $0.began < $1.began }
  }

  /// Whether the history can be explained.
  static func explains(_ calls: [HistoryCall<Specification.Operation>]) -> Bool {
    var checker = LinearizabilityChecker(calls)
    return checker.search(
      Attempt(done: Array(repeating: false, count: calls.count), state: Specification.initial)
    )
  }

  private mutating func search(_ attempt: Attempt) -> Bool {
    guard let firstEnd = calls.indices.filter({ !attempt.done[$0] }).map({ calls[$0].ended }).min()
    else { return true }
    guard !failed.contains(attempt) else { return false }
    for index in calls.indices where !attempt.done[index] && calls[index].began <= firstEnd {
      guard let next = Specification.apply(calls[index].operation, to: attempt.state)
      else { continue }
      var after = attempt
      after.done[index] = true
      after.state = next
      if search(after) { return true }
    }
    failed.insert(attempt)
    return false
  }
}

/// One registration, as decision 3 of the design promises it.
enum RegistrationLife: SequentialSpecification {
  enum State { case absent, live, ended }

  enum Operation {
    case add
    /// Idempotent, as a token is.
    case remove
    /// A change, and whether the observer was notified of it.
    case change(isNotified: Bool)
  }

  static let initial = State.absent

  static func apply(_ operation: Operation, to state: State) -> State? {
    switch operation {
    case .add: state == .absent ? .live : nil
    case .remove: state == .absent ? nil : .ended
    case .change(let isNotified): isNotified == (state == .live) ? state : nil
    }
  }
}
