internal import KVORules

/// One search: a picture of what memory there is, a walk, and what is made of it.
struct SearchRun {
  private let search: RetainSearch
  private let reader: ObjectReader
  private let namer: PathNamer

  /// Whether a known object was seen to hold what it holds.
  private let isReflected: Bool

  init(_ search: RetainSearch, _ prior: Prior, store: PlanStore, names: CodeNames?) {
    self.search = search
    isReflected = prior.isReflected
    let attachments = Dictionary(grouping: prior.attachments, by: \.owner)
    reader = ObjectReader(store: store, memory: MemoryMap(), attachments: attachments)
    namer = PathNamer(reader: reader, names: names)
  }

  /// What has to be known before the lock of the one walk at a time is taken.
  struct Prior {
    /// Takes that lock itself.
    let isReflected = ReflectionCanary.sings
    /// Takes locks of the layer.
    let attachments = RetainMeeting.knowledge?.attachments ?? []
  }

  // MARK: Cycles

  func cycles(from roots: [UInt]) -> RetainAnswer {
    let reached = reached(from: roots)
    let graph = cyclicGraph(of: reached)
    let proven = StrongComponents(of: graph, includesSuspected: false)
    let cycles = describe(proven, of: graph, includesSuspected: false) { _ in true }
    var suspected: [RetainCycle] = []
    if search.scansOpaqueMemory {
      let all = StrongComponents(of: graph, includesSuspected: true)
      // A set that has a proven cycle is told of already.
      suspected = describe(all, of: graph, includesSuspected: true) { component in
        proven.componentNumbers.isEmpty
          || component.allSatisfy { proven.componentNumbers[$0] == 0 }
      }
    }
    return RetainAnswer(
      cycles: cycles,
      suspectedCycles: suspected,
      opaque: opaque(in: reached),
      objectCount: reached.count,
      referenceCount: reached.referenceCount
    )
  }

  private func describe(
    _ found: borrowing StrongComponents,
    of graph: borrowing ObjectGraph,
    includesSuspected: Bool,
    where isWanted: ([Int]) -> Bool
  ) -> [RetainCycle] {
    let components = found.components.filter(isWanted)
      .sorted { ($0.min() ?? 0) < ($1.min() ?? 0) }
      .prefix(max(search.cycleLimit, 0))
    guard !components.isEmpty else { return [] }
    var paths = PathSearch(
      objectCount: graph.objectCount,
      includesSuspected: includesSuspected
    )
    var cycles: [RetainCycle] = []
    for component in components {
      let steps = paths.shortestCycle(in: component, numbers: found.componentNumbers, of: graph)
      if let cycle = cycle(along: steps.map { graph.addresses[$0.object] }) { cycles.append(cycle) }
    }
    return cycles
  }

  /// The cycle along a ring of objects, from one on that a programmer knows; nil where it is empty.
  private func cycle(along ring: [UInt]) -> RetainCycle? {
    guard !ring.isEmpty else { return nil }
    let start = ring.firstIndex(where: namer.isNamed) ?? 0
    return RetainCycle(edges: namer.edges(along: Array(ring[start...] + ring[...start])))
  }

  /// How many observations that keep each other alive are asked for a cycle of their own.
  private static let observationLimit = 64

  /// The shortest cycle through each of the observations in `marks`, one for those that share it; nil
  /// marks all that are reached.
  func observationCycles(from roots: [UInt], through marks: Set<UInt>?) -> RetainAnswer {
    let reached = reached(from: roots)
    let graph = cyclicGraph(of: reached)
    let found = StrongComponents(of: graph, includesSuspected: false)
    var cycles: [RetainCycle] = []
    var paths: PathSearch?
    for component in found.components.sorted(by: { ($0.min() ?? 0) < ($1.min() ?? 0) }) {
      var covered: Set<Int> = []
      let marked = component.sorted().filter { isObservation(graph.addresses[$0], among: marks) }
      for object in marked.prefix(Self.observationLimit)
      where !covered.contains(object) && cycles.count < search.cycleLimit {
        if paths == nil {
          paths = PathSearch(objectCount: graph.objectCount, includesSuspected: false)
        }
        let steps =
          paths?.shortestCycle(through: object, numbers: found.componentNumbers, of: graph) ?? []
        covered.formUnion(steps.map(\.object))
        let ring = steps.map { graph.addresses[$0.object] }
        if let cycle = cycle(along: ring) { cycles.append(cycle) }
      }
    }
    return RetainAnswer(
      cycles: cycles,
      suspectedCycles: [],
      opaque: opaque(in: reached),
      objectCount: reached.count,
      referenceCount: reached.referenceCount
    )
  }

