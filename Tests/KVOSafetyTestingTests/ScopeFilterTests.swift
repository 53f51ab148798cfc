import KVOTrace
import Testing

@testable import KVOSafetyTesting

@Suite("The events of a scope")
struct ScopeFilterTests {
  @Test("include a delivery that another thread recorded before the addition was recorded")
  func earlyDelivery() {
    let subject = ObjectRef(id: ObjectID(1), className: StringID(rawValue: 1))
    func added(_ number: UInt64, in scope: ScopeID?) -> Event {
      let registration = Registration(
        id: RegistrationID(number),
        subject: ObjectRef(id: ObjectID(number), className: subject.className),
        observer: nil,
        keyPath: StringID(rawValue: 2)
      )
      return Event(.register(registration), thread: ThreadID(1), scope: scope)
    }
    func delivered(_ number: UInt64) -> Event {
      let delivery = Delivery(registration: RegistrationID(number), change: nil, phase: .after)
      return Event(.notify(delivery), thread: ThreadID(2))
    }
    let events = [
      delivered(1), delivered(2), added(1, in: ScopeID(7)), added(2, in: ScopeID(8)), delivered(1),
    ]
    var filter = ScopeFilter(root: ScopeID(7), of: events)
    #expect(events.map { filter.includes($0) } == [true, false, true, false, true])
  }
}
