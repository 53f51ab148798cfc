import Dispatch
import Foundation
import KVOSafety
import Synchronization

/// Ways in which two threads change one object at once, and the same done one after the other.
struct RaceShape: Sendable {
  let name: String
  /// The key that threads change, and those that depend on it.
  let keyPath: String
  /// Races on the gauge.
  let race: @Sendable (SharedGauge) -> Void

  init(_ name: String, of keyPath: String = "level", _ race: @escaping @Sendable (Gauge) -> Void) {
    self.name = name
    self.keyPath = keyPath
    self.race = { race($0.gauge) }
  }

  static let all: [RaceShape] =
    [1, 10, 100, 1_000].map { count in
      RaceShape("two threads, \(count) \(count == 1 ? "change" : "changes") each") { gauge in
        onThreads(2, gauge) { gauge, _ in for _ in 0..<count { gauge.level += 1 } }
      }
    } + [
      RaceShape("eight threads, 100 changes each") { gauge in
        onThreads(8, gauge) { gauge, _ in for _ in 0..<100 { gauge.level += 1 } }
      },
      RaceShape("eight threads, one change each") { gauge in
        onThreads(8, gauge) { gauge, _ in gauge.level += 1 }
      },
      RaceShape("1,000 iterations of concurrentPerform") { gauge in
        let shared = SharedGauge(gauge)
        guard !gauge.isSerial else {
          for _ in 0..<1_000 { gauge.level += 1 }
          return
        }
        DispatchQueue.concurrentPerform(iterations: 1_000) { _ in shared.gauge.level += 1 }
      },
      RaceShape("100 blocks on a global queue") { gauge in
        let shared = SharedGauge(gauge)
        let group = DispatchGroup()
        let queue = gauge.isSerial ? DispatchQueue(label: "serial") : DispatchQueue.global()
        for _ in 0..<100 { queue.async(group: group) { shared.gauge.level += 1 } }
        group.wait()
      },
      RaceShape("two threads, 10 changes each, observers that take 0.1 ms") { gauge in
        gauge.observerMicroseconds = 100
        onThreads(2, gauge) { gauge, _ in for _ in 0..<10 { gauge.level += 1 } }
      },
      RaceShape("two threads, 10 changes each, setters that take 0.1 ms") { gauge in
        gauge.setterMicroseconds = 100
        onThreads(2, gauge) { gauge, _ in for _ in 0..<10 { gauge.level += 1 } }
      },
      RaceShape("two threads, 10 changes each, 1 ms between them") { gauge in
        onThreads(2, gauge) { gauge, _ in
          for _ in 0..<10 {
            usleep(1_000)
            gauge.level += 1
          }
        }
      },
      RaceShape("two keys that a third depends on, 100 changes each", of: "ratio") { gauge in
        onThreads(2, gauge) { gauge, thread in
          for _ in 0..<100 { if thread == 0 { gauge.level += 1 } else { gauge.limit += 1 } }
        }
      },
      RaceShape("one thread 100 changes by hand, one 100 by the setter") { gauge in
        onThreads(2, gauge) { gauge, thread in
          for _ in 0..<100 {
            if thread == 0 {
              gauge.level += 1
            } else {
              gauge.willChangeValue(for: \.level)
              gauge.didChangeValue(for: \.level)
            }
          }
        }
      },
      RaceShape("one change that lasts 1 ms, and 10 of another thread") { gauge in
        onThreads(2, gauge) { gauge, thread in
          if thread == 0 {
            gauge.willChangeValue(for: \.level)
            usleep(1_000)
            gauge.didChangeValue(for: \.level)
          } else {
            for _ in 0..<10 {
              usleep(100)
              gauge.level += 1
            }
          }
        }
      },
    ]

  /// Runs `body` on threads that begin as near to each other as they can, or one after the other.
  private static func onThreads(
    _ count: Int,
    _ gauge: Gauge,
    _ body: @escaping @Sendable (Gauge, Int) -> Void
  ) {
    let shared = SharedGauge(gauge)
    let start = Start()
    let group = DispatchGroup()
    for thread in 0..<count {
      group.enter()
      Thread {
        if !shared.gauge.isSerial { start.arrive(of: count) }
        body(shared.gauge, thread)
        group.leave()
      }
      .start()
      if gauge.isSerial { group.wait() }
    }
    group.wait()
  }
}

/// Lets threads go on together.
private final class Start: Sendable {
  private let count = Atomic(0)

  func arrive(of limit: Int) {
    count.add(1, ordering: .relaxed)
    while count.load(ordering: .relaxed) < limit {}
  }
}

/// A gauge that several threads use, which is the fault to find.
struct SharedGauge: @unchecked Sendable {
  // Not Sendable: nothing guards it. What is raced for are numbers, of which any may win.
  let gauge: Gauge
  init(_ gauge: Gauge) { self.gauge = gauge }
}

final class Gauge: KeyValueObservable {
  let observationRegistrar = ObservationRegistrar()
  static let observableKeys = ObservableKeyTable(
    ObservableKey("level", \Gauge.level),
    ObservableKey("limit", \Gauge.limit),
    ObservableKey("ratio", \Gauge.ratio, affectedBy: ["level", "limit"])
  )

  /// Whether nothing is raced for: the same changes, one after the other.
  let isSerial: Bool
  var observerMicroseconds: UInt32 = 0
  var setterMicroseconds: UInt32 = 0

  var level = 0 {
    willSet { willChangeValue(for: \.level) }
    didSet {
      if setterMicroseconds > 0 { usleep(setterMicroseconds) }
      didChangeValue(for: \.level)
    }
  }
  var limit = 1 {
    willSet { willChangeValue(for: \.limit) }
    didSet { didChangeValue(for: \.limit) }
  }
  var ratio: Double { Double(level) / Double(limit) }

  init(isSerial: Bool) { self.isSerial = isSerial }

  /// Observes `keyPath` while `body` runs.
  func observed(_ keyPath: String, _ body: () -> Void) {
    let token = observe(keyPath: keyPath) { gauge, _ in
      if gauge.observerMicroseconds > 0 { usleep(gauge.observerMicroseconds) }
    }
    body()
    token.invalidate()
  }
}
