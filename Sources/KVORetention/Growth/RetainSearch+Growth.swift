package import KVORules

extension RetainSearch {
  /// Repeats some work, and finds the classes of which each repetition leaves more instances behind.
  ///
  /// ```swift
  /// let growth = RetainSearch().findGrowth(of: Page.self, from: router) {
  ///   router.open(Page())
  ///   router.close()
  /// }
  /// print(growth)  // no class grows
  /// ```
  ///
  /// The work is done once before anything is counted, for what is made once and stays. Instances are
  /// found in the memory of the process, whether or not anything that is known leads to them: also those
  /// that other threads make, so test with classes that nobody else uses meanwhile. A class grows where
  /// there are more of them after every repetition. Instances in static memory or on the stack, where the
  /// optimiser puts some, and of foreign classes are not counted.
  ///
  /// No other thread may change what the work leaves behind when it is done for the last time.
  ///
  /// - Parameters:
  ///   - classes: whose instances, subclasses' included, are counted.
  ///   - roots: where what is left may be kept: a router, a cache. They are alive until the call returns.
  ///   - repetitions: how often to count; fewer than two count as two.
  ///   - body: the work; runs one time more than that, on the calling thread.
  /// - Returns: what grows, and what keeps it.
  /// - Throws: what `body` throws.
  /// - Complexity: O(bytes) of the memory of the process for each repetition, and O(n) in what is reached
  ///   from the roots and from what is left.
  public func findGrowth<Failure: Error>(
    of classes: any AnyObject.Type...,
    from roots: AnyObject...,
    repetitions: Int = 4,
    by body: () throws(Failure) -> Void
  ) throws(Failure) -> RetainGrowth {
    try findGrowth(of: classes, from: roots, repetitions: repetitions, names: nil, by: body)
  }

  /// The same with the lines of closures.
  package func findGrowth<Failure: Error>(
    of classes: [any AnyObject.Type],
    from roots: [AnyObject],
    repetitions: Int,
    names: CodeNames?,
    by body: () throws(Failure) -> Void
  ) throws(Failure) -> RetainGrowth {
    let repetitions = max(repetitions, 2)
    try body()
    let before = InstanceScan(of: classes, memory: MemoryMap()).instances()
    var living: [UInt: [UInt]] = [:]
    var counts: [UInt: [Int]] = [:]
    for repetition in 0..<repetitions {
      try body()
      living = InstanceScan(of: classes, memory: MemoryMap()).instances()
      for (metadata, found) in living {
        let none = [Int](repeating: 0, count: repetition)
        counts[metadata, default: none] += [found.count - (before[metadata]?.count ?? 0)]
      }
    }
    let grown = counts.filter { _, counts in
      counts.count == repetitions && counts[0] > 0
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
          run: SearchRun(self, prior, store: store, names: names),
          living: Dictionary(uniqueKeysWithValues: added),
          roots: roots.map { UInt(bitPattern: Unmanaged.passUnretained($0).toOpaque()) }
        )
        return RetainGrowth(repetitionCount: repetitions, classes: run.classes(grown))
      }
    }
  }
}
