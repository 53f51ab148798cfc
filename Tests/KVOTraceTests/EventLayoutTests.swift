import KVOTrace
import Testing

@Suite("The layout of events in memory")
struct EventLayoutTests {
  @Test("optional numbers keep every value apart from none")
  func optionals() {
    let numbers: [UInt64?] = [nil, 0, 1, .max]
    let threads: [ThreadID?] = [
      nil, ThreadID(0), ThreadID(.max >> 1), ThreadID(generation: 0),
      ThreadID(named: StringID(rawValue: 0)), ThreadID(named: StringID(rawValue: .max)),
    ]
    var events: Set<Event> = []
    for number in numbers {
      for thread in threads {
        let change = thread.map { ChangeID(generation: $0.rawValue & 0xffff) }
        let delivery = Delivery(registration: Identifier(1), change: change, phase: .after)
        var event = Event(.notify(delivery), time: number, thread: thread, order: number)
        event.scope = thread.map { ScopeID(generation: $0.rawValue & 0xffff) }
        #expect(event.time == number)
        #expect(event.order == number)
        #expect(event.thread == thread)
        #expect(event.scope?.number == thread.map { $0.rawValue & 0xffff })
        #expect(delivery.change == change)
        events.insert(event)
        (event.time, event.order, event.thread, event.scope) = (nil, nil, nil, nil)
        #expect(event == Event(.notify(delivery)))
      }
    }
    #expect(events.count == numbers.count * threads.count)
  }

  @Test("types of which a replay moves millions are small")
  func sizes() {
    #expect(MemoryLayout<Event>.stride <= 120)
    #expect(MemoryLayout<Registration>.size <= 80)
    #expect(MemoryLayout<Removal>.size <= 56)
    #expect(MemoryLayout<Change>.size <= 32)
    #expect(MemoryLayout<Delivery>.size <= 24)
  }
}
