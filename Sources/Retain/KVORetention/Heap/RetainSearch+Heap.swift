internal import CKVORetention
internal import CKVOUnwind
internal import Glibc
internal import KVOHeap
internal import KVORetainRegistry

extension RetainSearch {
  /// Writes all objects of this process and the references between them into a file, which `kvo-audit heap` reads.
  ///
  /// ```swift
  /// try RetainSearch().writeSnapshot(to: "app.kvoheap")
  /// // kvo-audit heap app.kvoheap
  /// ```
  ///
  /// The file contains the class, address and size of each object, but not its contents: no
  /// strings, no numbers. Only its owner may read it. An existing file is replaced when the new one
  /// is complete.
  ///
  /// Memory from `malloc` that is not a Swift object is included. Roots are words in globals,
  /// stacks, the caller's registers and other memory that lead to an object; each has its kind. A
  /// word on a stack may be left over from an earlier variable: a root does not prove that an
  /// object is in use.
  ///
  /// No other thread may change objects during the call: write a snapshot while the program is at
  /// rest. The heap is copied, so the process needs four times as much memory during the call.
  ///
  /// - Parameter path: the file, usually `*.kvoheap`.
  /// - Throws: ``RetainSnapshotError`` if the memory cannot be read, the allocator is not glibc's (as under a sanitizer),
  ///   or the file cannot be written.
  /// - Complexity: O(bytes) of the process's writable memory.
  @inline(never)
  public func writeSnapshot(to path: String) throws(RetainSnapshotError) {
    var entry = KVOSEntry()
    let isNoted = kvos_note_caller(&entry) != 0 || kvos_note_entry(&entry) != 0
    let bytes = try snapshotBytes(calledAt: isNoted ? entry : nil, ofProcess: getpid())
    try HeapProcess.write(bytes, to: path)
  }

  /// The bytes of a file with all objects of this process.
  ///
  /// - Parameters:
  ///   - entry: where the program called the search.
  ///   - process: the process ID to write: that of the process of which this one is a copy.
  /// - Returns: the bytes.
  /// - Throws: as ``heapSnapshot(calledAt:)``.
  func snapshotBytes(
    calledAt entry: KVOSEntry?,
    ofProcess process: pid_t
  ) throws(RetainSnapshotError) -> [UInt8] {
    var snapshot = try heapSnapshot(calledAt: entry)
    snapshot.processID = UInt32(process)
    snapshot.processName = HeapProcess.name
    snapshot.time = HeapProcess.time
    snapshot.processStart = HeapProcess.start(of: process)
    snapshot.addNumbers()
    snapshot.images = HeapProcess.images
    return HeapFile.bytes(of: snapshot)
  }

  /// All objects of this process, in a snapshot that does not say of which process it is.
  ///
  /// - Parameter entry: where the program called the search.
  /// - Returns: a snapshot without process, time and images.
  /// - Throws: ``RetainSnapshotError`` if the memory cannot be read, or the allocator is not glibc's.
  func heapSnapshot(calledAt entry: KVOSEntry?) throws(RetainSnapshotError) -> HeapSnapshot {
    guard let entry else {
      throw RetainSnapshotError(code: .system, message: "the registers are not known")
    }
    guard kvos_is_glibc_heap() != 0 else {
      throw RetainSnapshotError(
        code: .unknownAllocator,
        message: "the allocator does not say which allocations there are"
      )
    }
    let deadline = ContinuousClock.now + timeLimit
    let found: HeapSnapshot? = try SearchThread.run { stack in
      MemoryCopy().map { copy in
        PlanStore.withShared { store in
          HeapWalk(store: store, copy, entry: entry, ownStack: stack, until: deadline).snapshot()
        }
      }
    }
    guard let found else {
      throw RetainSnapshotError(
        code: .system,
        message: "this process may not read its own memory"
      )
    }
    return found
  }
}

extension HeapSnapshot {
  /// Adds the numbers that the logs of this process give to its objects.
  ///
  /// An object that was not there when the heap was read is left out.
  fileprivate mutating func addNumbers() {
    guard let known = RetainRegistry.knowledge?.numbered else { return }
    if !known.isComplete { gaps.insert(.numbers) }
    var found: [NumberedObject] = []
    for object in known.objects {
      guard let index = self.object(at: UInt64(object.address)) else { continue }
      found.append(
        NumberedObject(object: index, number: object.number, className: object.className)
      )
    }
    numbered = found.sorted { $0.object < $1.object }
  }
}
