package import KVORetainRegistry

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
  /// optimiser puts some, in single mappings of 16 GiB and more, and of foreign classes are not counted.
  ///
  /// No other thread may change what the work leaves behind when it is done for the last time.
  ///
  /// The kernel is asked for a copy of the memory. Where it refuses that, as it does in some containers,
  /// the answer is inconclusive, and says so.
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

  /// Repeats some asynchronous work, and finds the classes of which each repetition leaves more instances
  /// behind.
  ///
  /// ```swift
  /// let growth = await RetainSearch().findGrowth(of: Page.self, from: router) {
  ///   await router.open(Page())
  ///   await router.close()
  /// }
  /// print(growth)  // no class grows
  /// ```
  ///
  /// What is said of work that is done at once holds for this, too. Repetitions follow each other, and are
  /// counted when `body` has returned: what tasks of its own do after that, and what they hold, is counted
  /// as it is then. Wait for them in `body`.
  ///
  /// - Parameters:
  ///   - classes: whose instances, subclasses' included, are counted.
  ///   - roots: where what is left may be kept: a router, a cache. They are alive until the call returns.
  ///   - repetitions: how often to count; fewer than two count as two.
  ///   - isolation: the actor that the work is done on: the caller's.
  ///   - body: the work; runs one time more than that, on the caller's actor.
  /// - Returns: what grows, and what keeps it.
  /// - Throws: what `body` throws.
  /// - Complexity: O(bytes) of the memory of the process for each repetition, and O(n) in what is reached
  ///   from the roots and from what is left.
  public func findGrowth<Failure: Error>(
    of classes: any AnyObject.Type...,
    from roots: AnyObject...,
    repetitions: Int = 4,
    isolation: isolated (any Actor)? = #isolation,
    by body: () async throws(Failure) -> Void
  ) async throws(Failure) -> RetainGrowth {
    try await findGrowth(
      of: classes,
      from: roots,
      repetitions: repetitions,
      names: nil,
      isolation: isolation,
      by: body
    )
  }

  // MARK: For the other rooms

  /// The same with the lines of closures.
  package func findGrowth<Failure: Error>(
    of classes: [any AnyObject.Type],
    from roots: [AnyObject],
    repetitions: Int,
    names: CodeNames?,
    by body: () throws(Failure) -> Void
  ) throws(Failure) -> RetainGrowth {
    try findGrowth(
      of: classes,
      from: roots,
      repetitions: repetitions,
      names: names,
      ways: MemoryCopy.Way.allCases,
      by: body
    )
  }

  /// The same with ways to copy memory by.
  func findGrowth<Failure: Error>(
    of classes: [any AnyObject.Type],
    from roots: [AnyObject],
    repetitions: Int,
    names: CodeNames?,
    ways: [MemoryCopy.Way],
    by body: () throws(Failure) -> Void
  ) throws(Failure) -> RetainGrowth {
    try body()
    var count = GrowthCount(of: classes, ways: ways)
    for _ in 0..<max(repetitions, 2) {
      try body()
      count.countRepetition()
    }
    return count.growth(self, from: roots, names: names)
  }

  /// The same for asynchronous work, with the lines of closures.
  package func findGrowth<Failure: Error>(
    of classes: [any AnyObject.Type],
    from roots: [AnyObject],
    repetitions: Int,
    names: CodeNames?,
    isolation: isolated (any Actor)? = #isolation,
    by body: () async throws(Failure) -> Void
  ) async throws(Failure) -> RetainGrowth {
    try await body()
    var count = GrowthCount(of: classes, ways: MemoryCopy.Way.allCases)
    for _ in 0..<max(repetitions, 2) {
      try await body()
      count.countRepetition()
    }
    return count.growth(self, from: roots, names: names)
  }
}
