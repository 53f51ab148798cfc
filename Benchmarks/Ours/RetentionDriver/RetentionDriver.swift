import BenchmarkDriver
import Glibc
import KVORetention

/// Walks a graph of objects in several ways: `RetentionDriver <way> <operations> <scratch>
/// [shuffled]`.
///
/// An operation is a node of the tree; in addition, the graph has two fifths as many contexts and
/// arrays.
/// - `chase`: the lower bound. Follows the two words of each node that lead to its children, and
///   nothing else: it reads no other words, and keeps no table of visited nodes.
/// - `cycles`, `cyclic`: `RetainSearch.findCycles`, in a graph without cycles and in one with some.
/// - `rings`, `chain`: finding and drawing the cycles of many rings, and one cycle whose label has
///   a part for each link of a chain of indirect enums. An operation is an object of a ring, or a
///   link.
/// - `plans`: the additional time of the first walk over a few nodes compared with the second, for
///   examining types. An operation is one of the `typeCount` types of heap objects.
/// - `mirror`: the peer, Swift's own reflection; it does not see what closures hold.
@main
enum RetentionDriver {
  static func main() {
    let run = MeasuredRun()
    if run.name == "rings" || run.name == "chain" { return measureRings(run) }
    let forest = ObjectForest(
      count: max(run.operationCount, 100),
      isShuffled: run.rest.contains("shuffled"),
      isCyclic: run.name == "cyclic"
    )
    withExtendedLifetime(forest) { measure(run, forest.root) }
  }

  private static func measure(_ run: MeasuredRun, _ root: Node) {
    switch run.name {
    case "chase":
      check(chase(root), run)
      run.measure { check(chase(root), run) }
    case "cycles", "cyclic":
      let search = RetainSearch()
      // Plans are made once per type and process, and are therefore measured separately.
      _ = search.findCycles(from: root)
      run.measure {
        let answer = search.findCycles(from: root)
        check(answer.objectCount, run)
        let verdict: RetainAnswer.Verdict = run.name == "cycles" ? .noneFound : .cycles
        guard answer.verdict == verdict else { MeasuredRun.fail("\(answer)") }
      }
    case "plans":
      guard run.operationCount == ObjectForest.typeCount else {
        MeasuredRun.fail("\(ObjectForest.typeCount) types are met", status: 64)
      }
      // The preparations of a search are done once here.
      _ = RetainSearch().findCycles(from: Bystander())
      let (first, second) = (walkTime(root), walkTime(root))
      guard first > second else {
        MeasuredRun.fail("the first walk took no longer than the second")
      }
      run.report(threadNanoseconds: first - second, processNanoseconds: first - second)
    case "mirror":
      run.measure {
        var walk = MirrorWalk()
        check(walk.count(from: root), run)
      }
    default: MeasuredRun.fail("no such way: \(run.name)", status: 64)
    }
  }

  private static func measureRings(_ run: MeasuredRun) {
    let holder = RingHolder()
    if run.name == "rings" {
      holder.hold(ringsOf: run.operationCount)
    } else {
      holder.hold(chainOf: run.operationCount)
    }
    let search = RetainSearch(cycleLimit: 10_000)
    _ = search.findCycles(from: Bystander())
    run.measure {
      let answer = search.findCycles(from: holder)
      check(answer.objectCount, run)
      guard answer.verdict == .cycles, answer.omittedCycleCount == 0 else {
        MeasuredRun.fail("\(answer.verdict), \(answer.omittedCycleCount) cycles left out")
      }
    }
  }

  /// None of the forest's types.
  private final class Bystander {}

  private static func walkTime(_ root: Node) -> UInt64 {
    let start = MeasuredRun.nanoseconds(CLOCK_THREAD_CPUTIME_ID)
    _ = RetainSearch().findCycles(from: root)
    return MeasuredRun.nanoseconds(CLOCK_THREAD_CPUTIME_ID) - start
  }

  private static func check(_ count: Int, _ run: MeasuredRun) {
    guard count >= run.operationCount else { MeasuredRun.fail("\(count) objects were met") }
  }

  /// Follows the children of nodes, which are at the offsets of `Node`'s first two properties.
  @inline(never)
  private static func chase(_ root: Node) -> Int {
    var count = 0
    var stack = [UInt(bitPattern: Unmanaged.passUnretained(root).toOpaque())]
    while let address = stack.popLast() {
      count += 1
      guard let node = UnsafePointer<UInt>(bitPattern: address) else { continue }
      if node[2] != 0 { stack.append(node[2]) }
      if node[3] != 0 { stack.append(node[3]) }
    }
    return count
  }
}

/// A walk by `Mirror`, as a program without this package would do it.
private struct MirrorWalk {
  private var seen: Set<ObjectIdentifier> = []
  private var waiting: [AnyObject] = []

  mutating func count(from root: AnyObject) -> Int {
    meet(root)
    var count = 0
    while let object = waiting.popLast() {
      count += 1
      take(Mirror(reflecting: object), depth: 0)
    }
    return count
  }

  private mutating func meet(_ object: AnyObject) {
    if seen.insert(ObjectIdentifier(object)).inserted { waiting.append(object) }
  }

  private mutating func take(_ mirror: Mirror, depth: Int) {
    var next: Mirror? = mirror
    while let mirror = next {
      for child in mirror.children {
        if type(of: child.value) is AnyClass {
          meet(child.value as AnyObject)
        } else if depth < 6 {
          take(Mirror(reflecting: child.value), depth: depth + 1)
        }
      }
      next = mirror.superclassMirror
    }
  }
}
