internal import KVORetainRegistry

/// Counts instances before the first repetition of some work and after each repetition.
struct GrowthCount {
  private let classes: [any AnyObject.Type]
  /// Nil if memory cannot be copied.
  private let copy: MemoryCopy?
  private let before: [UInt: [UInt]]
  private var living: [UInt: [UInt]] = [:]
  private var counts: [UInt: [Int]] = [:]
  private var repetitionCount = 0
  /// Whether all memory could be read.
  private var isComplete: Bool

  /// Counts the instances before the first repetition.
  init(of classes: [any AnyObject.Type], ways: [MemoryCopy.Way]) {
    self.classes = classes
    copy = MemoryCopy(ways)
    let found = Self.instances(of: classes, copy)
    before = found ?? [:]
    isComplete = found != nil
  }

  /// Counts the instances after a repetition.
  mutating func countRepetition() {
    let found = Self.instances(of: classes, copy)
    isComplete = isComplete && found != nil
    living = found ?? [:]
    for (metadata, found) in living {
      let none = [Int](repeating: 0, count: repetitionCount)
      counts[metadata, default: none] += [found.count - (before[metadata]?.count ?? 0)]
    }
    repetitionCount += 1
  }

  /// The instances by metadata, or nil if they cannot be found.
  private static func instances(
    of classes: [any AnyObject.Type],
    _ copy: MemoryCopy?
  ) -> [UInt: [UInt]]? {
    guard let copy else { return nil }
    // One scan at a time.
    return PlanStore.withShared { _ in
      let memory = MemoryMap()
      guard !memory.regions.isEmpty else { return nil }
      return InstanceScan(of: classes, memory: memory, copy: copy).instances()
    }
  }

  /// The classes that grew, and what keeps their instances alive.
  func growth(
    _ search: RetainSearch,
    from roots: [AnyObject],
    names: CodeNames?
  ) -> RetainGrowth {
    guard isComplete else {
      return RetainGrowth(
        repetitionCount: repetitionCount,
        classes: [],
        opaque: [],
        isConclusive: false
      )
    }
    let grown = counts.filter { _, counts in
      counts.count == repetitionCount && counts[0] > 0
        && zip(counts, counts.dropFirst()).allSatisfy { $0 < $1 }
    }
    let added = living.filter { grown[$0.key] != nil }
      .map { metadata, found in
        let known = Set(before[metadata] ?? [])
        return (metadata, found.filter { !known.contains($0) })
      }
    let prior = SearchRun.Prior()
    return withExtendedLifetime(roots) {
      PlanStore.withShared { store in
        let run = GrowthRun(
          run: SearchRun(search, prior, store: store, names: names),
          living: Dictionary(uniqueKeysWithValues: added),
          roots: roots.map { UInt(bitPattern: Unmanaged.passUnretained($0).toOpaque()) }
        )
        let (classes, opaque) = run.classes(grown)
        return RetainGrowth(
          repetitionCount: repetitionCount,
          classes: classes,
          opaque: opaque,
          isConclusive: true
        )
      }
    }
  }
}
