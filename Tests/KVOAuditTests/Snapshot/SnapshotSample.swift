import KVOHeap

/// A log and a heap snapshot of one process: a bank, which a global holds, has an account that a screen observes; another
/// screen keeps itself and its account alive.
enum SnapshotSample {
  /// 2026-02-03 04:05:06 UTC.
  static let start: UInt64 = 1_770_091_506_000_000_000

  static let process =
    #"{"event":"process","pid":4711,"executable":"/bin/app","runtime":"swift","started":"2026-02-03T04:05:06Z"}"#
    + "\n"
  static let image =
    #"{"event":"module","path":"/bin/app","textStart":"0x100","textEnd":"0x200"}"# + "\n"

  private static func object(_ name: String, _ id: Int) -> String {
    #"{"class":"\#(name)","id":"\#(id)"}"#
  }

  private static func event(
    _ name: String,
    _ more: String,
    _ observed: Int,
    _ observer: Int
  ) -> String {
    #"{"event":"\#(name)","thread":1,\#(more)"subject":\#(object("Account", observed)),"#
      + #""observer":\#(object("Screen", observer)),"keyPath":"balance","context":null}"# + "\n"
  }

  /// The screen 3 removes twice what it observes of the account 12; the screens 4 and 5 observe on, and one of them is
  /// not in the snapshot.
  static let events =
    event("register", #""registration":1,"site":"Screen.swift:12","#, 12, 3)
    + event("remove", #""registration":1,"#, 12, 3)
    + event("remove", #""registration":null,"#, 12, 3)
    + event("register", #""registration":2,"site":"Screen.swift:12","#, 13, 4)
    + event("register", #""registration":3,"site":"Screen.swift:12","#, 14, 5)
    + #"{"event":"exit","status":0}"# + "\n"

  static let log = process + image + events

  static var snapshot: HeapSnapshot {
    var snapshot = HeapSnapshot(
      processID: 4711,
      processName: "app",
      time: start + 60_000_000_000,
      processStart: start - 10_000_000
    )
    snapshot.images = [
      HeapSnapshot.Image(path: "/bin/app", buildID: "0aff", start: 0x100, end: 0x200)
    ]
    snapshot.classes = [
      HeapSnapshot.Class(name: "Bank", module: "App", kind: .instance),
      HeapSnapshot.Class(name: "Account", module: "App", kind: .instance),
      HeapSnapshot.Class(name: "Screen", module: "App", kind: .instance),
      HeapSnapshot.Class(name: "closure", module: "", kind: .closure),
    ]
    func add(_ type: Int, _ edges: [(target: Int, label: String)], owners: UInt32 = 1) {
      let first = snapshot.edges.count
      snapshot.edges += edges.map {
        HeapSnapshot.Edge(target: $0.target, label: $0.label, isProven: true)
      }
      snapshot.objects.append(
        HeapSnapshot.Object(
          address: 0x1000 + UInt64(snapshot.objects.count) * 0x100,
          byteCount: 64,
          classIndex: type,
          edges: first..<snapshot.edges.count,
          ownerCount: owners
        )
      )
    }
    add(0, [(1, "accounts.[…]")])
    add(1, [])
    add(2, [])
    // The lost screen, its closure, and its account.
    add(2, [(4, "action"), (5, "account")])
    add(3, [(3, "capture 0")])
    add(1, [])
    snapshot.roots = [
      HeapSnapshot.Root(kind: .global, address: 0x180, object: 0),
      HeapSnapshot.Root(kind: .stack, address: 0x7fff_0000, object: 2),
    ]
    snapshot.numbered = [
      HeapSnapshot.NumberedObject(object: 1, number: 12, className: "Account"),
      HeapSnapshot.NumberedObject(object: 2, number: 3, className: "Screen"),
      HeapSnapshot.NumberedObject(object: 3, number: 4, className: "Screen"),
      HeapSnapshot.NumberedObject(object: 5, number: 13, className: "Account"),
    ]
    return snapshot
  }
}
