import BankModel
import Foundation
import KVOSafety
import KVOSafetyObjectiveC

/// Observes objects in Objective-C: `ObjectiveCProbe WHAT [LIBRARY]`, one thing per run, or
/// `ObjectiveCProbe twins LIBRARY SEED COUNT`, random programs.
@main
enum ObjectiveCProbe {
  static func main() throws {
    let arguments = CommandLine.arguments
    guard arguments.count > 2 else { return withoutRuntime() }
    if arguments[1] == "swift-first" { observeOwn() }
    if arguments[1] == "twins", arguments.count > 4, let seed = UInt64(arguments[3]),
      let count = UInt64(arguments[4])
    {
      TwinComparison(library: TwinLibrary(library: arguments[2])).run(seed: seed, count: count)
    } else {
      try Probe(teller: Teller(library: arguments[2])).run(arguments[1])
    }
    print("done")
  }

  /// Observes an object of this program.
  fileprivate static func observeOwn() {
    let own = Account()
    let token = own.observe(\.balance) { _, _ in print("told of our own") }
    own.balance = 1
    token.invalidate()
  }

  private static func withoutRuntime() {
    let nobody = UnsafeMutableRawPointer.allocate(byteCount: 64, alignment: 16)
    let object = ObjectiveCObject(nobody)
    do {
      _ = try object.observe(keyPath: "balance") { _, _ in }
      print("observed")
    } catch {
      print("refused: \(error) (\(error.code == .noRuntime))")
    }
    print(object.className ?? "no class", object.census.count)
  }
}

/// An owner of observations.
private final class Screen {}

private struct Probe {
  let teller: Teller

  func run(_ what: String) throws {
    switch what {
    case "values": try values()
    case "path": try path()
    case "collection": try collection()
    case "ends": try ends()
    case "observed-dies": try observedDies()
    case "path-observed-dies": try pathObservedDies()
    case "duplicate": try duplicate()
    case "owner-dies": try ownerDies()
    case "wrong-path": try wrongPath()
    case "threads": try threads()
    case "started-by-hand": try startedByHand()
    case "both", "swift-first": try both()
    default: fatalError("no \(what)")
    }
  }

  private func text(_ change: ObservedChange<ObjectiveCObject>) -> String {
    func text(_ value: ObjectiveCObject?) -> String {
      value.map { $0.integer.map(String.init) ?? $0.string ?? $0.className ?? "?" } ?? "none"
    }
    let places = change.indexes.map { set in
      set.ranges.map { "\($0.lowerBound)..<\($0.upperBound)" }.joined(separator: ",")
    }
    return "\(change.kind)\(change.isPrior ? ", prior" : ""), old \(text(change.oldValue)), "
      + "new \(text(change.newValue))" + (places.map { ", at \($0)" } ?? "")
  }

  private func values() throws {
    let account = teller.account()
    let object = ObjectiveCObject(account)
    let token = try object.observe(
      keyPath: "balance",
      options: [.old, .new, .initial, .prior]
    ) { account, change in
      print("\(account.className ?? ""): \(text(change))")
    }
    teller.setBalance(account, 5)
    let record = object.census[0]
    print(record.subject, record.keyPath, record.site, record.observer ?? "nobody", token.isActive)
    print(KVO.census() == object.census)
    let plain = try object.observe(keyPath: "balance") { _, change in
      print("plain: \(text(change))")
    }
    teller.setBalance(account, 6)
    token.invalidate()
    teller.setBalance(account, 7)
    plain.invalidate()
    teller.setBalance(account, 8)
    print(object.census.count, token.isActive, teller.isObserved(account))
    teller.release(account)
  }

  private func path() throws {
    let account = teller.account()
    teller.setOwner(account, "Ada")
    let previous = teller.owner(account)
    let token = try ObjectiveCObject(account).observe(
      keyPath: "owner.name",
      options: [.old, .new, .initial]
    ) { _, change in print(text(change)) }
    teller.rename(previous, "Grace")
    teller.setOwner(account, "Edsger")
    teller.rename(previous, "nobody is told")
    token.invalidateAndWait()
    teller.setOwner(account, "Barbara")
    teller.release(previous)
    teller.release(account)
  }

  private func collection() throws {
    let account = teller.account()
    let token = try ObjectiveCObject(account).observe(keyPath: "entries", options: .new) {
      print(text($1))
    }
    teller.enter(account, "rent")
    teller.enter(account, "bread")
    token.invalidate()
    teller.release(account)
  }

