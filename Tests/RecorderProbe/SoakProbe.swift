import BankModel
import Glibc
import KVOSafety
import ProbeC
import Synchronization

/// Does what an app does for as long as it is told.
///
/// Screens with observed objects open and close on eight threads, with loops over the values of every tenth object, beside
/// children that record and a log that rotates. It keeps the truth: how many registrations are live.
enum SoakProbe {
  private static let threadCount = 8
  private static let objectCount = 100_000
  private static let screenCount = 50
  /// One object in so many has a loop over its values.
  private static let loopStep = 10

  /// What one thread owns: objects, each with two registrations, and some with a loop.
  private final class Screens {
    private var accounts: [Account] = []
    private var tokens: [ObservationToken] = []
    private var loops: [Int: Task<Void, Never>] = [:]
    private let listener = Listener()
    private var random: UInt64

    init(_ index: Int) {
      random = UInt64(index) + 1
      for index in 0..<objectCount / threadCount {
        let account = Account()
        account.addObserver(listener, forKeyPath: "balance")
        accounts.append(account)
        tokens.append(account.observe(\.owner) { _, _ in })
        loop(over: account, at: index)
      }
    }

    private func loop(over account: Account, at index: Int) {
      guard index.isMultiple(of: loopStep) else { return }
      let values = account.values(for: \.balance)
      loops[index] = Task {
        for await _ in values { valueCount.add(1, ordering: .relaxed) }
        endedLoopCount.add(1, ordering: .releasing)
      }
    }

    /// Ends the loop over an object; every other one is left to its deallocation.
    private func endLoop(at index: Int) {
      guard let loop = loops.removeValue(forKey: index) else { return }
      closedLoopCount.add(1, ordering: .relaxed)
      if index.isMultiple(of: 2 * loopStep) { loop.cancel() }
    }

    /// A screen closes, and another one opens.
    func turn() {
      random = random &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      let first = Int(random >> 33) % (accounts.count - screenCount)
      for index in first..<first + screenCount {
        accounts[index].balance += 1
        accounts[index].removeObserver(listener, forKeyPath: "balance")
        tokens[index].invalidate()
        endLoop(at: index)
        let account = Account()
        account.addObserver(listener, forKeyPath: "balance")
        accounts[index] = account
        tokens[index] = account.observe(\.owner) { _, _ in }
        loop(over: account, at: index)
        account.balance = 2
      }
    }

    var liveCount: Int { 2 * accounts.count + loops.count }
  }

  private final class Listener: KeyValueObserver {
    func observeValue(
      forKeyPath keyPath: String,
      of object: any KeyValueObservable,
      change: ObservedChange<Any>,
      context: ObservationContext?
    ) -> NotificationHandling {
      .handled
    }
  }

  private static let isOver = Atomic(false)
  private static let readyCount = Atomic(0)
  private static let turnCount = Atomic(0)
  private static let liveCount = Atomic(0)
  private static let valueCount = Atomic(0)
  private static let closedLoopCount = Atomic(0)
  private static let endedLoopCount = Atomic(0)

  /// Runs for so many seconds, prints a line every few, and the truth in the end.
  static func run(seconds: Int) {
    let threads = (0..<threadCount).map { index in ProbeThread { work(index) } }
    while readyCount.load(ordering: .acquiring) < threadCount { usleep(10_000) }
    let step = max(5, seconds / 60)
    for second in stride(from: 0, to: seconds, by: step) {
      sleep(UInt32(step))
      fork()
      let health = KVO.health
      say(
        "second \(second + step) memory \(anonymousKilobytes) descriptors \(descriptorCount) events \(health.eventCount) "
          + "lost \(health.lostEventCount) disk \(health.diskByteCount) recorder \(health.memoryByteCount) "
          + "objects \(Int(health.objectShare * 1_024)) turns \(turnCount.load(ordering: .relaxed))"
      )
    }
    isOver.store(true, ordering: .relaxed)
    for thread in threads { thread.join() }
    let closedCount = closedLoopCount.load(ordering: .relaxed)
    while endedLoopCount.load(ordering: .acquiring) < closedCount { usleep(10_000) }
    say(
      "live \(liveCount.load(ordering: .acquiring)) census \(KVO.census().count) "
        + "loops \(closedCount) values \(valueCount.load(ordering: .relaxed))"
    )
    // What is live stays so: the log ends with it.
    _exit(0)
  }

  private static func work(_ index: Int) {
    let screens = Screens(index)
    readyCount.add(1, ordering: .releasing)
    while !isOver.load(ordering: .relaxed) {
      screens.turn()
      turnCount.add(1, ordering: .relaxed)
      // As an app waits for its user.
      usleep(2_000)
    }
    liveCount.add(screens.liveCount, ordering: .releasing)
    // Its objects live on.
    _ = Unmanaged.passRetained(screens)
  }

  private static func fork() {
    let child = probe_fork()
    if child == 0 {
      // The objects of the other threads are as they left them: it uses none.
      for step in 1...20 as ClosedRange<UInt64> { RecordedSequence.plain(step) }
      _exit(0)
    }
    var status: Int32 = 0
    waitpid(child, &status, 0)
    if status != 0 { say("a child ended with \(status)") }
  }

  private static func say(_ line: String) {
    print(line)
    fflush(nil)
  }

  private static var anonymousKilobytes: Int {
    guard let file = fopen("/proc/self/status", "r") else { return 0 }
    defer { fclose(file) }
    var line = [CChar](repeating: 0, count: 256)
    while fgets(&line, 256, file) != nil {
      let text = String(
        decoding: line.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) },
        as: UTF8.self
      )
      if text.hasPrefix("RssAnon:") {
        return text.split(separator: " ").compactMap { Int($0) }.first ?? 0
      }
    }
    return 0
  }

  private static var descriptorCount: Int {
    guard let folder = opendir("/proc/self/fd") else { return 0 }
    defer { closedir(folder) }
    var count = 0
    while readdir(folder) != nil { count += 1 }
    return count
  }
}
