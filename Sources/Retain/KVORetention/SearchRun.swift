internal import CKVORetention
internal import KVORetainRegistry

/// One search: a snapshot of the memory map, a walk, and the evaluation of its result.
struct SearchRun {
  let search: RetainSearch
  private(set) var reader: ObjectReader
  private(set) var namer: PathNamer
  private let names: CodeNames?

  /// Whether a walk of a known object finds what the object holds.
  let isReflected: Bool
  let deadline: ContinuousClock.Instant
  /// The frame and registers with which the search began; nil if the registers of its caller are
  /// not known.
  let entry: KVOSEntry?
  /// The stacks of threads that waited before this copy of the process was made; nil if this is not a copy.
  let waitingStacks: [UInt]?
  /// Whether memory is followed of which it is not known who owns it.
  ///
  /// In a process with other threads, those may free it at any time, and an object in it cannot be
  /// read.
  let followsUnowned: Bool

  /// - Parameters:
  ///   - search: the limits.
  ///   - prior: what was read before the lock of the walk was taken.
  ///   - store: the plans of objects.
  ///   - names: finds source locations.
  ///   - tasks: how much of tasks that have not ended is read.
  ///   - followsUnowned: see ``followsUnowned``.
  init(
    _ search: RetainSearch,
    _ prior: Prior,
    store: PlanStore,
    names: CodeNames?,
    tasks: TaskAccess = .words,
    followsUnowned: Bool = true
  ) {
    self.search = search
    self.names = names
    isReflected = store.isReflected
    deadline = .now + search.timeLimit
    entry = prior.entry
    waitingStacks = prior.waitingStacks
    self.followsUnowned = followsUnowned
    let attachments = Dictionary(grouping: prior.attachments, by: \.owner)
    reader = ObjectReader(store: store, memory: MemoryMap(), attachments: attachments)
    reader.tasks = tasks
    namer = PathNamer(reader: reader, names: names)
  }

  /// The same search with more or less access to tasks.
  func accessing(_ tasks: TaskAccess) -> SearchRun {
    var run = self
    run.reader.tasks = tasks
    run.namer = PathNamer(reader: run.reader, names: names)
    return run
  }

  /// The state that must be read before the lock of the walk is taken.
  struct Prior {
    /// Takes locks of KVOSafety.
    let attachments = RetainRegistry.knowledge?.attachments ?? []
    /// The caller's registers.
    let entry: KVOSEntry? = {
      var entry = KVOSEntry()
      return kvos_note_entry(&entry) != 0 ? entry : nil
    }()
    /// What a copy of the process needs to know of its threads; nil if the process itself is searched.
    var waitingStacks: [UInt]?
  }

  // MARK: Cycles

  func cycles(from roots: [UInt]) -> RetainAnswer {
    let reached = reached(from: roots)
    var graph = cyclicGraph(of: reached)
    let proven = components(of: &graph, reached, from: roots)
    var drawing = drawing(
      of: graph,
      includesSuspected: false,
      isNeeded: !proven.components.isEmpty
    )
    let components = withoutRingsOfLibraries(proven.components, in: graph)
    drawing.draw(Self.nearestFirst(components), numbers: proven.componentNumbers, of: graph)
    let doubts = doubts(besides: reached, proven, in: graph, from: roots)
    return RetainAnswer(
      cycles: drawing.cycles + doubts.proven,
      suspectedCycles: doubts.cycles,
      taskCycles: [],
      componentCount: components.count + doubts.provenComponentCount,
      omittedCycleCount: drawing.omittedCount + doubts.omittedCount,
      opaque: opaque(in: reached, doubts),
      objectCount: reached.count,
      referenceCount: reached.referenceCount
    )
  }

  /// Components without those of a library's own objects that are known to form cycles, in which no
  /// object of the program takes part.
  func withoutRingsOfLibraries(
    _ components: [[Int]],
    in graph: borrowing ObjectGraph
  ) -> [[Int]] {
    var left: [[Int]] = []
    for component in components {
      var hasRingMaker = false
      var isOfLibrary = true
      for object in component where isOfLibrary {
        let plan = reader.plan(of: graph.addresses[object])
        let descriptor = plan?.pointee.metadata.flatMap { TypeMetadata($0).nominal?.descriptor }
        guard let descriptor, let module = descriptor.module,
          LibraryReferences.modules.contains(module)
        else {
          isOfLibrary = false
          continue
        }
        hasRingMaker = hasRingMaker || LibraryReferences.makesRings(descriptor.name, in: module)
      }
      if !(isOfLibrary && hasRingMaker) { left.append(component) }
    }
    return left
  }

