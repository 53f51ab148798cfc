import TestSupport
import Testing

@testable import KVOHeap

/// Graphs are compared with answers that are found by the definitions alone.
@Suite("Graphs of heap snapshots")
struct HeapGraphTests {
  @Test("the nearest dominator is the one that all others dominate", arguments: 0..<20)
  func dominators(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    for _ in 0..<Rounds.count(20) {
      let snapshot = RandomHeap.snapshot(&random)
      let found = Dominators(of: snapshot)
      let reached = snapshot.reached()
      #expect(Set(found.order) == reached && found.order.count == reached.count)
      for object in snapshot.objects.indices {
        guard reached.contains(object) else {
          #expect(found.nearest[object] == -1)
          continue
        }
        // Those that `nearest` leads to, one after the other.
        var chain: [Int] = []
        var next = found.nearest[object]
        while next < snapshot.objects.count {
          chain.append(next)
          next = found.nearest[next]
        }
        #expect(Set(chain) == snapshot.dominators(of: object), "\(snapshot) \(object)")
      }
    }
  }

  @Test("objects that are unreachable without an object are retained by it", arguments: 0..<20)
  func retained(seed: UInt64) {
    var random = SplitMix64(seed: 100 + seed)
    for _ in 0..<Rounds.count(20) {
      let snapshot = RandomHeap.snapshot(&random)
      let found = Dominators(of: snapshot)
      let reached = snapshot.reached()
      let retained = found.retainedByteCounts(in: snapshot)
      func bytes(_ objects: Set<Int>) -> UInt64 {
        objects.reduce(0) { $0 + snapshot.objects[$1].byteCount }
      }
      for object in snapshot.objects.indices {
        let lost = reached.subtracting(snapshot.reached(without: object))
        #expect(retained[object] == bytes(lost))
      }
      for row in HeapClasses(of: snapshot, found).rows {
        let index = snapshot.classes.firstIndex { $0.name == row.name }
        let members = snapshot.objects.indices.filter { snapshot.objects[$0].classIndex == index }
        // Each object that one of the class dominates.
        let lost = members.reduce(into: Set<Int>()) {
          $0.formUnion(reached.subtracting(snapshot.reached(without: $1)))
        }
        #expect(row.retainedByteCount == bytes(lost))
        #expect(row.count == members.count)
        #expect(row.byteCount == bytes(Set(members)))
        #expect(row.unreachedCount == members.count { !reached.contains($0) })
      }
    }
  }

  @Test("a path leads from a root, and none is shorter", arguments: 0..<20)
  func paths(seed: UInt64) throws {
    var random = SplitMix64(seed: 200 + seed)
    for _ in 0..<Rounds.count(20) {
      let snapshot = RandomHeap.snapshot(&random)
      var finder = PathFinder(snapshot)
      for object in snapshot.objects.indices {
        let path = finder.path { $0 == object }
        let isProven = snapshot.reached(isProven: true).contains(object)
        guard let path else {
          #expect(!snapshot.reached().contains(object))
          continue
        }
        #expect(snapshot.roots.contains(path.root) && path.target == object)
        var current = path.root.object
        for step in path.steps {
          #expect(step.object == current && snapshot.objects[current].edges.contains(step.edge))
          current = snapshot.edges[step.edge].target
        }
        #expect(current == object)
        #expect(path.steps.allSatisfy { snapshot.edges[$0.edge].isProven } || !isProven)
        #expect(path.steps.count == distance(to: object, isProven: isProven, in: snapshot))
      }
    }
  }

  private func distance(to object: Int, isProven: Bool, in snapshot: HeapSnapshot) -> Int? {
    var layer = Set(snapshot.roots.map(\.object))
    for distance in 0...snapshot.objects.count {
      if layer.contains(object) { return distance }
      for source in layer {
        for edge in snapshot.edges[snapshot.objects[source].edges]
        where edge.isProven || !isProven {
          layer.insert(edge.target)
        }
      }
    }
    return nil
  }

  @Test("objects are in one component if each leads to the other", arguments: 0..<20)
  func components(seed: UInt64) {
    var random = SplitMix64(seed: 300 + seed)
    for _ in 0..<Rounds.count(20) {
      let snapshot = RandomHeap.snapshot(&random)
      let reach = snapshot.objects.indices.map { object in
        snapshot.reached(
          from: snapshot.edges[snapshot.objects[object].edges].filter(\.isProven).map(\.target),
          isProven: true
        )
      }
      var expected: Set<[Int]> = []
      for object in snapshot.objects.indices where reach[object].contains(object) {
        expected.insert(reach[object].filter { reach[$0].contains(object) }.sorted())
      }
      let found = HeapCycles.components(of: snapshot)
      #expect(Set(found) == expected && found.count == expected.count)
    }
  }

  @Test("a long chain needs no recursion")
  func deep() {
    let count = Rounds.count(100_000)
    var snapshot = HeapSnapshot(processID: 1, processName: "app", time: 0)
    snapshot.classes = [HeapSnapshot.Class(name: "Node", module: "App", kind: .instance)]
    for number in 0..<count {
      snapshot.edges.append(
        HeapSnapshot.Edge(target: (number + 1) % count, label: "next", isProven: true)
      )
      snapshot.objects.append(
        HeapSnapshot.Object(
          address: UInt64(number + 1) * 32,
          byteCount: 32,
          classIndex: 0,
          edges: number..<number + 1
        )
      )
    }
    snapshot.roots = [HeapSnapshot.Root(kind: .global, address: 8, object: 0)]
    let dominators = Dominators(of: snapshot)
    #expect(dominators.nearest[count - 1] == count - 2)
    #expect(dominators.retainedByteCounts(in: snapshot)[0] == UInt64(count) * 32)
    #expect(HeapCycles.components(of: snapshot).map(\.count) == [count])
    #expect(HeapClasses(of: snapshot, dominators).rows[0].retainedByteCount == UInt64(count) * 32)
  }

  @Test("paths to several objects are those to each of them", arguments: 0..<20)
  func severalPaths(seed: UInt64) {
    var random = SplitMix64(seed: 700 + seed)
    for _ in 0..<Rounds.count(20) {
      let snapshot = RandomHeap.snapshot(&random)
      let targets = Set(snapshot.objects.indices.filter { _ in Bool.random(using: &random) })
      var finder = PathFinder(snapshot)
      let found = finder.paths(to: targets)
      for object in snapshot.objects.indices {
        let alone = finder.path { $0 == object }
        #expect(found[object] == (targets.contains(object) ? alone : nil))
      }
    }
  }

  @Test("an object is found by the address that it begins at")
  func addresses() {
    var random = SplitMix64(seed: 800)
    for _ in 0..<Rounds.count(20) {
      let snapshot = RandomHeap.snapshot(&random)
      let last = snapshot.objects.last.map { $0.address + $0.byteCount + 1 } ?? 0
      for address in 0xff0...last {
        let expected = snapshot.objects.firstIndex { $0.address == address }
        #expect(snapshot.object(at: address) == expected)
      }
    }
  }
}
