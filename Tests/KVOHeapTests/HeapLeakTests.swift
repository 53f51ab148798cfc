import TestSupport
import Testing

@testable import KVOHeap

@Suite("Leaks in heap snapshots")
struct HeapLeakTests {
  /// A ring of two objects, 0 and 1; an object that the first one owns, 2; memory that this one has, 3, which leads back;
  /// memory that nothing leads to, 4.
  private static func ring(_ change: (inout HeapSnapshot) -> Void = { _ in }) -> HeapLeaks {
    var snapshot = HeapSnapshot(processID: 1, processName: "app", time: 0)
    snapshot.classes = [
      HeapSnapshot.Class(name: "Lost", module: "App", kind: .instance),
      HeapSnapshot.Class(name: "allocation", module: "", kind: .allocation),
    ]
    snapshot.edges = [
      HeapSnapshot.Edge(target: 1, label: "next", isProven: true),
      HeapSnapshot.Edge(target: 2, label: "leaf", isProven: true),
      HeapSnapshot.Edge(target: 0, label: "next", isProven: true),
      HeapSnapshot.Edge(target: 3, label: "", isProven: false),
      HeapSnapshot.Edge(target: 0, label: "", isProven: false),
    ]
    let edges = [0..<2, 2..<3, 3..<4, 4..<5, 5..<5]
    snapshot.objects = edges.enumerated().map { number, edges in
      HeapSnapshot.Object(
        address: UInt64(number + 1) * 64,
        byteCount: 32,
        classIndex: number < 3 ? 0 : 1,
        edges: edges,
        ownerCount: number < 3 ? 1 : 0
      )
    }
    change(&snapshot)
    return HeapLeaks(of: snapshot)
  }

  @Test("objects that are owned by each other alone leaked, and what they own")
  func ring() {
    let leaks = Self.ring()
    #expect(leaks.isLeaked == [true, true, true, false, false])
    #expect(leaks.heldCount == 1 && leaks.heldByteCount == 32)
    #expect(leaks.groups.map(\.text) == ["Lost.next → Lost.next → Lost"])
    #expect(leaks.groups.map(\.objectCount) == [2])
  }

  @Test(
    "a word on the caller's stack or in a register owns nothing",
    arguments: [
      HeapSnapshot.RootKind.stack, .register,
    ]
  )
  func leftover(kind: HeapSnapshot.RootKind) {
    let leaks = Self.ring {
      $0.roots = [HeapSnapshot.Root(kind: kind, address: 8, object: 0)]
    }
    #expect(leaks.isLeaked == [true, true, true, false, false])
  }

  @Test("an object with one owner more is not a leak", arguments: 0..<3)
  func owned(object: Int) {
    let leaks = Self.ring { $0.objects[object].ownerCount += 1 }
    // Only the ring leads to the leaf.
    #expect(leaks.isLeaked == [object == 2, object == 2, false, false, false])
  }

  @Test("an object of which the count is not known, or is too low, is not a leak")
  func uncounted() {
    func leaks(ownerCount: UInt32) -> [Bool] {
      Self.ring {
        // Now the first object leads to the second one twice, and nothing else to the ring.
        $0.edges[1].target = 1
        $0.edges[4].target = 3
        $0.objects[1].ownerCount = ownerCount
      }.isLeaked
    }
    #expect(leaks(ownerCount: 0).allSatisfy { !$0 })
    #expect(leaks(ownerCount: 1).allSatisfy { !$0 })
    #expect(leaks(ownerCount: 2) == [true, true, false, false, false])
  }

  @Test(
    "a word elsewhere may be an unmanaged reference",
    arguments: [
      HeapSnapshot.RootKind.global, .memory, .otherStack,
    ]
  )
  func unmanaged(kind: HeapSnapshot.RootKind) {
    for object in [0, 1] {
      let leaks = Self.ring {
        $0.roots = [HeapSnapshot.Root(kind: kind, address: 8, object: object)]
      }
      #expect(leaks.isLeaked.allSatisfy { !$0 })
      #expect(leaks.heldCount == 0)
    }
    // Nothing leads from the leaf to the ring, but for a word in its memory.
    let leaks = Self.ring {
      $0.edges[4].target = 3
      $0.roots = [HeapSnapshot.Root(kind: kind, address: 8, object: 2)]
    }
    #expect(leaks.isLeaked == [true, true, false, false, false])
  }

  @Test("so may one in memory that nothing leads to, or that something else has, too")
  func unmanagedInMemory() {
    let lost = Self.ring {
      $0.edges.append(HeapSnapshot.Edge(target: 0, label: "", isProven: false))
      $0.objects[4].edges = 5..<6
    }
    #expect(lost.isLeaked.allSatisfy { !$0 })
    for kind in [HeapSnapshot.RootKind.global, .stack] {
      let shared = Self.ring {
        $0.roots = [HeapSnapshot.Root(kind: kind, address: 8, object: 3)]
      }
      #expect(shared.isLeaked.allSatisfy { !$0 })
    }
  }

  @Test("without all roots nothing is a leak")
  func noTime() {
    #expect(Self.ring { $0.gaps = .outOfTime }.isLeaked.allSatisfy { !$0 })
    #expect(Self.ring { $0.gaps = .hugeMapping }.isLeaked[0])
  }

  @Test("of random objects those leaked that have no owner elsewhere", arguments: 0..<20)
  func random(seed: UInt64) {
    var random = SplitMix64(seed: 400 + seed)
    var leakedCount = 0
    for _ in 0..<Rounds.count(100) {
      var snapshot = RandomHeap.snapshot(&random)
      for object in snapshot.objects.indices {
        let inner = snapshot.edges.count { $0.isProven && $0.target == object }
        snapshot.objects[object].ownerCount =
          UInt32(inner) + (Int.random(in: 0..<8, using: &random) == 0 ? 1 : 0)
      }
      let leaked = snapshot.leaked()
      leakedCount += leaked.count
      let found = HeapLeaks(of: snapshot)
      #expect(Set(snapshot.objects.indices.filter { found.isLeaked[$0] }) == leaked)
      #expect(
        found.groups.reduce(0) { $0 + $1.objectCount }
          == HeapCycles.components(of: snapshot).joined().count { leaked.contains($0) }
      )
    }
    #expect(leakedCount > 0)
  }
}

extension HeapSnapshot {
  /// By the definition: all that is owned from elsewhere goes, as long as there is something; then all that may be found
  /// again.
  fileprivate func leaked() -> Set<Int> {
    var owned = Set(objects.indices)
    while true {
      let inner = owned.flatMap { edges[objects[$0].edges].filter(\.isProven).map(\.target) }
      let left = owned.filter { object in
        objects[object].ownerCount > 0
          && inner.count { $0 == object } == Int(objects[object].ownerCount)
      }
      if left == owned { break }
      owned = left
    }
    let isWithin: (Int) -> Bool = { owned.contains($0) }
    let behind = reached(
      from: owned.flatMap { edges[objects[$0].edges].map(\.target) },
      without: isWithin,
      isProven: false
    )
    let rooted = reached(from: roots.map(\.object), without: isWithin, isProven: false)
    let others = Set(objects.indices).subtracting(owned).subtracting(behind)
    let outside = reached(from: Array(others.union(rooted)), without: isWithin, isProven: false)
    let words =
      outside.flatMap { edges[objects[$0].edges].map(\.target) }
      + roots.filter { [.global, .memory, .otherStack].contains($0.kind) }.map(\.object)
    let found = reached(from: words, without: { !owned.contains($0) }, isProven: false)
    return owned.subtracting(found)
  }
}
