/// Finds what keeps alive the instances that the repetitions left behind.
struct GrowthRun: ~Copyable {
  /// The maximum number of instances of a class that are examined.
  private static let instanceLimit = 64

  private let run: SearchRun
  /// The instances, by metadata.
  private let living: [UInt: [UInt]]
  /// Where the walk began.
  private let starts: [UInt]
  private let graph: ObjectGraph
  private var numbers: [UInt: Int] = [:]
  private let components: StrongComponents
  private var fromRoots: PathSearch
  private var fromCycles: PathSearch
  private var inCycles: PathSearch
  private var cycleTexts: [UInt32: String] = [:]

  init(run: SearchRun, living: [UInt: [UInt]], roots: [UInt]) {
    self.run = run
    self.living = living
    starts = roots + living.values.flatMap(\.self).sorted()
    graph = run.graph(from: starts)
    let count = graph.objectCount
    components = StrongComponents(of: graph, includesSuspected: false)
    fromRoots = PathSearch(objectCount: count, includesSuspected: false)
    fromCycles = PathSearch(objectCount: count, includesSuspected: false)
    inCycles = PathSearch(objectCount: count, includesSuspected: false)
    for number in 0..<count { numbers[graph.addresses[number]] = number }
    fromRoots.reach(from: roots.compactMap { numbers[$0] }, of: graph)
    fromCycles.reach(from: components.components.flatMap(\.self).sorted(), of: graph)
  }

  /// The report on the classes with these counts, and what may keep instances of which nothing else
  /// is known to keep them.
  consuming func classes(
    _ counts: [UInt: [Int]]
  ) -> (classes: [RetainGrowth.GrownClass], opaque: [OpaqueObject]) {
    var run = self
    let classes = run.grownClasses(counts)
    let isKnown = classes.allSatisfy { $0.keepers.allSatisfy { $0.kind != .unknown } }
    return (classes, isKnown ? [] : run.run.doubts(from: run.starts))
  }

  private mutating func grownClasses(_ counts: [UInt: [Int]]) -> [RetainGrowth.GrownClass] {
    var classes: [RetainGrowth.GrownClass] = []
    for (metadata, counts) in counts {
      guard let addresses = living[metadata], let first = addresses.first else { continue }
      classes.append(
        RetainGrowth.GrownClass(
          className: run.className(at: first),
          counts: counts,
          keepers: keepers(of: addresses)
        )
      )
    }
    return classes.sorted {
      ($1.counts.last ?? 0, $0.className) < ($0.counts.last ?? 0, $1.className)
    }
  }

  private mutating func keepers(of addresses: [UInt]) -> [RetainGrowth.Keeper] {
    var counts: [RetainGrowth.Keeper.Kind: [String: Int]] = [:]
    for address in addresses.prefix(Self.instanceLimit) {
      let (kind, path) = keeper(of: address)
      counts[kind, default: [:]][path, default: 0] += 1
    }
    let keepers = counts.flatMap { kind, paths in
      paths.map { RetainGrowth.Keeper(kind: kind, path: $0.key, count: $0.value) }
    }
    return keepers.sorted { ($1.count, $0.path) < ($0.count, $1.path) }
  }

  private mutating func keeper(of address: UInt) -> (kind: RetainGrowth.Keeper.Kind, path: String) {
    guard let number = numbers[address] else { return (.unknown, "") }
    if let path = fromRoots.path(to: number) {
      return (.root, run.text(ofPath: path.map { graph.addresses[$0] }))
    }
    if let start = fromCycles.path(to: number)?.first {
      return (.cycle, text(ofCycle: components.componentNumbers[start]))
    }
    return (.unknown, "")
  }

  /// The shortest cycle of a component, by its number.
  private mutating func text(ofCycle number: UInt32) -> String {
    if let text = cycleTexts[number] { return text }
    let steps = inCycles.shortestCycle(
      in: components.components[Int(number) - 1],
      numbers: components.componentNumbers,
      of: graph
    )
    let text = run.text(ofCycle: steps.map { graph.addresses[$0.object] })
    cycleTexts[number] = text
    return text
  }
}
