import KVORecorder
import KVOTrace
import Synchronization
import TestSupport
import Testing

@testable import KVOSafety

@Suite("Loops that wait")
struct ParkedConsumerTests {
  /// What waits in this file for the values of a line.
  private static func parked(at line: Int) -> KVO.ParkedConsumers? {
    KVO.parked().first { $0.site == "ParkedConsumerTests.swift:\(line)" }
  }

  private static func untilParked(_ count: Int, at line: Int) async -> KVO.ParkedConsumers? {
    while parked(at: line)?.count != count { await Task.yield() }
    return parked(at: line)
  }

  @Test("those over the values of one line are counted together, until their values end")
  func observed() async throws {
    let account = Account()
    var tasks: [Task<Void, Never>] = []
    let line = #line + 2
    for number in 0..<3 {
      let values = account.values(for: \.balance)
      tasks.append(Task(name: "loop \(number % 2)", priority: .high) { for await _ in values {} })
    }
    let parked = try #require(await Self.untilParked(3, at: line))
    #expect(parked.awaited == "Account.balance")
    #expect(parked.taskNames == ["loop 0", "loop 1"])
    #expect(parked.priority == .high)
    let text = parked.description
    #expect(text.hasPrefix("3 wait for Account.balance, the first for "))
    #expect(text.hasSuffix(" s: ParkedConsumerTests.swift:\(line) (loop 0, loop 1)"))
    tasks[0].cancel()
    await tasks[0].value
    _ = await Self.untilParked(2, at: line)
    account.balance = 1
    _ = await Self.untilParked(2, at: line)
    for task in tasks { task.cancel() }
    for task in tasks { await task.value }
    #expect(Self.parked(at: line) == nil)
  }

  @Test("those over shared values are counted, too")
  func shared() async {
    let account = Account()
    let line = #line + 1
    let values = account.sharedValues(for: \.balance)
    let tasks = (0..<2).map { _ in Task { for await _ in values {} } }
    _ = await Self.untilParked(2, at: line)
    for task in tasks { task.cancel() }
    for task in tasks { await task.value }
    #expect(Self.parked(at: line) == nil)
  }

  @Test("those over a noted sequence are counted while they wait, and get the same elements")
  func noted() async throws {
    let (events, continuation) = AsyncStream.makeStream(of: Int.self)
    let (gate, opening) = AsyncStream.makeStream(of: Void.self)
    let line = #line + 1
    let noted = events.noted(as: "events")
    let task = Task {
      var sum = 0
      for await event in noted {
        sum += event
        for await _ in gate { break }
      }
      return sum
    }
    let parked = try #require(await Self.untilParked(1, at: line))
    #expect(parked.awaited == "events" && parked.taskNames.isEmpty)
    continuation.yield(1)
    // The loop's body waits for something else.
    while Self.parked(at: line) != nil { await Task.yield() }
    opening.yield()
    _ = await Self.untilParked(1, at: line)
    continuation.yield(2)
    opening.yield()
    continuation.finish()
    #expect(await task.value == 3)
    #expect(Self.parked(at: line) == nil)
  }

