import Foundation
import KVOHeap
import TestSupport
import Testing

@Suite("kvo-audit heap") struct HeapCommandTests {
  private let folder: ScratchFolder

  init() throws {
    folder = try ScratchFolder()
    _ = try folder.file("a.kvoheap", HeapFile.bytes(of: Self.snapshot(pageCount: 1)))
    _ = try folder.file("b.kvoheap", HeapFile.bytes(of: Self.snapshot(pageCount: 3)))
  }

  /// A global holds a cache, which holds pages through memory without a description; two rings are lost.
  private static func snapshot(pageCount: Int) -> HeapSnapshot {
    var snapshot = HeapSnapshot(processID: 7, processName: "app", time: 1_000, gaps: .hugeMapping)
    snapshot.images = [
      HeapSnapshot.Image(path: "/bin/app", buildID: "0aff", start: 0x100, end: 0x200)
    ]
    snapshot.classes = [
      HeapSnapshot.Class(name: "Cache", module: "App", kind: .instance),
      HeapSnapshot.Class(name: "allocation", module: "", kind: .allocation),
      HeapSnapshot.Class(name: "Lost", module: "App", kind: .instance),
      HeapSnapshot.Class(name: "Page", module: "App", kind: .instance),
    ]
    func add(_ type: Int, _ byteCount: UInt64, _ edges: [HeapSnapshot.Edge]) {
      let first = snapshot.edges.count
      snapshot.edges += edges
      snapshot.objects.append(
        HeapSnapshot.Object(
          address: 0x1000 + UInt64(snapshot.objects.count) * 0x100,
          byteCount: byteCount,
          classIndex: type,
          edges: first..<snapshot.edges.count,
          ownerCount: type == 1 ? 0 : 1
        )
      )
    }
    add(0, 64, [HeapSnapshot.Edge(target: 1, label: "", isProven: false)])
    add(
      1,
      128,
      (0..<pageCount).map { HeapSnapshot.Edge(target: 6 + $0, label: "", isProven: false) }
    )
    for number in 2..<6 {
      add(2, 32, [HeapSnapshot.Edge(target: number ^ 1, label: "next", isProven: true)])
    }
    for _ in 0..<pageCount { add(3, 48, []) }
    snapshot.roots = [
      HeapSnapshot.Root(kind: .stack, address: 0x7fff_0000, object: 1),
      HeapSnapshot.Root(kind: .global, address: 0x180, object: 0),
    ]
    return snapshot
  }

  private func run(_ arguments: String...) throws -> CommandRun {
    try CommandRun(["heap"] + arguments, in: folder.url)
  }

