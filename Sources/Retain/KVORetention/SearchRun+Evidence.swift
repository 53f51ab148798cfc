internal import CKVORetention

extension SearchRun {
  /// How many objects and allocations are asked for who owns them.
  private static let targetLimit = 4096

  /// Makes suspected references of a graph proven if reference counts say that they own what they lead to.
  ///
  /// Who gives an allocation back is not known. A pointer to it counts as an owner if every word of the process that
  /// leads into it is part of the same cycle.
  ///
  /// - Parameters:
  ///   - graph: what may keep each other alive.
  ///   - numbers: the components of its objects.
  /// - Returns: what the references lead to that are proven now, and the part of it that no reference in doubt leads to.
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
    let evidence = OwnershipEvidence(of: targets, reader: reader, entry: entry, until: deadline)
    guard let evidence else { return ([], []) }
    // Counts are of words that have the address of an object, and say nothing of one that leads into its middle.
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
    // If all words that lead there are part of a cycle, so is the owner.
    let isHeldOnlyAsked = targets.indices.map {
      [.uncounted, .someWords].contains(evidence.findings[$0])
    }
    var isOwned = targets.indices.map {
      isHeldOnlyAsked[$0] || evidence.findings[$0] == .allWords
    }
    var isInCycle = targets.indices.map { _ in false }
    var isSettled = false
    while !isSettled {
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
    // Those that no such cycle leads through were asked nothing.
    for number in targets.indices where isHeldOnlyAsked[number] && isOwned[number] {
      isOwned[number] = isInCycle[number]
    }
    markProven(isOwned)
    let owned = Set(targets.indices.filter { isOwned[$0] }.map { targets[$0].address })
    let doubted = suspected.indices.filter { !isCounted[$0] }
      .map { graph.addresses[graph.target(suspected[$0].edge)] }
    return (owned, owned.subtracting(doubted))
  }

  /// Whether at an address is a task, or memory that one has its frames in.
  ///
  /// A task keeps itself until it ends, with or without references to it: what its frames hold is held for a while.
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
