internal import CKVORetention

/// The objects that the frames of waiting tasks lead to, word by word.
///
/// The frames are in the memory after a task's fields, and in slabs of the task's allocator. Each word
/// is a suspicion: it may be left over from an earlier value. Slabs are read from copies, because the
/// task may continue and free them; a task whose status changes meanwhile is not in the result.
struct TaskFrames {
  /// The maximum number of slabs of a task that are read.
  private static let slabLimit = 64

  private let reader: ObjectReader
  /// The targets of each task's words, by the complement of the task's address, so that neither looks
  /// like a reference.
  private(set) var targets: [UInt: [HiddenAddress]] = [:]

  /// - Parameters:
  ///   - tasks: the addresses of tasks; those that do not wait have no targets.
  ///   - reader: reads them.
  /// - Complexity: O(bytes) of their frames.
  init(of tasks: [UInt], reader: ObjectReader) {
    self.reader = reader
    for address in tasks {
      guard let task = UnsafeRawPointer(bitPattern: address), let plan = reader.plan(of: address),
        plan.pointee.kind == .task, !reader.isRunning(task), !reader.isFinished(task)
      else { continue }
      let found = targets(of: task, plan.pointee)
      if !found.isEmpty, !reader.isRunning(task), !reader.isFinished(task) {
        targets[~address] = found
      }
    }
  }

  /// All targets, each once.
  var addresses: [UInt] { Array(Set(targets.values.joined().map(\.address))).sorted() }

  /// Leaves out the targets that do not match.
  mutating func keep(_ isMeant: (UInt) -> Bool) {
    targets = targets.mapValues { $0.filter { isMeant($0.address) } }
  }

  /// The targets of one task.
  func targets(of task: UInt) -> [HiddenAddress] { targets[~task] ?? [] }

  private func targets(of task: UnsafeRawPointer, _ plan: HeapPlan) -> [HiddenAddress] {
    let own = UInt(bitPattern: task)
    var seen: Set<UInt> = [~own]
    var found: [HiddenAddress] = []
    var slabs: [Allocation] = []
    func take(_ word: UInt) {
      guard reader.targets.mayLead(word) else { return }
      switch reader.targets.target(of: word, depth: PointerTargets.byteDepth) {
      case .object(let object) where object.address == word:
        // Only the address itself is a reference, not a pointer into an object.
        if seen.insert(~word).inserted { found.append(object) }
      case .allocation(let allocation)
      where reader.targets.isTaskSlab(allocation.start) && slabs.count < Self.slabLimit:
        if seen.insert(~allocation.start).inserted { slabs.append(allocation) }
      default: break
      }
    }
    for bytes in OpaqueBytes.tail(of: task, plan, memory: reader.memory) ?? [] {
      bytes.forEachCandidate { word in
        take(word)
        return true
      }
    }
    var next = 0
    while next < slabs.count {
      // Stored first: `take` changes the list.
      var words: [UInt] = []
      reader.targets.forEachWord(of: slabs[next]) { words.append(~$0) }
      for word in words { take(~word) }
      next += 1
    }
    return found
  }
}
