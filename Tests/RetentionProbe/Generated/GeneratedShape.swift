import Glibc
import KVORetention

/// A generated chain of references: a root that holds a value, through values of other types, that
/// leads back to it strongly or weakly.
///
/// Whether it leaks is decided by a weak reference, after all others are released, and never by a search.
struct GeneratedShape: Sendable, CustomStringConvertible {
  let root: RootKind
  /// From the root to the terminal.
  let carriers: [Carrier]
  let terminal: Terminal

  var description: String {
    (["\(root)"] + carriers.map(\.name) + [terminal.name]).joined(separator: " > ")
  }

  /// Of all that it leads through, what says least of its owner.
  var medium: Medium {
    let media = carriers.map(\.medium)
    if media.contains(.waiting) { return .waiting }
    // The last carriers have the root among their bytes.
    let last = carriers.reversed().prefix(while: \.isInline)
    if terminal.isManual || (terminal.isRoot && last.contains { $0.medium == .memory }) {
      return .rootInMemory
    }
    return media.contains(.memory) ? .memory : .described
  }

  /// One chain for each number.
  init(seed: Int) {
    var random = GeneratedRandom(state: UInt64(seed) &* 0x9E37_79B9_7F4A_7C15 | 1)
    for _ in 0..<8 { _ = random.next() }
    func pick<Element>(_ list: [Element]) -> Element {
      list[Int.random(in: 0..<list.count, using: &random)]
    }
    root = pick(RootKind.allCases)
    // Each carrier comes in turn, so that a short run has all of them.
    let first = Carrier.all[seed % Carrier.all.count]
    let chosen =
      ([first] + (0..<Int.random(in: 0...2, using: &random)).map { _ in pick(Carrier.all) })
      .shuffled(using: &random)
    terminal = pick(Terminal.all)
    let manual = Set(Carrier.manual.map(\.name))
    let isManual =
      terminal.isManual || chosen.contains { $0.keepsItself || manual.contains($0.name) }
    carriers = chosen.filter { !(isManual && $0.letsGo) }
  }

  /// What became of one form of a shape.
  struct Outcome {
    var leaks: Bool
    var answer: RetainAnswer

    /// A leak that was taken for none.
    var isMissed: Bool { leaks && answer.verdict == .noneFound }
    /// A reported cycle that does not exist.
    var isWrong: Bool { !leaks && hasCycle }
    var isFound: Bool { leaks && hasCycle }
    var isInconclusive: Bool { answer.verdict == .inconclusive && !hasCycle }
    /// Whether a cycle is proven, if only until a task ends, which none of these does.
    private var hasCycle: Bool {
      answer.verdict == .cycles || answer.taskCycles.contains(where: \.isProven)
    }
  }

  /// Creates the shape, searches it, releases it, and checks whether it still exists.
  func outcome(isStrong: Bool) async -> Outcome {
    let made = await made(isStrong: isStrong)
    let answer = made.answer
    let end = made.witness
    // A thread that ran a task may not have let go of it yet: what is alive and should not be is given time.
    for _ in 0..<2_000 where end.root != nil && answer.verdict == .noneFound {
      try? await Task.sleep(nanoseconds: 5_000_000)
    }
    return Outcome(leaks: end.root != nil, answer: answer)
  }

  private final class Witness: @unchecked Sendable {
    // Sendable: no other code has it.
    weak var root: GeneratedRoot?
  }

  @inline(never)
  private func made(isStrong: Bool) async -> (answer: RetainAnswer, witness: Witness) {
    let witness = Witness()
    let root = await tied(isStrong: isStrong)
    witness.root = root
    let answer = RetainSearch().findCycles(from: root)
    return (answer, witness)
  }

  /// A root that holds the values; nobody else holds it.
  @inline(never)
  func tied(isStrong: Bool) async -> GeneratedRoot {
    func value(of target: GeneratedRoot) async -> Any {
      var value = isStrong ? terminal.strong(target) : terminal.weak(target)
      for carrier in carriers.reversed() { value = await carrier.carry(value) }
      return value
    }
    // The root's type may be that of what it holds: a sample shows it.
    let root = root.root(for: await value(of: AnyRoot()))
    root.hold(await value(of: root))
    return root
  }
}

/// The same numbers in every run.
struct GeneratedRandom: RandomNumberGenerator {
  var state: UInt64
  mutating func next() -> UInt64 {
    state ^= state << 13
    state ^= state >> 7
    state ^= state << 17
    return state
  }
}
