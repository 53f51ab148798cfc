internal import CKVORetention
internal import KVOHeap

extension RetainSearch {
  /// Finds the Swift objects of this process that nothing but they themselves keeps alive.
  ///
  /// ```swift
  /// print(try RetainSearch().findLeaks())
  /// // 2 leaked objects, 96 bytes, and 0 bytes that they hold
  /// //   1 × Screen.action → closure.capture 1 → Screen
  /// //   App.Screen: 1 of 3 leaked
  /// //   closure: 1 of 210 leaked
  /// ```
  ///
  /// It needs no object to begin with: all objects of the process are read, and grouped by class. An object is a leak if its
  /// reference count is that of the references which leaked objects have to it, so that a variable, a thread or a library
  /// that owns it makes it none. Nor is it one if a word outside of them may be an unmanaged reference to one of them. An
  /// object may yet have a weak or an unowned reference, through which the program could still break its cycle.
  ///
  /// Objects that other threads change meanwhile are not leaks. Not all leaks are found, as
  /// Documentation/HeapSnapshots.md says: those whose owner is memory without a description are not, nor are
  /// objects that were retained and never released.
  ///
  /// The heap is copied: the process needs four times as much memory while the call lasts.
  ///
  /// - Returns: all classes, and what leaked.
  /// - Throws: ``RetainSnapshotError`` if the memory cannot be read, or the allocator is not glibc's (as under a
  ///   sanitizer).
  /// - Complexity: O(bytes) of the process's writable memory.
  @inline(never)
  public func findLeaks() throws(RetainSnapshotError) -> RetainLeaks {
    var entry = KVOSEntry()
    let isNoted = kvos_note_caller(&entry) != 0 || kvos_note_entry(&entry) != 0
    return RetainLeaks(
      of: try heapSnapshot(calledAt: isNoted ? entry : nil),
      cycleLimit: cycleLimit
    )
  }
}

extension RetainLeaks {
  init(of snapshot: HeapSnapshot, cycleLimit: Int) {
    let leaks = HeapLeaks(of: snapshot)
    let nearest = Dominators(of: snapshot).nearest
    var counts = snapshot.classes.map { _ in Counts() }
    var hidden: Set<UInt> = []
    var unreachedCount = 0
    for (number, object) in snapshot.objects.enumerated()
    where snapshot.classOf(number).kind != .allocation {
      let isLeaked = leaks.isLeaked[number]
      counts[object.classIndex].add(Int(object.byteCount), isLeaked: isLeaked)
      if isLeaked {
        hidden.insert(~UInt(object.address))
      } else if nearest[number] < 0 {
        unreachedCount += 1
      }
    }
    let all = zip(snapshot.classes, counts).filter { $0.1.count > 0 }.map { type, counts in
      Class(
        name: type.fullName,
        count: counts.count,
        byteCount: counts.byteCount,
        leakedCount: counts.leakedCount,
        leakedByteCount: counts.leakedByteCount
      )
    }
    classes = all.sorted {
      ($1.leakedByteCount, $1.byteCount, $0.name) < ($0.leakedByteCount, $0.byteCount, $1.name)
    }
    cycles = leaks.groups.prefix(max(cycleLimit, 0)).map {
      Cycle(
        description: $0.text,
        count: $0.count,
        objectCount: $0.objectCount,
        byteCount: Int($0.byteCount)
      )
    }
    omittedCycleCount = leaks.groups.count - cycles.count
    leakedCount = hidden.count
    leakedByteCount = counts.reduce(0) { $0 + $1.leakedByteCount }
    heldByteCount = Int(leaks.heldByteCount)
    self.unreachedCount = unreachedCount
    gaps = snapshot.gaps.texts
    hiddenAddresses = hidden
  }

  private struct Counts {
    var count = 0
    var byteCount = 0
    var leakedCount = 0
    var leakedByteCount = 0

    mutating func add(_ size: Int, isLeaked: Bool) {
      count += 1
      byteCount += size
      if isLeaked {
        leakedCount += 1
        leakedByteCount += size
      }
    }
  }
}