  private func ends() throws {
    let account = teller.account()
    var kept: ObservationToken?
    kept = try ObjectiveCObject(account).observe(keyPath: "balance") { _, _ in
      print("once")
      kept?.invalidate()
      kept?.invalidate()
    }
    teller.setBalance(account, 1)
    teller.setBalance(account, 2)
    kept = try ObjectiveCObject(account).observe(keyPath: "balance") { _, _ in print("dropped") }
    kept = nil
    teller.setBalance(account, 3)
    print(teller.isObserved(account))
    teller.release(account)
  }

  private func observedDies() throws {
    let account = teller.account()
    let token = try ObjectiveCObject(account).observe(keyPath: "balance") { _, _ in print("told") }
    close(account)
    print(token.isActive, KVO.census().count)
    token.invalidate()
  }

  @inline(never)
  private func close(_ account: Teller.Object) { teller.release(account) }

  private func pathObservedDies() throws {
    let account = teller.account()
    teller.setOwner(account, "Ada")
    let owner = teller.owner(account)
    let token = try ObjectiveCObject(account).observe(keyPath: "owner.name") { _, _ in print("told")
    }
    close(account)
    teller.rename(owner, "Grace")
    print(token.isActive)
    teller.release(owner)
  }

  private func duplicate() throws {
    let account = teller.account()
    let screen = Screen()
    let tokens = try (1...2).map { number in
      try ObjectiveCObject(account).observe(keyPath: "balance", owner: screen) { _, _ in
        print("told \(number)")
      }
    }
    teller.setBalance(account, 1)
    tokens.forEach { $0.invalidate() }
    withExtendedLifetime(screen) {}
    teller.release(account)
  }

  private func ownerDies() throws {
    let account = teller.account()
    let token = try observe(account, for: Screen())
    teller.setBalance(account, 1)
    print(token.isActive, teller.isObserved(account))
    teller.release(account)
  }

  private func observe(_ account: Teller.Object, for owner: Screen) throws -> ObservationToken {
    try ObjectiveCObject(account).observe(keyPath: "balance", owner: owner) { _, _ in print("told")
    }
  }

  private func wrongPath() throws {
    let account = teller.account()
    teller.setOwner(account, "Ada")
    for path in ["balanse", "", "owner.nam", "nothing.name", "entries.count", "owner..name"] {
      let token = try ObjectiveCObject(account).observe(keyPath: path, options: [.initial, .new]) {
        print("told \($1)")
      }
      print("\"\(path)\": \(token.isActive)")
    }
    let array = teller.array()
    print("array: \(try ObjectiveCObject(array).observe(keyPath: "count") { _, _ in }.isActive)")
    print(teller.isObserved(account))
    teller.release(array)
    teller.release(account)
  }

  private func threads() throws {
    let shared = teller.account()
    let steady = try ObjectiveCObject(shared).observe(keyPath: "note") { _, _ in }
    let group = DispatchGroup()
    let teller = teller
    let sharedAddress = UInt(bitPattern: shared)
    for _ in 0..<16 {
      Thread.detachNewThread(joining: group) {
        let account = teller.account()
        var count = 0
        for turn in 0..<50 {
          let own = try? ObjectiveCObject(account).observe(keyPath: "balance") { _, _ in count += 1
          }
          let other = UnsafeMutableRawPointer(bitPattern: sharedAddress).map(ObjectiveCObject.init)
          let others = try? other?.observe(keyPath: "note") { _, _ in }
          teller.setBalance(account, Int32(turn))
          own?.invalidate()
          others?.invalidate()
          teller.setBalance(account, -1)
        }
        teller.release(account)
        if count != 50 { print("\(count) were told") }
      }
    }
    group.wait()
    steady.invalidate()
    print(KVO.census().count, teller.isObserved(shared))
    teller.release(shared)
  }

  /// Both kinds of objects are observed, and both kinds of programs observe.
  private func both() throws {
    let account = teller.account()
    let token = try ObjectiveCObject(account).observe(keyPath: "balance") { _, _ in print("told") }
    teller.setBalance(account, 1)
    teller.watch(account)
    ObjectiveCProbe.observeOwn()
    close(account)
    withExtendedLifetime(token) {}
  }

  private func startedByHand() throws {
    do {
      try KVO.startRecording(to: "by-hand.kvolog")
      print("recording")
    } catch let error as RecordingError {
      print("\(error) (\(error.code == .recordedAlready))")
    }
    try both()
  }
}

extension Thread {
  fileprivate static func detachNewThread(
    joining group: DispatchGroup,
    _ body: @escaping @Sendable () -> Void
  ) {
    group.enter()
    detachNewThread {
      body()
      group.leave()
    }
  }
}