  @Test("an error of a noted sequence is thrown on")
  func errors() async {
    struct Failure: Error {}
    let (events, continuation) = AsyncThrowingStream.makeStream(of: Int.self)
    continuation.finish(throwing: Failure())
    await #expect(throws: Failure.self) {
      for try await _ in events.noted(as: "events") {}
    }
  }

  /// What was recorded of the consumers of a line of this file.
  private static func recorded(_ memory: EventMemory, at line: Int) -> [Event.Body] {
    let names = Recorder.shared.names
    var ids: Set<ConsumerID> = []
    return memory.events.map(\.body).filter { body in
      switch body {
      case .consumerBegin(let consumer), .parked(let consumer):
        let isHere = names.site(consumer.site)?.location == "ParkedConsumerTests.swift:\(line)"
        if isHere { ids.insert(consumer.id) }
        return isHere
      case .consumerEnd(let id, _): return ids.contains(id)
      default: return false
      }
    }
  }

  @Test("record their life, and that they wait when it is asked for")
  func recording() async throws {
    let memory = EventMemory()
    Recorder.shared.attach(memory)
    defer { Recorder.shared.detach(memory) }
    let account = Account()
    let line = #line + 1
    let values = account.values(for: \.balance, expectedToLive: "a reason")
    let registration = KVO.liveRegistrations.first {
      Recorder.shared.names.site($0.site)?.location == "ParkedConsumerTests.swift:\(line)"
    }?.id
    #expect(registration != nil)
    let task = Task(name: "balances", priority: .low) { for await _ in values {} }
    _ = await Self.untilParked(1, at: line)
    KVO.recordParked()
    task.cancel()
    await task.value
    let events = Self.recorded(memory, at: line)
    guard case .consumerBegin(let began) = events.first,
      case .parked(var parked) = events.dropFirst().first
    else { return #expect(Bool(false), "\(events)") }
    #expect(events.dropFirst(2).elementsEqual([.consumerEnd(began.id, why: .cancelled)]))
    let names = Recorder.shared.names
    #expect(names[began.awaited] == "Account.balance" && names[began.task] == "balances")
    #expect(began.registration == registration && began.priority == 17)
    #expect(names[began.expectedToLive] == "a reason" && began.form == .loop)
    let since = try #require(parked.since)
    #expect(since > 0 && since <= Recorder.now)
    parked.since = nil
    #expect(parked == began)
  }

  @Test("record why they end")
  func ends() async throws {
    struct Failure: Error {}
    let memory = EventMemory()
    Recorder.shared.attach(memory)
    defer { Recorder.shared.detach(memory) }
    var lines: [Int] = []
    let (finished, continuation) = AsyncStream.makeStream(of: Int.self)
    continuation.yield(1)
    continuation.finish()
    lines.append(#line + 1)
    for await _ in finished.noted(as: "finished") {}
    let (failed, failing) = AsyncThrowingStream.makeStream(of: Int.self)
    failing.finish(throwing: Failure())
    lines.append(#line + 1)
    let throwing = failed.noted(as: "failed")
    do { for try await _ in throwing {} } catch { #expect(error is Failure) }
    let (left, leaving) = AsyncStream.makeStream(of: Int.self)
    leaving.yield(1)
    lines.append(#line + 1)
    for await _ in left.noted(as: "left") { break }
    let account = Account()
    lines.append(#line + 1)
    let shared = account.sharedValues(for: \.balance)
    let task = Task { for await _ in shared {} }
    _ = await Self.untilParked(1, at: lines[3])
    task.cancel()
    await task.value
    let ends = lines.map { line in
      Self.recorded(memory, at: line).compactMap { body in
        if case .consumerEnd(_, let why) = body { why } else { nil }
      }
    }
    #expect(ends == [[.finished], [.failed], [.left], [.cancelled]])
  }

  @Test("a table counts all that wait, and none that was removed")
  func table() {
    let table = ConsumerTable()
    let count = Rounds.areMany ? 1_000_000 : 3000
    let entries = (0..<count).map { number in
      table.add(
        ConsumerTable.Waiting(
          origin: ConsumerOrigin(site: StringID(rawValue: UInt32(number % 3 + 1)), awaited: .none)
        )
      )
    }
    #expect(table.waiting().isEmpty)
    for (number, address) in entries.enumerated() {
      let entry = UnsafeMutablePointer<ConsumerTable.Entry>(bitPattern: address)
      entry?.pointee.since.store(UInt64(number + 10), ordering: .relaxed)
    }
    #expect(Set(table.waiting().values.map(\.count)) == Set([count / 3, (count + 2) / 3]))
    #expect(table.waiting().values.map(\.since).sorted() == [10, 11, 12])
    for address in entries { table.remove(address) }
    #expect(table.waiting().isEmpty)
    // The memory of removed ones is used again.
    #expect(Set((0..<count).map { _ in table.add(ConsumerTable.Waiting()) }) == Set(entries))
  }
}
