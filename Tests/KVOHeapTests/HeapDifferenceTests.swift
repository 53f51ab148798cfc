import Testing

@testable import KVOHeap

@Suite("Differences of heap snapshots")
struct HeapDifferenceTests {
  /// A cache that holds so many pages, and another page that is lost.
  private static func snapshot(pageCount: Int, isOneLost: Bool = false) -> HeapSnapshot {
    var snapshot = HeapSnapshot(processID: 1, processName: "app", time: 0)
    snapshot.classes = [
      HeapSnapshot.Class(name: "Cache", module: "App", kind: .instance),
      HeapSnapshot.Class(name: "Page", module: "App", kind: .instance),
    ]
    snapshot.edges = (0..<pageCount).map {
      HeapSnapshot.Edge(target: $0 + 1, label: "pages[…]", isProven: true)
    }
    let count = pageCount + (isOneLost ? 2 : 1)
    snapshot.objects = (0..<count).map {
      HeapSnapshot.Object(
        address: UInt64($0 + 1) * 64,
        byteCount: 48,
        classIndex: min($0, 1),
        edges: $0 == 0 ? 0..<pageCount : pageCount..<pageCount
      )
    }
    snapshot.roots = [HeapSnapshot.Root(kind: .global, address: 8, object: 0)]
    return snapshot
  }

  @Test("what grew is listed with what holds it")
  func grown() {
    let new = Self.snapshot(pageCount: 4, isOneLost: true)
    let found = HeapDifference(from: Self.snapshot(pageCount: 1), to: new, Dominators(of: new))
    #expect(
      found.grown == [
        HeapDifference.Row(
          name: "App.Page",
          oldCount: 1,
          newCount: 5,
          oldByteCount: 48,
          newByteCount: 240,
          holders: [
            HeapDifference.Holder(name: "App.Cache", count: 3),
            HeapDifference.Holder(name: "nothing", count: 1),
          ]
        )
      ]
    )
    #expect(found.shrunk.isEmpty)
  }

  @Test("what stayed is not listed, and what went is")
  func shrunk() {
    let old = Self.snapshot(pageCount: 3)
    let same = HeapDifference(from: old, to: old, Dominators(of: old))
    #expect(same.grown.isEmpty && same.shrunk.isEmpty)
    let new = Self.snapshot(pageCount: 1)
    let found = HeapDifference(from: old, to: new, Dominators(of: new))
    #expect(found.grown.isEmpty)
    #expect(found.shrunk.map(\.name) == ["App.Page"])
  }

  @Test("cycles of the same classes are one group")
  func cycles() {
    var snapshot = HeapSnapshot(processID: 1, processName: "app", time: 0)
    snapshot.classes = [HeapSnapshot.Class(name: "Lost", module: "App", kind: .instance)]
    for number in 0..<6 {
      snapshot.edges.append(
        HeapSnapshot.Edge(target: number ^ 1, label: "next", isProven: true)
      )
      snapshot.objects.append(
        HeapSnapshot.Object(
          address: UInt64(number + 1) * 64,
          byteCount: 32,
          classIndex: 0,
          edges: number..<number + 1
        )
      )
    }
    snapshot.roots = [HeapSnapshot.Root(kind: .stack, address: 8, object: 0)]
    #expect(
      HeapCycles(of: snapshot, Dominators(of: snapshot)).groups == [
        HeapCycles.Group(
          text: "Lost.next → Lost.next → Lost",
          count: 3,
          objectCount: 6,
          byteCount: 192,
          unreachedCount: 4,
          address: 64
        )
      ]
    )
  }
}
