internal import CKVORetention

/// An opaque part of an object that may close a cycle.
struct OpaqueDoubt {
  private let hidden: HiddenAddress
  let reason: OpaqueReason
  /// The index of the text that names the part in the object.
  let label: Int32
  var address: UInt { hidden.address }

  init(address: UInt, reason: OpaqueReason, label: Int32) {
    hidden = HiddenAddress(address)
    self.reason = reason
    self.label = label
  }
}

/// The result of examining opaque parts.
struct Doubts {
  var opaque: [OpaqueDoubt] = []
  /// Cycles with suspected references, if the search was asked for them.
  var cycles: [RetainCycle] = []
  /// Cycles whose suspected references proved to be strong, and the number of components that
  /// contain some.
  var proven: [RetainCycle] = []
  var provenComponentCount = 0
  var omittedCount = 0
  /// Whether the search stopped at a limit before it had examined everything.
  var isSpent = false
}

extension SearchRun {
  /// The maximum number of walks along words, each of which may find that chains of memory were followed too
  /// short.
  private static let wordWalkLimit = 4

  /// Finds what may close a cycle through the reached objects.
  ///
  /// These are the opaque parts of objects that would be on a cycle if all suspected references
  /// were strong. The cycles are drawn if the search was asked for them.
  ///
  /// An object that only suspected references lead to may not be reachable from the roots: it is
  /// searched for paths back to reached objects, but not for cycles of its own.
  ///
  /// If such memory must not be followed, every opaque part may close a cycle.
  func doubts(
    besides reached: borrowing ReachedObjects,
    _ proven: borrowing StrongComponents,
    in provenGraph: borrowing ObjectGraph,
    from roots: [UInt]
  ) -> Doubts {
    guard !reached.opaque.isEmpty else { return Doubts() }
    guard followsUnowned, !reader.targets.isBlind else {
      return Doubts(opaque: unsettled(in: reached))
    }
    var all = reachedByWords(besides: reached, from: roots)
    for _ in 1..<Self.wordWalkLimit where reader.targets.needsRepetition {
      all = reachedByWords(besides: reached, from: roots)
    }
    let isWhole = !reader.targets.needsRepetition
    var collector = ReferenceCollector(reader: reader, suspectingBeside: reached.granules)
    var doubts = Doubts()
    let candidates = CycleCandidates(of: all, &collector)
    var graph = ObjectGraph(of: all, objects: candidates.objects, &collector)
    guard isWhole, !all.isSpent, !all.isCut, !all.isLate, !reader.targets.isSpent else {
      return Doubts(opaque: unsettled(in: reached), isSpent: true)
    }
    guard graph.hasSuspected else {
      doubts.opaque = unsettled(in: all) { !$0.isWhole }
      return doubts
    }
    let components = components(of: &graph, reached, includesSuspected: true, from: roots)
    let numbers = reachedNumbers(of: components, in: graph, reached)
    var owned: Set<UInt> = []
    var decided: Set<UInt> = []
    var suspects: [OpaqueDoubt] = []
    // A proven cycle already decides the verdict.
    if proven.components.isEmpty, numbers.contains(where: { $0 != 0 }) {
      suspects = self.closing(in: graph, numbers, besides: [], &collector)
      // No reference leaves the graph, so the components stay what they are.
      (owned, decided) = settle(graph, numbers)
    }
    doubts.opaque = unsettled(in: all) { !$0.isWhole }
    var closing = self.closing(in: graph, numbers, besides: decided, &collector)
    let suspectedCycles =
      search.scansOpaqueMemory && !(closing.isEmpty && suspects.isEmpty)
      ? self.suspectedCycles(of: graph, components, numbers, besides: proven, provenGraph) : []
    // Last, because the graph may lose references of observations.
    drawProven(of: &graph, reached, owned, from: roots, &doubts)
    // All references are proven, and yet there is no cycle: an observation ends unless its keeper is on the cycle, and the
    // memory of a keeper does not say which observation is its own.
    if closing.isEmpty, doubts.provenComponentCount == 0 { closing = suspects }
    doubts.opaque += closing
    if !closing.isEmpty { doubts.cycles = suspectedCycles }
    return doubts
  }

  /// The objects that are reachable along references and words which may be references.
  private func reachedByWords(
    besides reached: borrowing ReachedObjects,
    from roots: [UInt]
  ) -> ReachedObjects {
    reader.targets.beginWalk()
    return GraphWalk(reader: reader, suspectingBeside: reached.granules, until: deadline)
      .reached(from: roots)
  }

  /// Draws the cycles with suspected references.
  private func suspectedCycles(
    of graph: borrowing ObjectGraph,
    _ components: borrowing StrongComponents,
    _ numbers: [UInt32],
    besides proven: borrowing StrongComponents,
    _ provenGraph: borrowing ObjectGraph
  ) -> [RetainCycle] {
    // A component with a proven cycle is already reported.
    var reported: Set<UInt> = []
    for object in 0..<proven.componentNumbers.count where proven.componentNumbers[object] != 0 {
      reported.insert(provenGraph.addresses[object])
    }
    var suspected: [[Int]] = []
    for component in components.components where numbers[component[0]] != 0 {
      var isReported = false
      for object in component where reported.contains(graph.addresses[object]) { isReported = true }
      if !isReported { suspected.append(component) }
    }
    var drawing = drawing(of: graph, includesSuspected: true)
    drawing.draw(Self.nearestFirst(suspected), numbers: numbers, of: graph)
    return drawing.cycles
  }

