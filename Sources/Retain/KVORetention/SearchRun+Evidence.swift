internal import CKVORetention

extension SearchRun {
  /// The maximum number of objects and allocations whose owners are searched for.
  private static let targetLimit = 4096

  /// Marks suspected references of a graph as proven if reference counts prove that they own their
  /// target.
  ///
  /// The owner of an allocation is not known. A pointer to it counts as an owner if every word of
  /// the process that leads into it is in an object of the same cycle.
  ///
  /// - Parameters:
  ///   - graph: the objects that may be on cycles.
  ///   - numbers: the components of its objects.
  /// - Returns: the targets of the references that are proven now, and those of them to which no
  ///   doubtful reference leads.
  /// - Complexity: O(bytes) of the process's writable memory.
  func settle(
    _ graph: borrowing ObjectGraph,
    _ numbers: [UInt32]
  ) -> (owned: Set<UInt>, decided: Set<UInt>) {
    let suspected = graph.suspectedEdges { object, target in
      numbers[object] != 0 && numbers[object] == numbers[target]
        && !isOfTask(graph.addresses[object]) && !isOfTask(graph.addresses[target])
    }
    var objects: [Int] = []
    var numberOfObject: [Int: Int] = [:]
    for (_, edge) in suspected where numberOfObject[graph.target(edge)] == nil {
      numberOfObject[graph.target(edge)] = objects.count
      objects.append(graph.target(edge))
    }
    guard !objects.isEmpty, objects.count <= Self.targetLimit, let entry else { return ([], []) }
    let targets = objects.map { object in
      let address = graph.addresses[object]
      let allocation = reader.targets.allocation(at: address)?.allocation
      return WordSearch.Target(address: address, byteCount: max(allocation?.byteCount ?? 1, 1))
    }
    let evidence = OwnershipEvidence(
      of: targets,
      reader: reader,
      entry: entry,
      stacks: waitingStacks.map {
        ThreadStacks(memory: reader.memory, entry: entry, waiting: $0)
      } ?? ThreadStacks(memory: reader.memory, entry: entry),
      until: deadline
    )
    guard let evidence else { return ([], []) }
    // The evidence is on words with the address of an object: it does not apply to pointers into
    // its middle.
    let isCounted = suspected.map { object, edge in
      guard let number = numberOfObject[graph.target(edge)], evidence.findings[number] != .unknown
      else { return false }
      return evidence.hasWord(number, in: extent(of: graph.addresses[object]))
    }
    func markProven(_ isOwned: [Bool]) {
      for (index, (_, edge)) in suspected.enumerated() {
        let number = numberOfObject[graph.target(edge)] ?? 0
        graph.mark(edge, isSuspected: !(isOwned[number] && isCounted[index]))
      }
    }
    // If all words that lead to a target are in objects of one cycle, its owner is on the cycle.
    let isHeldOnlyAsked = targets.indices.map {
      [.uncounted, .someWords].contains(evidence.findings[$0])
    }
    var isOwned = targets.indices.map {
      isHeldOnlyAsked[$0] || evidence.findings[$0] == .allWords
    }
    var isInCycle = targets.indices.map { _ in false }
    var isSettled = false
    while !isSettled {
      guard ContinuousClock.now < deadline else {
        markProven(targets.indices.map { _ in false })
        return ([], [])
      }
      markProven(isOwned)
      isSettled = true
      let components = StrongComponents(of: graph, includesSuspected: false)
      var ranges: [UInt32: [Range<UInt>]] = [:]
      for number in targets.indices where isHeldOnlyAsked[number] && isOwned[number] {
        let component =
          components.componentNumbers.isEmpty ? 0 : components.componentNumbers[objects[number]]
        isInCycle[number] = component != 0
        if component != 0, ranges[component] == nil {
          ranges[component] = components.components[Int(component) - 1]
            .map { extent(of: graph.addresses[$0]) }.sorted { $0.lowerBound < $1.lowerBound }
        }
        guard component == 0 || !evidence.isHeldOnly(number, by: ranges[component] ?? []) else {
          continue
        }
        isOwned[number] = false
        isSettled = false
      }
    }
    // Targets that are on no such cycle were not checked.
    for number in targets.indices where isHeldOnlyAsked[number] && isOwned[number] {
      isOwned[number] = isInCycle[number]
    }
    markProven(isOwned)
    let owned = Set(targets.indices.filter { isOwned[$0] }.map { targets[$0].address })
    let doubted = suspected.indices.filter { !isCounted[$0] }
      .map { graph.addresses[graph.target(suspected[$0].edge)] }
    return (owned, owned.subtracting(doubted))
  }

  /// Whether a task, or a task's memory for frames, is at an address.
  ///
  /// A task keeps itself alive until it ends, whether or not references lead to it: its frames hold
  /// their references only for a time.
  private func isOfTask(_ address: UInt) -> Bool {
    if reader.targets.allocation(at: address) != nil { return reader.targets.isTaskSlab(address) }
    return reader.plan(of: address)?.pointee.kind == .task
  }

  /// The bytes of an object or allocation.
  private func extent(of address: UInt) -> Range<UInt> {
    if let found = reader.targets.allocation(at: address)?.allocation {
      return address..<address + found.byteCount
    }
    let byteCount = max(reader.plan(of: address)?.pointee.byteCount ?? 16, 16)
    guard let object = UnsafeRawPointer(bitPattern: address),
      reader.memory.isMapped(address - 16, 32), !reader.memory.isInImage(address, 16)
    else { return address..<address + byteCount }
    let allocated = kvos_allocation_size(object)
    guard reader.memory.isMapped(address, allocated) else { return address..<address + byteCount }
    return address..<address + max(byteCount, allocated)
  }
}
