import Testing

@testable import KVOSafety

/// A value that acts when it is released.
private final class Farewell: Sendable {
  private let act: @Sendable () -> Void

  init(_ act: @escaping @Sendable () -> Void) { self.act = act }

  deinit { act() }

  static func change(to value: Farewell?) -> ObservedChange<Farewell> {
    ObservedChange(kind: .setting, oldValue: nil, newValue: value, isPrior: false, elements: nil)
  }
}

@Suite("Changes in transit to an actor")
struct HopMailboxTests {
  private func change(_ value: Int) -> ObservedChange<Int> {
    ObservedChange(kind: .setting, oldValue: nil, newValue: value, isPrior: false, elements: nil)
  }

  @Test("come out in order, even if more are added than taken", arguments: [1, 2, 3, 7])
  func order(putsPerTake: Int) {
    let mailbox = HopMailbox<Int>(.all)
    var taken: [Int?] = []
    var tasks = 0
    for value in 0..<1_000 {
      if mailbox.put({ change(value) }) { tasks += 1 }
      if value % putsPerTake == 0 { taken.append(mailbox.take()?.change.newValue) }
    }
    while let next = mailbox.take() { taken.append(next.change.newValue) }
    #expect(taken == Array(0..<1_000))
    // No thread found it empty before the end, so that one task was enough.
    #expect(tasks == 1)
    #expect(mailbox.put { change(0) })
  }

  @Test("the newest replaces the waiting ones, and none that was taken")
  func newest() {
    let mailbox = HopMailbox<Int>(.newest)
    for value in 0..<3 { _ = mailbox.put { change(value) } }
    let first = mailbox.take()
    _ = mailbox.put { change(3) }
    let second = mailbox.take()
    #expect([first, second].map { $0?.change.newValue } == [2, 3])
    #expect([first, second].map { $0?.skippedCount } == [2, 0])
    #expect(mailbox.take()?.change.newValue == nil)
  }

  @Test("the deinit of a value that the newest replaces may make a change itself")
  func releases() {
    let mailbox = HopMailbox<Farewell>(.newest)
    let farewell = { Farewell { _ = mailbox.put { Farewell.change(to: nil) } } }
    _ = mailbox.put { Farewell.change(to: farewell()) }
    _ = mailbox.put { Farewell.change(to: nil) }
    #expect(mailbox.take()?.skippedCount == 2)
    #expect(mailbox.take()?.skippedCount == nil)
  }
}
