/// The waiting tasks that hold an object.
///
/// It describes the present state. A task releases what it holds when it ends: the object is leaked
/// if nothing resumes or cancels the task.
public struct RetainTasks: Hashable, Sendable {
  /// Tasks that hold the object by the same references.
  public struct Holder: Hashable, Sendable {
    /// The shortest chain of references from one of the tasks to the object.
    public let path: RetainPath
    /// The number of tasks.
    public let count: Int

    /// Whether every reference is proven; otherwise the object is among what a function of the task
    /// used when it began to wait, and may no longer be in use.
    public var isProven: Bool { path.edges.allSatisfy { $0.certainty == .proven } }
  }

  /// The holders, those with proven references first, then those with the most tasks.
  public let holders: [Holder]
  /// The number of tasks that hold the object and whose references are not described, because
  /// ``RetainSearch/cycleLimit`` was reached.
  public let omittedCount: Int
  /// The number of waiting tasks that were examined.
  public let waitingCount: Int
  /// The number of tasks that a thread was running, and that may hold the object.
  public let runningCount: Int
  /// Whether the tasks of the process could be found and examined; otherwise there may be more.
  public let isComplete: Bool

  /// The answer if no copy of the process could be read.
  static let unknown = RetainTasks(
    holders: [],
    omittedCount: 0,
    waitingCount: 0,
    runningCount: 0,
    isComplete: false
  )
}

extension RetainTasks.Holder: CustomStringConvertible {
  /// `Task waiting at Screen.swift:22 → closure capture of self (Screen.swift:21) → Screen (3 tasks)`.
  public var description: String {
    (isProven ? "" : "suspected: ") + "\(path)" + (count > 1 ? " (\(count) tasks)" : "")
  }
}

extension RetainTasks: CustomStringConvertible {
  /// A line for each holder.
  public var description: String {
    var lines = [holders.isEmpty ? "no waiting task holds it" : "held by waiting tasks"]
    lines += self.lines.map { "  \($0)" }
    if runningCount > 0 { lines.append("  not inspected: \(runningCount) running") }
    lines += notLookedInto.map { "  not inspected: \($0)" }
    return lines.joined(separator: "\n")
  }

  /// What could not be inspected, besides running tasks.
  var notLookedInto: [String] { isComplete ? [] : ["tasks that could not be found"] }

  /// The holders, and how many are omitted.
  var lines: [String] {
    holders.map(\.description) + (omittedCount > 0 ? ["and by \(omittedCount) more"] : [])
  }
}
