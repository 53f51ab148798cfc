import KVORetention

/// Searches the process for leaks among generated shapes: `RetentionProbe leaks <count> [<first>]`.
///
/// Each shape is held by somebody else first, and then by nobody: no leak may be claimed before that, nor of a root that
/// is deallocated then. A line for each that is missed or wrong, fields with tabs between them; then a line for each
/// medium: how many leaked, and were found; then a line of sums.
struct LeakRun {
  private static let batchCount = 24

  private final class Tried: @unchecked Sendable {
    // Sendable: nobody else has it.
    let seed: Int
    let isStrong: Bool
    let holder: RootHolder
    let shape: GeneratedShape
    weak var root: GeneratedRoot?
    /// The complement of the root's address: a word that leads to it might hide that it leaked.
    var hidden: UInt = 0
    var hold: Hold?
    var isFound = false

    init(seed: Int, isStrong: Bool, holder: RootHolder) {
      (self.seed, self.isStrong, self.holder) = (seed, isStrong, holder)
      shape = GeneratedShape(seed: seed)
    }

    func isLeaked(in leaks: RetainLeaks) -> Bool { leaks.isLeaked(at: ~hidden) }
  }

  private var sums: [String: Int] = [:]
  private var all: [Tried] = []

  /// Returns whether nothing was wrong.
  mutating func report(count: Int, first: Int) async throws -> Bool {
    var batch: [Tried] = []
    for seed in first..<first + count {
      for isStrong in [true, false] {
        let holder = RootHolder.allCases[
          (seed * 2 + (isStrong ? 0 : 1)) % RootHolder.allCases.count
        ]
        batch.append(Tried(seed: seed, isStrong: isStrong, holder: holder))
      }
      if batch.count >= Self.batchCount || seed == first + count - 1 {
        try await run(batch)
        batch = []
      }
    }
    // What was a leak is one for ever.
    let leaks = try RetainSearch().findLeaks()
    for tried in all where tried.isFound {
      if tried.root == nil { take("wrong", tried, "it was deallocated later") }
      if !tried.isLeaked(in: leaks) { take("missed", tried, "it was found before") }
    }
    for medium in Medium.allCases {
      let counts = ["leaks in ", "found in "].map { sums[$0 + medium.rawValue] ?? 0 }
      print((["medium", medium.rawValue] + counts.map { "\($0)" }).joined(separator: "\t"))
    }
    let names = ["tried", "leaks", "found", "missed", "wrong"]
    print((["leaks"] + names.map { "\(sums[$0] ?? 0)" }).joined(separator: "\t"))
    return sums["wrong"] == nil
  }

  private mutating func run(_ batch: [Tried]) async throws {
    for tried in batch { await Self.make(tried) }
    let held = try RetainSearch().findLeaks()
    for tried in batch where tried.isLeaked(in: held) && tried.root != nil {
      take("wrong", tried, "while it was held")
    }
    for tried in batch {
      await tried.hold?.end()
      tried.hold = nil
    }
    // A thread that ran a task may not have let go of it yet.
    for _ in 0..<2_000 where batch.contains(where: { !$0.isStrong && $0.root != nil }) {
      try? await Task.sleep(nanoseconds: 5_000_000)
    }
    // At the address of a root that is gone may be another object, which leaked.
    let isAlive = batch.map { $0.root != nil }
    let leaks = try RetainSearch().findLeaks()
    for (tried, isAlive) in zip(batch, isAlive) {
      sums["tried", default: 0] += 1
      tried.isFound = isAlive && tried.isLeaked(in: leaks)
      let leaks = tried.root != nil
      if tried.isFound, !leaks { take("wrong", tried, "it is gone") }
      guard leaks else { continue }
      sums["leaks", default: 0] += 1
      sums["leaks in " + tried.shape.medium.rawValue, default: 0] += 1
      if tried.isFound {
        sums["found", default: 0] += 1
        sums["found in " + tried.shape.medium.rawValue, default: 0] += 1
      } else {
        take("missed", tried, tried.shape.medium.rawValue)
      }
    }
    all += batch
  }

  @inline(never)
  private static func make(_ tried: Tried) async {
    let root = await tried.shape.tied(isStrong: tried.isStrong)
    tried.root = root
    tried.hidden = ~UInt(bitPattern: Unmanaged.passUnretained(root).toOpaque())
    tried.hold = await Hold.make(root, tried.seed * 2 + (tried.isStrong ? 1 : 0), by: tried.holder)
  }

  private mutating func take(_ word: String, _ tried: Tried, _ reason: String) {
    sums[word, default: 0] += 1
    let form = tried.isStrong ? "strong" : "weak"
    print(
      ["shape \(tried.seed)", word, form, "\(tried.holder)", "\(tried.shape)", reason]
        .joined(separator: "\t")
    )
  }
}
