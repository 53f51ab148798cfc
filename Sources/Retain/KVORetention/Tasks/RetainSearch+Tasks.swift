internal import CKVORetention
package import KVORetainRegistry

extension RetainSearch {
  /// Finds the waiting tasks that hold an object, whether or not the object leads to them.
  ///
  /// ```swift
  /// final class Screen {
  ///   init(_ model: Model) {
  ///     Task { for await name in model.names { self.show(name) } }
  ///   }
  /// }
  /// print(RetainSearch().findTasks(holding: screen))
  /// // held by waiting tasks
  /// //   Task waiting at Screen.swift:3 → closure capture of self (Screen.swift:3) → Screen
  /// ```
  ///
  /// All tasks of the process are found in its memory. References of a task's closure are proven: the
  /// task owns its captures until it ends. References in the frames of its functions are suspected:
  /// they are words, and remains of earlier values are among them; those are shown if the object
  /// has more owners than are known otherwise. A running task is not read, nor is one that is created
  /// by `async let`, except through its parent.
  ///
  /// Tasks may continue and end during the call: it reads a copy of the process, as
  /// ``findCycles(inSnapshotFrom:within:)`` does.
  ///
  /// - Parameter object: the object that should have been deallocated.
  /// - Returns: the tasks, with the line at which they wait if debug information is at hand.
  /// - Complexity: O(bytes) of the process's writable memory, and O(n) in the objects that tasks
  ///   hold.
  public func findTasks(holding object: AnyObject) -> RetainTasks {
    findTasks(holding: object, names: nil)
  }

  package func findTasks(holding object: AnyObject, names: CodeNames?) -> RetainTasks {
    let limit = min(timeLimit, .seconds(30))
    let tasks = try? inCopy(
      from: [object],
      within: limit,
      names: names,
      decode: AnswerBytes.tasks
    ) { run, roots in
      let run = run.accessing(.closures)
      return AnswerBytes(roots.first.map { run.tasks(holding: $0) } ?? .unknown)
    }
    return tasks ?? .unknown
  }

  /// Whether a task is at an address, waits, and was neither resumed nor cancelled.
  ///
  /// Reads copies of memory: the task may have ended. False if memory cannot be copied.
  package static func isWaiting(task address: UInt) -> Bool {
    let words = CopiedMemory(effort: 0)
    let metadata = kvos_task_metadata()
    guard metadata != 0, address >= 4096, address & 7 == 0, words.wordNow(at: address) == metadata,
      let status = words.wordNow(at: address + UInt(KVOS_TASK_STATUS))
    else { return false }
    let flags =
      KVOS_TASK_IS_RUNNING | KVOS_TASK_IS_ENQUEUED | KVOS_TASK_IS_COMPLETE | KVOS_TASK_IS_WAITING
      | KVOS_TASK_IS_CANCELLED
    return UInt32(truncatingIfNeeded: status) & flags == KVOS_TASK_IS_WAITING
  }
}

extension SearchRun {
  /// The waiting tasks that hold the object at an address.
  func tasks(holding object: UInt) -> RetainTasks {
    let metadata = kvos_task_metadata()
    guard let copy = MemoryCopy(), metadata != 0, !reader.memory.regions.isEmpty else {
      // A program without tasks links no metadata of tasks.
      return RetainTasks(
        holders: [],
        omittedCount: 0,
        waitingCount: 0,
        runningCount: 0,
        isComplete: metadata == 0
      )
    }
    let scan = InstanceScan(
      sizes: [(metadata, UInt(KVOS_TASK_FUTURE))],
      memory: reader.memory,
      copy: copy
    )
    let found = scan.instances().values.flatMap(\.self).sorted()
    var waiting: [UInt] = []
    var runningCount = 0
    for address in found {
      guard let task = UnsafeRawPointer(bitPattern: address), reader.plan(of: address) != nil else {
        continue
      }
      if reader.isRunning(task) {
        runningCount += 1
      } else if !reader.isFinished(task) {
        waiting.append(address)
      }
    }
    var holders = TaskHolders(run: self, of: object, waiting: waiting)
    holders.find()
    return holders.answer(runningCount: runningCount)
  }
}

