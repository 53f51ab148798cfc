/// Finds what keeps the instances that repetitions left behind.
struct GrowthRun {
  /// How many instances of a class are looked at.
  private static let instanceLimit = 64

  private let run: SearchRun
  /// The instances, by metadata.
  private let living: [UInt: [UInt]]
  private let roots: [UInt]

  init(run: SearchRun, living: [UInt: [UInt]], roots: [UInt]) {
    self.run = run
    self.living = living
    self.roots = roots
  }

  /// What is to be told of the classes with these counts.
  func classes(_ counts: [UInt: [Int]]) -> [RetainGrowth.GrownClass] {
    let graph = run.graph(from: roots + living.values.flatMap(\.self).sorted())
    var numbers: [UInt: Int] = [:]
    for number in 0..<graph.objectCount { numbers[graph.addresses[number]] = number }
    let components = StrongComponents(of: graph, includesSuspected: false)
    var fromRoots = PathSearch(objectCount: graph.objectCount, includesSuspected: false)
    fromRoots.reach(from: roots.compactMap { numbers[$0] }, of: graph)
    var fromCycles = PathSearch(objectCount: graph.objectCount, includesSuspected: false)
    fromCycles.reach(from: components.components.flatMap(\.self).sorted(), of: graph)
    var cycles = PathSearch(objectCount: graph.objectCount, includesSuspected: false)
    var cycleTexts: [UInt32: String] = [:]

    var classes: [RetainGrowth.GrownClass] = []
    for (metadata, counts) in counts {
      let addresses = living[metadata] ?? []
      guard let first = addresses.first else { continue }
      var ways: [RetainGrowth.Keeper.Kind: [String: Int]] = [:]
      for address in addresses.prefix(Self.instanceLimit) {
        guard let number = numbers[address] else { continue }
        if let way = fromRoots.way(to: number) {
          let text = run.text(ofWay: way.map { graph.addresses[$0] })
          ways[.root, default: [:]][text, default: 0] += 1
        } else if let way = fromCycles.way(to: number), let start = way.first {
          let component = components.componentNumbers[start]
          let members = components.components[Int(component) - 1]
          if cycleTexts[component] == nil {
            let steps = cycles.shortestCycle(
              in: members,
              numbers: components.componentNumbers,
              of: graph
            )
            cycleTexts[component] = run.text(ofRing: steps.map { graph.addresses[$0.object] })
          }
          ways[.cycle, default: [:]][cycleTexts[component] ?? "", default: 0] += 1
        } else {
          ways[.unknown, default: [:]]["", default: 0] += 1
        }
      }
      let keepers = ways.flatMap { kind, ways in
        ways.map { RetainGrowth.Keeper(kind: kind, way: $0.key, count: $0.value) }
      }
      classes.append(
        RetainGrowth.GrownClass(
          className: run.className(at: first),
          counts: counts,
          keepers: keepers.sorted { ($1.count, $0.way) < ($0.count, $1.way) }
        )
      )
    }
    return classes.sorted {
      ($1.counts.last ?? 0, $0.className) < ($0.counts.last ?? 0, $1.className)
    }
  }
}