  /// The component number of each object, or 0 if only suspected references lead to the component, or
  /// it has only objects of libraries that are known to form cycles.
  private func reachedNumbers(
    of components: borrowing StrongComponents,
    in graph: borrowing ObjectGraph,
    _ reached: borrowing ReachedObjects
  ) -> [UInt32] {
    var isReached = [Bool](repeating: false, count: components.components.count + 1)
    for object in 0..<graph.objectCount where components.componentNumbers.indices.contains(object) {
      let number = Int(components.componentNumbers[object])
      if number > 0, !isReached[number], reached.granules.isReached(graph.addresses[object]) {
        isReached[number] = true
      }
    }
    // Those of libraries alone are neither cycles nor doubts.
    var isMeant = [Bool](repeating: false, count: isReached.count)
    for component in withoutRingsOfLibraries(components.components, in: graph) {
      let number = Int(components.componentNumbers[component[0]])
      isMeant[number] = isReached[number]
    }
    return components.componentNumbers.map { isMeant[Int($0)] ? $0 : 0 }
  }

  /// Draws the cycles of references that proved to be strong.
  private func drawProven(
    of graph: inout ObjectGraph,
    _ reached: borrowing ReachedObjects,
    _ owned: Set<UInt>,
    from roots: [UInt],
    _ doubts: inout Doubts
  ) {
    guard !owned.isEmpty else { return }
    let components = components(of: &graph, reached, from: roots)
    let numbers = reachedNumbers(of: components, in: graph, reached)
    let found = components.components.filter { numbers[$0[0]] != 0 }
    guard !found.isEmpty else { return }
    var drawing = drawing(of: graph, includesSuspected: false, owned: owned)
    drawing.draw(Self.nearestFirst(found), numbers: numbers, of: graph)
    doubts.proven = drawing.cycles
    doubts.provenComponentCount = found.count
    doubts.omittedCount = drawing.omittedCount
  }

  /// The opaque parts of objects, whether or not they lead anywhere.
  private func unsettled(
    in reached: borrowing ReachedObjects,
    where isMeant: (ReachedObjects.OpaqueFind) -> Bool = { _ in true }
  ) -> [OpaqueDoubt] {
    var doubts: [OpaqueDoubt] = []
    for find in reached.opaque where isMeant(find) {
      doubts.append(
        OpaqueDoubt(
          address: reached.address(of: Int(find.object)),
          reason: find.reason,
          label: find.label
        )
      )
    }
    return doubts
  }

  /// The opaque parts with a suspected reference on a cycle.
  private func closing(
    in graph: borrowing ObjectGraph,
    _ numbers: [UInt32],
    besides decided: Set<UInt>,
    _ collector: inout ReferenceCollector
  ) -> [OpaqueDoubt] {
    var doubts: [OpaqueDoubt] = []
    let objects = ObjectNumbers(of: graph.addresses)
    for object in 0..<numbers.count where numbers[object] != 0 {
      var isSuspecting = false
      for edge in graph.edges(of: object) where graph.isSuspected(edge) {
        isSuspecting = isSuspecting || numbers[graph.target(edge)] == numbers[object]
      }
      guard isSuspecting else { continue }
      let address = graph.addresses[object]
      _ = collector.collect(address)
      for find in collector.finds {
        var closes = false
        for number in find.suspected {
          let word = collector.references[number]
          guard word & ReachedObjects.suspected != 0,
            !decided.contains(word & ~ReachedObjects.suspected),
            let target = objects[word & ~ReachedObjects.suspected]
          else { continue }
          closes = closes || numbers[Int(target)] == numbers[object]
        }
        if closes {
          doubts.append(OpaqueDoubt(address: address, reason: find.reason, label: find.label))
        }
      }
    }
    return doubts
  }

  /// The opaque parts of all reached objects that lead anywhere.
  func allDoubts(in reached: borrowing ReachedObjects) -> Doubts {
    guard !reader.targets.isBlind else { return Doubts(opaque: unsettled(in: reached)) }
    var collector = ReferenceCollector(reader: reader, suspectingBeside: reached.granules)
    var doubts = Doubts()
    var latest = UInt32.max
    for find in reached.opaque where find.object != latest {
      latest = find.object
      let address = reached.address(of: Int(find.object))
      _ = collector.collect(address)
      for find in collector.finds {
        doubts.opaque.append(
          OpaqueDoubt(address: address, reason: find.reason, label: find.label)
        )
      }
    }
    guard !reader.targets.isSpent else {
      return Doubts(opaque: unsettled(in: reached), isSpent: true)
    }
    return doubts
  }

  /// The parts that could not be inspected and are in doubt, by class and property, in the order in
  /// which they were met.
  func opaque(
    in reached: borrowing ReachedObjects,
    _ doubts: Doubts
  ) -> [OpaqueObject] {
    struct Key: Hashable {
      var className: String
      var label: Int32
      var reason: OpaqueReason
    }
    var counts: [Key: Int] = [:]
    var order: [Key] = []
    func count(_ reason: OpaqueReason, _ label: Int32, at address: UInt) {
      let key = Key(className: className(at: address), label: label, reason: reason)
      if counts[key] == nil { order.append(key) }
      counts[key, default: 0] += 1
    }
    for doubt in doubts.opaque { count(doubt.reason, doubt.label, at: doubt.address) }
    var found = order.map {
      OpaqueObject(
        className: $0.className,
        label: reader.store.text($0.label),
        reason: $0.reason,
        count: counts[$0] ?? 0
      )
    }
    let program: [(OpaqueReason, Bool)] = [
      (.noReflectionMetadata, !isReflected), (.outOfMemory, reached.isCut),
      (.outOfTime, reached.isLate), (.searchLimit, doubts.isSpent),
    ]
    found += program.filter(\.1).map {
      OpaqueObject(className: "this program", label: "", reason: $0.0, count: 1)
    }
    return found
  }
}
