import KVOHeap
import TestSupport

/// Snapshots with random references, and slow answers from the definitions.
enum RandomHeap {
  static func snapshot(_ random: inout SplitMix64, objectLimit: Int = 12) -> HeapSnapshot {
    let count = Int.random(in: 1...objectLimit, using: &random)
    var snapshot = HeapSnapshot(processID: 7, processName: "app", time: 1)
    snapshot.images = [
      HeapSnapshot.Image(path: "/bin/app", buildID: "0aff", start: 4096, end: 8192)
    ]
    snapshot.classes = [
      HeapSnapshot.Class(name: "Screen", module: "App", kind: .instance),
      HeapSnapshot.Class(name: "closure", module: "", kind: .closure),
      HeapSnapshot.Class(name: "allocation", module: "", kind: .allocation),
    ]
    let edgeLimit = Int.random(in: 0...3, using: &random)
    var address: UInt64 = 0x1000
    for _ in 0..<count {
      let first = snapshot.edges.count
      for _ in 0..<Int.random(in: 0...edgeLimit, using: &random) {
        snapshot.edges.append(
          HeapSnapshot.Edge(
            target: Int.random(in: 0..<count, using: &random),
            label: ["", "next", "pair.owner", "[…]"].randomElement(using: &random) ?? "",
            isProven: Int.random(in: 0..<4, using: &random) > 0
          )
        )
      }
      let byteCount = UInt64.random(in: 1...64, using: &random)
      snapshot.objects.append(
        HeapSnapshot.Object(
          address: address,
          byteCount: byteCount,
          classIndex: Int.random(in: 0..<3, using: &random),
          edges: first..<snapshot.edges.count,
          ownerCount: UInt32.random(in: 0...3, using: &random)
        )
      )
      address += byteCount + UInt64.random(in: 0...8, using: &random)
    }
    for number in 0..<Int.random(in: 0...3, using: &random) {
      snapshot.roots.append(
        HeapSnapshot.Root(
          kind: HeapSnapshot.RootKind.allCases.randomElement(using: &random) ?? .global,
          address: UInt64(number) * 8,
          object: Int.random(in: 0..<count, using: &random)
        )
      )
    }
    snapshot.processStart = UInt64.random(in: 0...9, using: &random)
    snapshot.numbered = snapshot.objects.indices.filter { _ in Bool.random(using: &random) }.map {
      HeapSnapshot.NumberedObject(object: $0, number: UInt64(100 - $0), className: "Screen")
    }
    return snapshot
  }
}

extension HeapSnapshot {
  /// What the roots lead to if an object is not there.
  func reached(without removed: Int? = nil, isProven: Bool = false) -> Set<Int> {
    reached(from: roots.map(\.object), without: { $0 == removed }, isProven: isProven)
  }

  func reached(
    from starts: [Int],
    without isRemoved: (Int) -> Bool = { _ in false },
    isProven: Bool
  ) -> Set<Int> {
    var reached: Set<Int> = []
    var waiting = starts.filter { !isRemoved($0) }
    while let object = waiting.popLast() {
      guard reached.insert(object).inserted else { continue }
      waiting += edges[objects[object].edges].filter { $0.isProven || !isProven }
        .map(\.target).filter { !isRemoved($0) }
    }
    return reached
  }

  /// By the definition: an object is dominated by each one without which it is not reached.
  func dominators(of object: Int) -> Set<Int> {
    Set(objects.indices.filter { $0 != object && !reached(without: $0).contains(object) })
  }
}