  private func isObservation(_ address: UInt, among marks: Set<UInt>?) -> Bool {
    marks?.contains(address) ?? (reader.plan(of: address)?.pointee.isObservation == true)
  }

  // MARK: Paths

  func path(to target: UInt, from roots: [UInt]) -> RetainPathAnswer {
    let reached = reached(from: roots)
    let graph = graph(of: reached)
    let opaque = opaque(in: reached)
    guard let number = (0..<graph.objectCount).first(where: { graph.addresses[$0] == target })
    else {
      return RetainPathAnswer(path: nil, opaque: opaque)
    }
    guard number >= reached.rootCount else {
      return RetainPathAnswer(path: RetainPath(edges: []), opaque: opaque)
    }
    var paths = PathSearch(objectCount: graph.objectCount, includesSuspected: false)
    let steps = paths.shortestWay(from: Array(0..<reached.rootCount), to: number, of: graph)
    guard let steps else { return RetainPathAnswer(path: nil, opaque: opaque) }
    let way = steps.map { graph.addresses[$0.object] } + [target]
    return RetainPathAnswer(path: RetainPath(edges: namer.edges(along: way)), opaque: opaque)
  }

  // MARK: What others need

  func className(at address: UInt) -> String { namer.className(at: address) }

  /// How a way along objects is drawn, without the places of elements in collections.
  func text(ofWay addresses: [UInt]) -> String {
    guard addresses.count > 1 else { return addresses.first.map { className(at: $0) } ?? "" }
    return withoutPlaces(RetainPath(edges: namer.edges(along: addresses)).description)
  }

  /// The same for a circle.
  func text(ofRing addresses: [UInt]) -> String {
    cycle(along: addresses).map { withoutPlaces($0.description) } ?? ""
  }

  private func withoutPlaces(_ text: String) -> String {
    text.replacing(#/\[\d+\]/#, with: "[…]")
  }

  /// The graph of all that is reached from `roots`.
  func graph(from roots: [UInt]) -> ObjectGraph { graph(of: reached(from: roots)) }

  private func graph(of reached: borrowing ReachedObjects) -> ObjectGraph {
    var collector = collector
    return ObjectGraph(of: reached, objects: nil, &collector)
  }

  private func reached(from roots: [UInt]) -> ReachedObjects {
    GraphWalk(reader: reader, scansOpaqueMemory: search.scansOpaqueMemory).reached(from: roots)
  }

  /// The graph of the objects that may be part of cycles.
  private func cyclicGraph(of reached: borrowing ReachedObjects) -> ObjectGraph {
    var collector = collector
    let candidates = CycleCandidates(of: reached, &collector)
    return ObjectGraph(of: reached, objects: candidates.objects, &collector)
  }

  private var collector: ReferenceCollector {
    ReferenceCollector(reader: reader, scansOpaqueMemory: search.scansOpaqueMemory)
  }

  /// What could not be looked into, by class and property, in the order in which it was met.
  private func opaque(in reached: borrowing ReachedObjects) -> [OpaqueObject] {
    struct Key: Hashable {
      var className: String
      var label: Int32
      var reason: OpaqueReason
    }
    var counts: [Key: Int] = [:]
    var order: [Key] = []
    for find in reached.opaque {
      let key = Key(
        className: namer.className(at: reached.address(of: Int(find.object))),
        label: find.label,
        reason: find.reason
      )
      if counts[key] == nil { order.append(key) }
      counts[key, default: 0] += 1
    }
    var found = order.map {
      OpaqueObject(
        className: $0.className,
        label: reader.store.text($0.label),
        reason: $0.reason,
        count: counts[$0] ?? 0
      )
    }
    if !isReflected {
      found.append(
        OpaqueObject(className: "this program", label: "", reason: .noReflectionMetadata, count: 1)
      )
    }
    if reached.isCut {
      found.append(
        OpaqueObject(className: "this program", label: "", reason: .outOfMemory, count: 1)
      )
    }
    return found
  }
}
