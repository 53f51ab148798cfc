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

  @Test("objects of another process with the same ID are new")
  func otherProcess() {
    var old = Self.snapshot(pageCount: 1)
    var new = Self.snapshot(pageCount: 3)
    old.images = [HeapSnapshot.Image(path: "/bin/app", buildID: "", start: 0x1000, end: 0x2000)]
    new.images = [HeapSnapshot.Image(path: "/bin/app", buildID: "", start: 0x5000, end: 0x6000)]
    old.processStart = 5_000_000_000
    func newPageCounts(startingAt start: UInt64) -> [Int] {
      new.processStart = start
      let found = HeapDifference(from: old, to: new, Dominators(of: new))
      return found.grown.flatMap(\.holders).map(\.count)
    }
    // The image was loaded again.
    #expect(newPageCounts(startingAt: 5_010_000_000) == [2])
    #expect(newPageCounts(startingAt: 65_000_000_000) == [3])
    // A version that does not say when the process was started.
    #expect(newPageCounts(startingAt: 0) == [3])
    // The clock was set.
    new.images = old.images
    #expect(newPageCounts(startingAt: 65_000_000_000) == [2])
    new.processID += 1
    #expect(newPageCounts(startingAt: 5_000_000_000) == [3])
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