/// Finds from which tasks references lead to an object.
private struct TaskHolders {
  private let run: SearchRun
  private let object: UInt
  private let waiting: [UInt]
  /// The objects from each task that holds the object to the object, all as complements, so that they
  /// do not look like references.
  private var paths: [UInt: [UInt]] = [:]
  private var isComplete = true

  init(run: SearchRun, of object: UInt, waiting: [UInt]) {
    self.run = run
    self.object = object
    self.waiting = waiting
  }

  /// Finds proven references, and then suspected ones of the other tasks.
  mutating func find() {
    guard !waiting.isEmpty else { return }
    let reached = run.reached(from: waiting)
    let graph = run.graph(
      withFramesOf: waiting,
      from: waiting,
      besides: reached,
      ownedByCaller: [object]
    )
    isComplete = ContinuousClock.now < run.deadline && !run.reader.targets.isBlind
    let addresses = (0..<graph.objectCount).map { ~graph.addresses[$0] }
    guard let target = addresses.firstIndex(of: ~object) else { return }
    let tasks = Set(waiting.map { ~$0 })
    for includesSuspected in [false, true] where paths.count < waiting.count {
      let steps = Self.steps(to: target, in: graph, includesSuspected: includesSuspected)
      for number in addresses.indices
      where steps[number] >= 0 && tasks.contains(addresses[number])
        && paths[addresses[number]] == nil
      {
        var path = [addresses[number]]
        var next = number
        while next != target {
          next = steps[next]
          path.append(addresses[next])
        }
        paths[addresses[number]] = path
      }
    }
  }

  /// The next object on the shortest path from each object to a target; -1 if there is no path.
  ///
  /// Searches backward, so that one search finds the paths of all tasks.
  private static func steps(
    to target: Int,
    in graph: borrowing ObjectGraph,
    includesSuspected: Bool
  ) -> [Int] {
    let count = graph.objectCount
    var first = [Int](repeating: 0, count: count + 1)
    for source in 0..<count {
      for edge in graph.edges(of: source) where includesSuspected || !graph.isSuspected(edge) {
        first[graph.target(edge) + 1] += 1
      }
    }
    for number in 0..<count { first[number + 1] += first[number] }
    var sources = [Int](repeating: 0, count: first[count])
    var next = first
    for source in 0..<count {
      for edge in graph.edges(of: source) where includesSuspected || !graph.isSuspected(edge) {
        sources[next[graph.target(edge)]] = source
        next[graph.target(edge)] += 1
      }
    }
    var steps = [Int](repeating: -1, count: count)
    steps[target] = target
    var queue = [target]
    var index = 0
    while index < queue.count {
      let reached = queue[index]
      index += 1
      for source in sources[first[reached]..<first[reached + 1]] where steps[source] < 0 {
        steps[source] = reached
        queue.append(source)
      }
    }
    return steps
  }

  func answer(runningCount: Int) -> RetainTasks {
    var order: [String] = []
    var found: [String: (path: RetainPath, count: Int)] = [:]
    let named = waiting.compactMap { paths[~$0] }.prefix(max(run.search.cycleLimit, 0))
    for addresses in named {
      let path = run.path(along: addresses.map { ~$0 })
      let text = "\(path)"
      if found[text] == nil { order.append(text) }
      found[text] = (found[text]?.path ?? path, (found[text]?.count ?? 0) + 1)
    }
    let holders = order.compactMap { text in
      found[text].map { RetainTasks.Holder(path: $0.path, count: $0.count) }
    }
    return RetainTasks(
      holders: holders.filter(\.isProven).sorted { $0.count > $1.count }
        + holders.filter { !$0.isProven }.sorted { $0.count > $1.count },
      omittedCount: paths.count - named.count,
      waitingCount: waiting.count,
      runningCount: runningCount,
      isComplete: isComplete
    )
  }
}