  @Test("lists classes by retained size")
  func classes() throws {
    let run = try run("b.kvoheap")
    #expect(run.complaint == "")
    #expect(
      run.output == """
        app (process 7): 9 objects, 464 bytes, 8 references, 2 roots
        Not all was read: there is a mapping of 16 GiB or more.

        retained  bytes  objects  unreached  class
             272    128        1          0  allocation
             144    144        3          0  App.Page
              64     64        1          0  App.Cache
               0    128        4          4  App.Lost

        4 objects that no root leads to

        """
    )
    #expect(run.status == 0)
    let short = try self.run("--limit", "1", "b.kvoheap").output
    #expect(short.contains("allocation\n… and 3 classes more: --limit 0 lists all\n"))
  }

  @Test("lists cycles, those of the same classes as one")
  func cycles() throws {
    let run = try run("--cycles", "b.kvoheap")
    #expect(
      run.output == """
        app (process 7): 9 objects, 464 bytes, 8 references, 2 roots
        Not all was read: there is a mapping of 16 GiB or more.

        2 cycles, 4 objects, 128 bytes, 4 unreached, one at 0x1200
          Lost.next → Lost.next → Lost

        """
    )
    #expect(run.status == 0)
  }

  @Test("lists what nothing else owns, and by which classes")
  func leaks() throws {
    let head = """
      app (process 7): 9 objects, 464 bytes, 8 references, 2 roots
      Not all was read: there is a mapping of 16 GiB or more.


      """
    let run = try run("--leaks", "b.kvoheap")
    #expect(
      run.output == head + """
        2 leaks, 4 objects, 128 bytes, one at 0x1200
          Lost.next → Lost.next → Lost

        leaked  objects  class
             4        4  App.Lost

        """
    )
    #expect(run.status == 0)
    var snapshot = Self.snapshot(pageCount: 1)
    for object in snapshot.objects.indices { snapshot.objects[object].ownerCount += 1 }
    _ = try folder.file("c.kvoheap", HeapFile.bytes(of: snapshot))
    #expect(
      try self.run("--leaks", "c.kvoheap").output
        .hasSuffix("\n\nno objects that nothing but they themselves owns\n")
    )
  }

  @Test("draws the path to a class, and to an address")
  func path() throws {
    let expected = """
      app (process 7): 9 objects, 464 bytes, 8 references, 2 roots
      Not all was read: there is a mapping of 16 GiB or more.

      Page: the nearest of 3 objects
      stack at 0x7fff0000
        ⇢ allocation 0x1100 (128 bytes)
        ⇢ App.Page 0x1600 (48 bytes)
      ⇢ is a word that may be a reference, or what one left

      """
    #expect(try run("--path", "Page", "b.kvoheap").output == expected)
    #expect(
      try run("--path", "0x1010", "b.kvoheap").output.hasSuffix(
        """
        0x1010: the nearest of 1 object
        global at 0x180 in app
          → App.Cache 0x1000 (64 bytes)

        """
      )
    )
    #expect(
      try run("--path", "App.Lost", "b.kvoheap").output.hasSuffix(
        "\nApp.Lost: no root leads to any of 4 objects\n"
      )
    )
  }

  @Test("a class that is not there is wrong usage, with the one that may be meant")
  func unknown() throws {
    let run = try run("--path", "Pages", "a.kvoheap")
    #expect(
      run.complaint == "kvo-audit: a.kvoheap: no object of \"Pages\"; did you mean \"Page\"?\n"
    )
    #expect(run.status == 64)
    #expect(run.output == "")
  }

  private static let gaps = """
    Not all was read of the older snapshot: there is a mapping of 16 GiB or more.
    Not all was read of the newer snapshot: there is a mapping of 16 GiB or more.


    """

  @Test("names the snapshot of a difference that is incomplete, and no other")
  func differenceGaps() throws {
    var whole = Self.snapshot(pageCount: 1)
    whole.gaps = []
    _ = try folder.file("whole.kvoheap", HeapFile.bytes(of: whole))
    let line = "Not all was read of the newer snapshot: there is a mapping of 16 GiB or more.\n\n"
    #expect(
      try run("diff", "whole.kvoheap", "a.kvoheap").output == line + "no class grew\n"
    )
    #expect(try run("diff", "whole.kvoheap", "whole.kvoheap").output == "no class grew\n")
    let json = try run("diff", "--format", "json", "whole.kvoheap", "a.kvoheap").output
    let found = try JSONSerialization.jsonObject(with: Data(json.utf8)) as? [String: Any]
    #expect(found?["oldGaps"] as? [String] == [])
    #expect(found?["newGaps"] as? [String] == ["there is a mapping of 16 GiB or more"])
  }

  @Test("lists what grew and what holds it")
  func difference() throws {
    let run = try run("diff", "a.kvoheap", "b.kvoheap")
    #expect(
      run.output == """
        \(Self.gaps)App.Page: 1 → 3 objects, +96 bytes
          2 new held by allocation

        """
    )
    #expect(run.status == 0)
    #expect(try self.run("diff", "a.kvoheap", "a.kvoheap").output == "\(Self.gaps)no class grew\n")
    #expect(
      try self.run("diff", "b.kvoheap", "a.kvoheap").output
        == "\(Self.gaps)no class grew\n1 class with fewer objects\n"
    )
  }

  @Test(
    "says the same as JSON",
    arguments: [
      (["b.kvoheap"], "classes", 4), (["--cycles", "b.kvoheap"], "cycles", 1),
      (["--leaks", "b.kvoheap"], "leaks", 1),
      (["diff", "a.kvoheap", "b.kvoheap"], "grown", 1),
    ]
  )
  func json(arguments: [String], key: String, count: Int) throws {
    let run = try CommandRun(["heap"] + arguments + ["--format", "json"], in: folder.url)
    let found = try JSONSerialization.jsonObject(with: Data(run.output.utf8)) as? [String: Any]
    #expect((found?[key] as? [Any])?.count == count, "\(run.output)\(run.complaint)")
    #expect(run.status == 0)
  }

  @Test("writes a path as JSON")
  func jsonPath() throws {
    let run = try run("--format", "json", "--path", "Cache", "a.kvoheap")
    #expect(
      run.output.hasSuffix(
        """
          "target": "Cache",
          "matches": 1,
          "path": {
            "root": {
              "kind": "global",
              "address": "0x180"
            },
            "objects": [
              {
                "class": "Cache",
                "address": "0x1000",
                "bytes": 64
              }
            ]
          }
        }

        """
      )
    )
  }

  @Test("a file that is not a snapshot, is cut or damaged is refused with status 65")
  func unreadable() throws {
    let whole = HeapFile.bytes(of: Self.snapshot(pageCount: 1))
    _ = try folder.file("cut.kvoheap", Array(whole.dropLast()))
    var damaged = whole
    damaged[100] ^= 1
    _ = try folder.file("damaged.kvoheap", damaged)
    _ = try folder.file("text.kvoheap", "text")
    for (name, reason) in [
      ("cut", "is cut: it has \(whole.count - 1) of \(whole.count) bytes"),
      ("damaged", "is damaged: its checksum is another one"),
      ("text", "is not a heap snapshot: it does not begin with \"KVOHEAP\""),
      ("missing", "no such file"),
    ] {
      let run = try run("\(name).kvoheap")
      #expect(run.complaint == "kvo-audit: \(name).kvoheap: \(reason)\n")
      #expect(run.status == 65)
      #expect(run.output == "")
    }
  }

  @Test("refuses a file without an end, and one that memory cannot hold, by its first bytes")
  func endless() throws {
    var huge = HeapFile.bytes(of: Self.snapshot(pageCount: 1))
    // The size in the header is a terabyte; the file has it as a hole.
    for index in 0..<8 { huge[24 + index] = index == 5 ? 1 : 0 }
    _ = try folder.file("huge.kvoheap", huge)
    let run = try CommandRun(
      shell: """
        ulimit -c 0 -v 2000000
        $audit heap /dev/zero; echo $?
        truncate -s $((1 << 40)) huge.kvoheap
        $audit heap huge.kvoheap; echo $?
        (cat a.kvoheap; cat /dev/zero) | $audit heap /dev/stdin; echo $?
        """,
      in: folder.url
    )
    #expect(run.output == "65\n65\n65\n")
    let size = HeapFile.bytes(of: Self.snapshot(pageCount: 1)).count
    #expect(
      run.complaint == """
        kvo-audit: /dev/zero: is not a heap snapshot: it does not begin with "KVOHEAP"
        kvo-audit: huge.kvoheap: is too large for the memory of this process: it has 1099511627776 bytes
        kvo-audit: /dev/stdin: has more than the \(size) bytes that it says that it has

        """
    )
  }

  /// A global holds the first of `count` nodes, each of which holds the next, and the last one the first if
  /// `isRing`; nothing else holds them.
  private static func chain(_ count: Int, isRing: Bool) -> HeapSnapshot {
    var snapshot = HeapSnapshot(processID: 7, processName: "app", time: 1_000)
    snapshot.classes = [HeapSnapshot.Class(name: "Node", module: "App", kind: .instance)]
    for number in 0..<count {
      let isLast = number == count - 1
      let first = snapshot.edges.count
      if !isLast || isRing {
        let next = isLast ? 0 : number + 1
        snapshot.edges.append(HeapSnapshot.Edge(target: next, label: "next", isProven: true))
      }
      snapshot.objects.append(
        HeapSnapshot.Object(
          address: 0x1000 + UInt64(number) * 16,
          byteCount: 16,
          classIndex: 0,
          edges: first..<snapshot.edges.count
        )
      )
    }
    snapshot.roots = [HeapSnapshot.Root(kind: .global, address: 0, object: 0)]
    return snapshot
  }

  @Test("folds long paths and cycles, and says how many objects it leaves out")
  func folded() throws {
    let count = 100_000
    _ = try folder.file("list.kvoheap", HeapFile.bytes(of: Self.chain(count, isRing: false)))
    _ = try folder.file("ring.kvoheap", HeapFile.bytes(of: Self.chain(count, isRing: true)))
    let last = "0x\(String(0x1000 + (count - 1) * 16, radix: 16))"
    let path = try run("--path", last, "list.kvoheap").output
    let lines = path.split(separator: "\n")
    #expect(lines.count { $0.hasPrefix("  ") } == 41)
    #expect(lines.contains("  … 99,960 objects left out: --format json has all"))
    #expect(lines.last == "  next → App.Node \(last) (16 bytes)")
    let cycle = try run("--cycles", "ring.kvoheap").output
    #expect(cycle.contains("Node.next → … 99,980 objects left out: --format json has all … Node"))
    #expect(cycle.count < 2_000)
    var leak = Self.chain(count, isRing: true)
    for object in leak.objects.indices { leak.objects[object].ownerCount = 1 }
    leak.roots = []
    _ = try folder.file("leak.kvoheap", HeapFile.bytes(of: leak))
    let leaks = try run("--leaks", "leak.kvoheap").output
    #expect(leaks.contains("Node.next → … 99,980 objects left out: --format json has all … Node"))
    #expect(leaks.count < 2_000)
    let json = try run("--format", "json", "--path", last, "list.kvoheap").output
    #expect(json.components(separatedBy: "\"class\": \"Node\"").count == count + 1)
  }

  @Test("shows paths and cycles that are not long whole")
  func whole() throws {
    _ = try folder.file("list.kvoheap", HeapFile.bytes(of: Self.chain(40, isRing: false)))
    _ = try folder.file("ring.kvoheap", HeapFile.bytes(of: Self.chain(20, isRing: true)))
    let path = try run("--path", "0x1270", "list.kvoheap").output
    #expect(path.split(separator: "\n").count { $0.hasPrefix("  ") } == 40)
    #expect(!path.contains("…"))
    #expect(try !run("--cycles", "ring.kvoheap").output.contains("…"))
  }

  @Test("class names do not move the cursor")
  func escaped() throws {
    var snapshot = Self.snapshot(pageCount: 1)
    snapshot.classes[0].name = "\u{1b}[2J"
    _ = try folder.file("c.kvoheap", HeapFile.bytes(of: snapshot))
    for arguments in [["c.kvoheap"], ["--path", "0x1000", "c.kvoheap"]] {
      let output = try CommandRun(["heap"] + arguments, in: folder.url).output
      #expect(!output.contains("\u{1b}") && output.contains(#"App.\u{1b}[2J"#))
    }
  }
}
