import KVORetention

/// Objects of which it is known who holds them: `RetentionProbe heap FILE` writes a snapshot of them, and
/// `RetentionProbe heap FILE FILE` two, between which a cache grew by 20 pages; `RetentionProbe scene-leaks` prints what
/// it lost.
enum HeapScene {
  private final class HeapPage {
    var number: Int
    weak var cache: HeapCache?
    init(_ number: Int) { self.number = number }
  }

  private final class HeapCache {
    var pages: [HeapPage] = []
    var named: [String: HeapPage] = [:]
  }

  private final class HeapScreen {
    var action: (() -> Void)?
    var title = "a title that does not fit into the words of a string"
  }

  private final class HeapRing {
    var pair: (Int, HeapRing?) = (0, nil)
    unowned(unsafe) var other: HeapRing?
  }

  private final class HeapGone {
    var number = 1
  }

  /// Destroyed, and yet in memory as long as an unowned reference counts.
  private final class HeapDestroyed {
    var number = 1
  }

  private final class HeapNotOwner {
    unowned var first: HeapDestroyed
    weak var second: HeapDestroyed?
    init(_ object: HeapDestroyed) {
      first = object
      second = object
    }
  }

  /// In memory that `malloc` gave.
  private final class HeapHidden {
    var number = 1
  }

  // unsafe: the program has one thread.
  nonisolated(unsafe) private static var notOwners: [HeapNotOwner] = []
  nonisolated(unsafe) private static var cache: HeapCache?
  nonisolated(unsafe) private static var memory: UnsafeMutablePointer<HeapHidden>?

  /// Returns whether all files were written.
  static func write(to paths: [String]) -> Bool {
    cache = HeapCache()
    for path in paths {
      grow()
      do throws(RetainSnapshotError) {
        try RetainSearch().writeSnapshot(to: path)
      } catch {
        print(error)
        return false
      }
    }
    return true
  }

  /// Prints the leaks of the objects.
  static func printLeaks() throws(RetainSnapshotError) {
    cache = HeapCache()
    grow()
    print(try RetainSearch().findLeaks())
  }

  @inline(never)
  private static func grow() {
    for number in 0..<20 {
      let page = HeapPage(number)
      page.cache = cache
      cache?.pages.append(page)
      if number == 0 { cache?.named["first"] = page }
      lose()
    }
    guard memory == nil else { return }
    memory = .allocate(capacity: 1)
    memory?.initialize(to: HeapHidden())
  }

  @inline(never)
  private static func lose() {
    let ring = HeapRing()
    let other = HeapRing()
    ring.pair.1 = other
    other.pair.1 = ring
    ring.other = ring
    let screen = HeapScreen()
    let count = Int.random(in: 1...3)
    screen.action = { screen.title += String(repeating: ".", count: count) }
    notOwners.append(HeapNotOwner(HeapDestroyed()))
    let gone = HeapGone()
    gone.number += 1
  }
}
