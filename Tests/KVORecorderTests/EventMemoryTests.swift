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
