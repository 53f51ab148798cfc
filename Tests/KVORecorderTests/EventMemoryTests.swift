import KVOTrace
import Testing

@testable import KVORecorder

// One after the other, because there is one recorder in a process: nothing else records in this one.
@Suite("The events in memory", .serialized)
struct EventMemoryTests {
  private let recorder = Recorder.shared

  @Test("hands the same events to every sink, and none to one that was detached")
  func sinks() {
    let first = EventMemory()
    let second = EventMemory()
    #expect(!recorder.isRecording)
    recorder.record(.registerEnd(RegistrationID(1)))
    recorder.attach(first)
    recorder.record(.registerEnd(RegistrationID(2)))
    recorder.attach(second)
    #expect(recorder.isRecording)
    recorder.record(.registerEnd(RegistrationID(3)), order: 7)
    recorder.detach(first)
    recorder.record(.registerEnd(RegistrationID(4)))
    recorder.detach(second)
    #expect(!recorder.isRecording)
    recorder.record(.registerEnd(RegistrationID(5)))
    #expect(first.events.map(\.body) == [2, 3].map { .registerEnd(RegistrationID($0)) })
    #expect(second.events.map(\.body) == [3, 4].map { .registerEnd(RegistrationID($0)) })
    #expect(first.events.last == second.events.first)
    #expect(second.events.map(\.order) == [7, nil])
    #expect(first.events.allSatisfy { $0.thread == Recorder.currentThread && $0.time != nil })
  }

  @Test("says of each event the innermost scope of its task, or that of the process")
  func scopes() {
    let memory = EventMemory()
    recorder.attach(memory)
    defer { recorder.detach(memory) }
    RecordingScope.willOpen()
    RecordingScope.$ofTask.withValue(ScopeID(1)) {
      recorder.record(.exit(status: 0))
      RecordingScope.$ofTask.withValue(ScopeID(2)) { recorder.record(.exit(status: 0)) }
      recorder.record(.exit(status: 0))
    }
    #expect(memory.events.map(\.scope) == [1, 2, 1].map { ScopeID($0) })
  }
}
