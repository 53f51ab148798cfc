/// How many registrations were live in the recorded processes, over the course of their logs.
///
/// Tracked only if the caller requests it (``AuditOptions/followsActivity``). Bounded, however long the logs are.
package struct Activity: Hashable, Sendable {
  /// How many processes have a curve; the others are counted.
  package static let processLimit = 12

  /// One process of one input.
  package struct Process: Hashable, Sendable {
    /// The index of the input.
    package var input: Int
    /// The number of its first event in the input.
    package var firstEvent: Int
    package var curve: LiveCurve

    package init(input: Int = 0, firstEvent: Int, curve: LiveCurve) {
      self.input = input
      self.firstEvent = firstEvent
      self.curve = curve
    }
  }

  package private(set) var processes: [Process] = []
  /// How many processes have no curve here.
  package private(set) var omittedProcessCount = 0

  package init() {}

  package var isEmpty: Bool { processes.isEmpty && omittedProcessCount == 0 }

  /// Adds one process; a process without activity has no curve.
  package mutating func add(_ process: Process) {
    if process.curve.steps.isEmpty { return }
    if processes.count < Self.processLimit {
      processes.append(process)
    } else {
      omittedProcessCount += 1
    }
  }

  /// Changes the index of each input.
  mutating func setInput(_ index: (Int) -> Int) {
    for position in processes.indices {
      processes[position].input = index(processes[position].input)
    }
  }

  /// Adds the activity of the input with the index `input`.
  mutating func add(_ other: Activity, input: Int) {
    for var process in other.processes {
      process.input = input
      add(process)
    }
    omittedProcessCount += other.omittedProcessCount
  }
}
