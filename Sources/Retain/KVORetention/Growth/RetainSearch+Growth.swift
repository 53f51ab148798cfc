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
  /// The work runs once before the first count, so that objects which are created once and stay do
  /// not count. Instances are found in the memory of the process, whether they are reachable or
  /// not. This includes instances that other threads create, so use classes that no other code uses
  /// at that time. A class grows if the number of its instances increases with every repetition.
  /// Instances are not counted in static memory, on the stack, where the optimizer puts some, or in
  /// single mappings of 16 GiB and more; nor are instances of foreign classes.
  ///
  /// No other thread may change the objects that remain after the last repetition.
  ///
  /// The search asks the kernel for copies of the memory. If the kernel refuses, as in some
  /// containers, the result is inconclusive, and says so.
  ///
  /// - Parameters:
  ///   - classes: the classes to count, including their subclasses.
  ///   - roots: objects that may keep the remaining instances, such as a router or a cache. They
  ///     stay alive until the call returns.
  ///   - repetitions: the number of counted repetitions; at least two.
  ///   - body: the work; runs once more than `repetitions`, on the calling thread.
  /// - Returns: the classes that grow, and what keeps their instances alive.
  /// - Throws: what `body` throws.
  /// - Complexity: O(bytes) of the memory of the process for each repetition, and O(n) in the
  ///   objects that are reachable from the roots and from the remaining instances.
  public func findGrowth<Failure: Error>(
    of classes: any AnyObject.Type...,
    from roots: AnyObject...,
    repetitions: Int = 4,
    by body: () throws(Failure) -> Void
  ) throws(Failure) -> RetainGrowth {
    try findGrowth(of: classes, from: roots, repetitions: repetitions, names: nil, by: body)
  }

  /// Repeats some asynchronous work, and finds the classes of which each repetition leaves more
  /// instances behind.
  ///
  /// ```swift
  /// let growth = await RetainSearch().findGrowth(of: Page.self, from: router) {
  ///   await router.open(Page())
  ///   await router.close()
  /// }
  /// print(growth)  // no class grows
  /// ```
  ///
  /// The description of the synchronous function applies to this one, too. Repetitions run one
  /// after another, and instances are counted when `body` has returned. If its tasks still run,
  /// their instances are counted in the state at that time: wait for them in `body`.
  ///
  /// - Parameters:
  ///   - classes: the classes to count, including their subclasses.
  ///   - roots: objects that may keep the remaining instances, such as a router or a cache. They
  ///     stay alive until the call returns.
  ///   - repetitions: the number of counted repetitions; at least two.
  ///   - isolation: the actor on which the work runs: the caller's.
  ///   - body: the work; runs once more than `repetitions`, on the caller's actor.
  /// - Returns: the classes that grow, and what keeps their instances alive.
  /// - Throws: what `body` throws.
  /// - Complexity: O(bytes) of the memory of the process for each repetition, and O(n) in the
  ///   objects that are reachable from the roots and from the remaining instances.
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

  // MARK: For other targets

  /// The same with the source lines of closures.
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

  /// The same with the ways to copy memory.
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

  /// The same for asynchronous work, with the source lines of closures.
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
