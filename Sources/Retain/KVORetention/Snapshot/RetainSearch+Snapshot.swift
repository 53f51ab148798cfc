internal import Glibc
package import KVORetainRegistry

extension RetainSearch {
  /// Finds the objects that keep themselves alive in a copy of this process, while this process
  /// continues.
  ///
  /// ```swift
  /// let answer = try RetainSearch().findCycles(inSnapshotFrom: server, within: .seconds(5))
  /// ```
  ///
  /// Like ``findCycles(from:)``, but for a process whose threads change the reachable objects: the
  /// copy, which `fork` creates, does not change. This process stops while the copy is made: 3 ms
  /// with 20,000 objects and 12 ms with 500,000 were measured; the call itself waits for the
  /// answer. The copy runs no code of the program except handlers registered with `pthread_atfork`,
  /// and ends without its exit handlers.
  ///
  /// An object that another thread was changing at that moment may be inconsistent: the copy may
  /// read garbage there, and crash, which does not affect this process. It may also wait for a lock
  /// of the Swift runtime that another thread held, forever. Then another copy is made, up to three
  /// in total. For the first reason the answer may contain a cycle that never existed;
  /// repeat the search if this matters.
  ///
  /// - Parameters:
  ///   - roots: the objects from which the search begins; they are kept alive until the call
  ///     returns.
  ///   - limit: the time limit of the whole call; less than a minute.
  /// - Returns: the cycles, or the reasons why the absence of cycles is not certain.
  /// - Throws: ``RetainSnapshotError`` if no copy can be made, or it does not answer in time, or
  ///   all copies crash or wait for a lock.
  public func findCycles(
    inSnapshotFrom roots: AnyObject...,
    within limit: Duration = .seconds(10)
  ) throws(RetainSnapshotError) -> RetainAnswer {
    try findCycles(inSnapshotFrom: roots, within: limit, names: nil)
  }

  package func findCycles(
    inSnapshotFrom roots: [AnyObject],
    within limit: Duration,
    names: CodeNames?
  ) throws(RetainSnapshotError) -> RetainAnswer {
    try inCopy(from: roots, within: limit, names: names, decode: AnswerBytes.answer) {
      AnswerBytes($0.cyclesWithTasks(from: $1))
    }
  }
}

/// The reason why a snapshot gave no answer.
public struct RetainSnapshotError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The kind of error.
  ///
  /// More codes may be added.
  public struct Code: Hashable, Sendable {
    private let name: String
    /// The answer did not arrive in time; the snapshot was ended.
    public static let timedOut = Code(name: "timedOut")
    /// The last of several snapshots read memory that was being changed.
    public static let crashed = Code(name: "crashed")
    /// The last of several snapshots waited for a lock that another thread had held.
    public static let blocked = Code(name: "blocked")
    /// The system refused an operation: copying the process or its memory, or writing a file.
    public static let system = Code(name: "system")
    /// The allocations cannot be listed: the allocator is not glibc's, for example because of a
    /// sanitizer.
    public static let unknownAllocator = Code(name: "unknownAllocator")

    private init(name: String) { self.name = name }
  }

  /// The kind of error.
  public let code: Code
  /// The error as a sentence.
  public let message: String

  /// The message.
  public var description: String { message }
}

extension RetainSnapshotError {
  /// Makes an error of a refused system call: `what`, and the system's words for `errno`.
  init(_ what: String, errno: Int32) {
    self.init(code: .system, message: "\(what): \(String(cString: strerror(errno)))")
  }
}
