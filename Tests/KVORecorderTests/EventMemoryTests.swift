import KVOTrace
import Testing

@testable import KVORecorder

// There is one recorder in a process, and other tests record at the same time: only these threads are examined.
@Suite("The events in memory")
struct EventMemoryTests {
  private let recorder = Recorder.shared

  /// The end of a registration that no other test makes.
  private func end(_ number: UInt64) -> Event.Body {
    .registerEnd(RegistrationID(7_000_000_000 + number))
  }

  @Test("hands the same events to every sink, and none to one that was detached")
  func sinks() {
    let first = EventMemory()
    let second = EventMemory()
    recorder.record(end(1))
    recorder.attach(first)
    recorder.record(end(2))
    recorder.attach(second)
    #expect(recorder.isRecording)
    recorder.record(end(3), order: 7)
    recorder.detach(first)
    recorder.record(end(4))
    recorder.detach(second)
    recorder.record(end(5))
    let heard = [first, second].map { memory in
      memory.events.filter { event in (1...5).contains { event.body == end($0) } }
    }
    #expect(heard[0].map(\.body) == [end(2), end(3)])
    #expect(heard[1].map(\.body) == [end(3), end(4)])
    #expect(heard[0].last == heard[1].first)
    #expect(heard[1].map(\.order) == [7, nil])
    #expect(heard[0].allSatisfy { $0.thread == Recorder.currentThread && $0.time != nil })
  }

  @Test("takes what was recorded while it was attached out of the blocks that all memories share")
  func sharedBlocks() {
    var newest = EventBlock()
    func record(_ numbers: Range<Int>) {
      for number in numbers { newest = newest.take(Event(end(UInt64(number)))) }
    }
    let (first, second, third) = (EventMemory(), EventMemory(), EventMemory())
    let (size, many) = (EventBlock.capacity, 3 * EventBlock.capacity)
    first.begin(in: newest)
    record(0..<size - 1)
    second.begin(in: newest)
    record(size - 1..<size)
    third.begin(in: newest)
    third.end(in: newest)
    record(size..<many)
    #expect(second.events.map(\.body) == (size - 1..<many).map { end(UInt64($0)) })
    second.end(in: newest)
    record(many..<many + 1)
    third.begin(in: newest)
    record(many + 1..<many + 2)
    first.end(in: newest)
    third.end(in: newest)
    record(many + 2..<many + 3)
    third.end(in: newest)
    #expect(first.events.map(\.body) == (0..<many + 2).map { end(UInt64($0)) })
    #expect(second.events.map(\.body) == (size - 1..<many).map { end(UInt64($0)) })
    #expect(third.events.map(\.body) == [end(UInt64(many + 1))])
  }

  @Test("releases the events with the last memory that has them")
  func released() {
    var newest: EventBlock? = EventBlock()
    weak let block = newest
    var memory: EventMemory? = EventMemory()
    if let newest { memory?.begin(in: newest) }
    for _ in 0..<2 * EventBlock.capacity { newest = newest?.take(Event(end(0))) }
    #expect(block != nil && memory?.events.count == 2 * EventBlock.capacity)
    memory = nil
    #expect(block == nil)
  }

  @Test("has for each event the innermost scope of its task, or that of the process")
  func scopes() {
    let memory = EventMemory()
    recorder.attach(memory)
    defer { recorder.detach(memory) }
    RecordingScope.willOpen()
    RecordingScope.$ofTask.withValue(ScopeID(1)) {
      recorder.record(.exit(status: 7_000_000))
      RecordingScope.$ofTask.withValue(ScopeID(2)) { recorder.record(.exit(status: 7_000_000)) }
      recorder.record(.exit(status: 7_000_000))
    }
    let events = memory.events.filter { $0.body == .exit(status: 7_000_000) }
    #expect(events.map(\.scope) == [1, 2, 1].map { ScopeID($0) })
  }
}
