import CKVORetention
import Foundation
import KVOHeap
import KVORetention
import TestSupport
import Testing

/// Snapshots of a program of which it is known who holds what: `HeapScene`.
@Suite("Heap snapshots", .enabled(if: kvos_is_glibc_heap() != 0))
struct HeapSnapshotTests {
  private static func snapshots(_ count: Int) throws -> [HeapSnapshot] {
    let folder = try ScratchFolder()
    let names = (0..<count).map { "\($0).kvoheap" }
    let run = try ProgramRun(
      try ProgramRun.built("RetentionProbe"),
      ["heap"] + names,
      in: folder.url
    )
    try #require(run.status == 0, "\(run.output)\(run.complaint)")
    #expect(try folder.names == names)
    return try names.map {
      try HeapFile.snapshot(of: Array(Data(contentsOf: folder.url.appending(path: $0))))
    }
  }

  @Test("each living object of a class is there once, and no deallocated one")
  func objects() throws {
    let snapshot = try #require(try Self.snapshots(1).first)
    func count(_ name: String) -> Int {
      snapshot.objects.indices.count { snapshot.classOf($0).name == name }
    }
    #expect(count("HeapCache") == 1)
    #expect(count("HeapPage") == 20)
    #expect(count("HeapRing") == 40)
    #expect(count("HeapScreen") == 20)
    #expect(count("HeapHidden") == 1)
    #expect(count("HeapGone") == 0)
    #expect(count("HeapNotOwner") == 20)
    #expect(count("HeapDestroyed") == 0)
    #expect(snapshot.classes.first { $0.name == "HeapPage" }?.module == "RetentionProbe")
    #expect(snapshot.gaps.isEmpty)
    #expect(snapshot.processName == "RetentionProbe")
    #expect(snapshot.images.contains { $0.path.hasSuffix("/RetentionProbe") })
  }

  @Test("references have their names, and weak and unowned ones are none")
  func references() throws {
    let snapshot = try #require(try Self.snapshots(1).first)
    var names: Set<String> = []
    for object in snapshot.objects.indices {
      let source = snapshot.classOf(object)
      guard source.name.hasPrefix("Heap") else { continue }
      for edge in snapshot.edges[snapshot.objects[object].edges] where edge.isProven {
        let target = snapshot.classOf(edge.target)
        let name = target.name.hasPrefix("Heap") || target.kind == .closure ? target.name : "…"
        names.insert("\(source.name).\(edge.label) \(name)")
      }
    }
    #expect(
      names == [
        "HeapCache.pages …", "HeapCache.named …", "HeapRing.pair.1 HeapRing",
        "HeapScreen.action closure",
      ]
    )
  }

  @Test("a global leads to what it holds, and cycles are found")
  func graph() throws {
    let snapshot = try #require(try Self.snapshots(1).first)
    var finder = PathFinder(snapshot)
    let path = try #require(finder.path { snapshot.classOf($0).name == "HeapPage" })
    #expect(path.root.kind == .global)
    #expect(snapshot.classOf(path.root.object).name == "HeapCache")
    #expect(path.steps.allSatisfy { snapshot.edges[$0.edge].isProven })
    let hidden = try #require(finder.path { snapshot.classOf($0).name == "HeapHidden" })
    #expect(hidden.root.kind == .global)
    #expect(hidden.steps.count == 1)
    #expect(hidden.steps.allSatisfy { !snapshot.edges[$0.edge].isProven })
    let groups = HeapCycles(of: snapshot, Dominators(of: snapshot)).groups
    func group(_ prefix: String) -> HeapCycles.Group? { groups.first { $0.text.hasPrefix(prefix) } }
    #expect(group("HeapRing")?.text == "HeapRing.pair.1 → HeapRing.pair.1 → HeapRing")
    #expect(group("HeapRing")?.count == 20)
    #expect(group("HeapScreen")?.text == "HeapScreen.action → closure.capture 1 → HeapScreen")
    #expect(group("HeapScreen")?.count == 20)
  }

  @Test("two snapshots say what grew and what holds it")
  func difference() throws {
    let snapshots = try Self.snapshots(2)
    let found = HeapDifference(
      from: snapshots[0],
      to: snapshots[1],
      Dominators(of: snapshots[1])
    )
    let pages = try #require(found.grown.first { $0.name == "RetentionProbe.HeapPage" })
    #expect(pages.oldCount == 20)
    #expect(pages.newCount == 40)
    // One is in the array and in the dictionary.
    #expect(pages.holders.reduce(0) { $0 + $1.count } == 20)
    #expect(pages.holders.contains { $0.name.contains("ArrayStorage") && $0.count >= 18 })
  }

  @Test("a file that cannot be written is an error")
  func unwritable() throws {
    let folder = try ScratchFolder()
    let error = #expect(throws: RetainSnapshotError.self) {
      try RetainSearch().writeSnapshot(to: folder.path("none/app.kvoheap"))
    }
    #expect(error?.code == .system)
    #expect(error?.message.hasSuffix("cannot be written: No such file or directory") == true)
    #expect(try folder.names.isEmpty)
  }
}
