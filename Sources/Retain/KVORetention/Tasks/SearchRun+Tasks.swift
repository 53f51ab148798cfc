internal import CKVORetention

// Cycles through waiting tasks, in a copy of the process.
extension SearchRun {
  /// The answer of a search, with the cycles through tasks.
  func cyclesWithTasks(from roots: [UInt]) -> RetainAnswer {
    // Of the tasks first, as the search for doubts may spend the effort for one search.
    let ofTasks = taskCycles(from: roots)
    return cycles(from: roots).with(taskCycles: ofTasks)
  }

  /// The shortest cycle through each waiting task that is reachable from `roots`, those with every
  /// edge proven first; those of equal descriptions count as one.
  ///
  /// - Complexity: O(n) in objects and references, for each task on a cycle.
  func taskCycles(from roots: [UInt]) -> [RetainCycle] {
    let run = accessing(.closures)
    let reached = run.reached(from: roots)
    let tasks = run.waitingTasks(in: reached)
    guard !tasks.isEmpty else { return [] }
    var found = TaskCycles(limit: search.cycleLimit)
    var proven = run.cyclicGraph(of: reached)
    run.draw(&proven, through: tasks, reached, includesSuspected: false, from: roots, into: &found)
    guard !reader.targets.isBlind else { return found.cycles }
    var graph = run.graph(
      withFramesOf: tasks,
      from: roots,
      besides: reached,
      ownedByCaller: roots
    )
    if graph.hasSuspected {
      run.draw(&graph, through: tasks, reached, includesSuspected: true, from: roots, into: &found)
    }
    return found.cycles
  }

  private func waitingTasks(in reached: borrowing ReachedObjects) -> [UInt] {
    var tasks: [UInt] = []
    for find in reached.opaque where find.reason == .task {
      let address = reached.address(of: Int(find.object))
      if tasks.last != address, reader.plan(of: address)?.pointee.kind == .task {
        tasks.append(address)
      }
    }
    return tasks
  }

  private func draw(
    _ graph: inout ObjectGraph,
    through tasks: [UInt],
    _ reached: borrowing ReachedObjects,
    includesSuspected: Bool,
    from roots: [UInt],
    into found: inout TaskCycles
  ) {
    let components = components(
      of: &graph,
      reached,
      includesSuspected: includesSuspected,
      from: roots
    )
    let tasks = Set(tasks.map { ~$0 })
    let members = components.components.joined().sorted().filter { object in
      tasks.contains(~graph.addresses[object])
    }
    guard !members.isEmpty else { return }
    var paths = PathSearch(objectCount: graph.objectCount, includesSuspected: includesSuspected)
    for task in members where found.wants(graph.addresses[task]) {
      let ring = paths.shortestCycle(through: task, numbers: components.componentNumbers, of: graph)
      // From the object that is nearest to the roots.
      guard let ring, let nearest = ring.indices.min(by: { ring[$0].object < ring[$1].object })
      else { continue }
      let addresses = (ring[nearest...] + ring[..<nearest]).map { graph.addresses[$0.object] }
      // A task that waits for a stream and the stream, which resumes it, refer to each other.
      guard let cycle = namer.cycle(along: addresses),
        cycle.edges.contains(where: { isOfProgram($0.from) })
      else { continue }
      found.take(cycle, through: graph.addresses[task])
    }
  }

  /// The graph of what some objects lead to, with the words of waiting tasks as suspected
  /// references.
  ///
  /// The frames of tasks that are met in the frames of others, as those of a group are, are read, too.
  func graph(
    withFramesOf tasks: [UInt],
    from roots: [UInt],
    besides reached: borrowing ReachedObjects,
    ownedByCaller objects: [UInt]
  ) -> ObjectGraph {
    var frames = TaskFrames(of: tasks, reader: reader)
    let children = frames.addresses.filter {
      reader.targets.wordNow(at: $0) == kvos_task_metadata()
    }
    if !Set(children).isSubset(of: tasks) {
      frames = TaskFrames(of: Array(Set(tasks + children)), reader: reader)
    }
    let all = GraphWalk(
      reader: reader,
      suspectingBeside: reached.granules,
      followsWords: false,
      until: deadline
    ).reached(from: roots + frames.addresses)
    var collector = ReferenceCollector(
      reader: reader,
      suspectingBeside: reached.granules,
      followsWords: false
    )
    let proven = ObjectGraph(of: all, objects: nil, &collector)
    let suspicion = TaskSuspicion(of: proven, ownedByCaller: objects, reader: reader)
    frames.keep(suspicion.isPlausible)
    return ObjectGraph(of: all, objects: nil, &collector, frames: frames)
  }
}

/// The cycles that were found so far.
private struct TaskCycles {
  private let limit: Int
  private(set) var cycles: [RetainCycle] = []
  /// By the complements of their addresses.
  private var tasks: Set<UInt> = []
  private var texts: Set<String> = []

  init(limit: Int) { self.limit = limit }

  /// Whether a cycle through a task is still missing.
  func wants(_ task: UInt) -> Bool { cycles.count < limit && !tasks.contains(~task) }

  mutating func take(_ cycle: RetainCycle, through task: UInt) {
    tasks.insert(~task)
    if texts.insert(cycle.description).inserted { cycles.append(cycle) }
  }
}