  func drawing(
    of graph: borrowing ObjectGraph,
    includesSuspected: Bool,
    isNeeded: Bool = true,
    owned: Set<UInt> = []
  ) -> CycleDrawing {
    var namer = namer
    namer.owned = owned
    return CycleDrawing(
      namer: namer,
      limit: search.cycleLimit,
      paths: PathSearch(
        objectCount: isNeeded ? graph.objectCount : 0,
        includesSuspected: includesSuspected
      )
    )
  }

  static func nearestFirst(_ components: [[Int]]) -> [[Int]] {
    components.map { ($0.min() ?? 0, $0) }.sorted { $0.0 < $1.0 }.map(\.1)
  }

  // MARK: Paths

  func path(to target: UInt, from roots: [UInt]) -> RetainPathAnswer {
    let reached = reached(from: roots)
    let graph = graph(of: reached)
    let opaque = opaque(in: reached, allDoubts(in: reached))
    guard let number = (0..<graph.objectCount).first(where: { graph.addresses[$0] == target })
    else {
      return RetainPathAnswer(path: nil, opaque: opaque)
    }
    guard number >= reached.rootCount else {
      return RetainPathAnswer(path: RetainPath(edges: []), opaque: opaque)
    }
    var paths = PathSearch(objectCount: graph.objectCount, includesSuspected: false)
    let steps = paths.shortestPath(from: Array(0..<reached.rootCount), to: number, of: graph)
    guard let steps else { return RetainPathAnswer(path: nil, opaque: opaque) }
    let path = steps.map { graph.addresses[$0.object] } + [target]
    return RetainPathAnswer(path: RetainPath(edges: namer.edges(along: path)), opaque: opaque)
  }

  // MARK: For other files

  func className(at address: UInt) -> String { namer.className(at: address) }

  /// Whether an object is an instance of a class of the program.
  func isOfProgram(_ object: RetainedObject) -> Bool { namer.isOfProgram(object) }

  /// The path along objects, of which the last is the target.
  func path(along addresses: [UInt]) -> RetainPath {
    RetainPath(edges: namer.edges(along: addresses))
  }

  /// The text of a path along objects, without indexes of elements in collections.
  func text(ofPath addresses: [UInt]) -> String {
    guard addresses.count > 1 else { return addresses.first.map { className(at: $0) } ?? "" }
    return withoutIndices(RetainPath(edges: namer.edges(along: addresses)).description)
  }

  /// The same for a cycle.
  func text(ofCycle addresses: [UInt]) -> String {
    namer.cycle(along: addresses).map { withoutIndices($0.description) } ?? ""
  }

  private func withoutIndices(_ text: String) -> String {
    text.replacing(#/\[\d+\]/#, with: "[…]")
  }

  /// What cannot be inspected of the objects that are reachable from `roots`.
  func doubts(from roots: [UInt]) -> [OpaqueObject] {
    let reached = reached(from: roots)
    return opaque(in: reached, allDoubts(in: reached))
  }

  /// The graph of all objects that are reachable from `roots`.
  func graph(from roots: [UInt]) -> ObjectGraph { graph(of: reached(from: roots)) }

  private func graph(of reached: borrowing ReachedObjects) -> ObjectGraph {
    var collector = collector
    return ObjectGraph(of: reached, objects: nil, &collector)
  }

  func reached(from roots: [UInt]) -> ReachedObjects {
    GraphWalk(reader: reader, until: deadline).reached(from: roots)
  }

  /// The graph of the objects that may be part of cycles.
  func cyclicGraph(of reached: borrowing ReachedObjects) -> ObjectGraph {
    var collector = collector
    let candidates = CycleCandidates(of: reached, &collector)
    return ObjectGraph(of: reached, objects: candidates.objects, &collector)
  }

  var collector: ReferenceCollector {
    ReferenceCollector(reader: reader)
  }
}
