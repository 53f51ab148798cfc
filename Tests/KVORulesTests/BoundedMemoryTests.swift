import KVOReplay
import KVORules
import KVOTrace
import TestSupport
import Testing

/// Sizes of tables are compared, not memory: the sizes are the same on every machine.
@Suite("The memory of a replay")
struct BoundedMemoryTests {
  /// Registrations that come and go on a few living objects.
  private struct Churn {
    private static let liveCount = 1_000
    private static let perObject = 10

    private var replay = OrderedReplay()
    private var ids = [UInt64](repeating: 0, count: liveCount)
    private var orders = [UInt64](repeating: 0, count: liveCount / perObject)
    private var random = SplitMix64(seed: 1)
    private var nextID: UInt64 = 0
    private(set) var eventCount = 0
    private(set) var verdicts: [Verdict] = []

    init() {
      for place in 0..<Self.liveCount { register(place) }
    }

    var capacities: [Int] { replay.capacities }
    var liveCount: Int { replay.engine.liveRegistrationCount }

    mutating func run(until end: Int) {
      while eventCount < end {
        let place = Int.random(in: 0..<Self.liveCount, using: &random)
        remove(place)
        register(place)
      }
    }

    private mutating func register(_ place: Int) {
      nextID += 1
      ids[place] = nextID
      let registration = Registration(
        id: RegistrationID(nextID),
        subject: subject(place),
        observer: observer(place),
        keyPath: StringID(rawValue: 1),
        context: .named(StringID(rawValue: UInt32(place)))
      )
      take(.register(registration), place)
      take(.registerEnd(RegistrationID(nextID)), place)
      let delivery = Delivery(registration: RegistrationID(nextID), change: nil, phase: .after)
      take(.notify(delivery), place)
      take(.notifyEnd(delivery), place)
    }

    private mutating func remove(_ place: Int) {
      let removal = Removal(
        subject: subject(place),
        observer: observer(place),
        keyPath: StringID(rawValue: 1),
        context: .named(StringID(rawValue: UInt32(place))),
        registration: RegistrationID(ids[place])
      )
      take(.remove(removal), place)
    }

    private mutating func take(_ body: Event.Body, _ place: Int) {
      eventCount += 1
      let object = place / Self.perObject
      // Now and then a number is left out, and events are held back for it.
      orders[object] += eventCount % 50_000 == 0 ? 2 : 1
      let event = Event(body, thread: ThreadID(UInt64(place % 8)), order: orders[object])
      replay.take(event, number: eventCount) { verdicts.append($0) }
    }

    private func subject(_ place: Int) -> ObjectRef {
      ObjectRef(id: ObjectID(UInt64(place / Self.perObject)), className: StringID(rawValue: 2))
    }

    private func observer(_ place: Int) -> ObjectRef {
      ObjectRef(id: ObjectID(UInt64(10_000 + place % 7)), className: StringID(rawValue: 3))
    }
  }

  @Test("is that of 1,000 live registrations after many more events, as after some")
  func churn() {
    var churn = Churn()
    churn.run(until: Rounds.areMany ? 100_000 : 60_000)
    let before = churn.capacities
    churn.run(until: Rounds.areMany ? 1_000_000 : 160_000)
    let after = churn.capacities
    #expect(churn.verdicts == [])
    #expect(churn.liveCount == 1_000)
    // How many of the newest 4,096 ends are in the histories too is chance. The last size is what the
    // sequencer holds back just now.
    for (after, before) in zip(after, before).dropLast() { #expect(after <= before + before / 50) }
    #expect(after.max() ?? 0 < 10_000)
  }

  @Test("of the sequencer alone does not grow with registrations on one living object")
  func sequencer() {
    var sequencer = EventSequencer(window: 16)
    var kept: [Int] = []
    let object = ObjectRef(id: ObjectID(1), className: .none)
    for number in 0..<UInt64(40_000) {
      let registration = Registration(
        id: RegistrationID(number),
        subject: object,
        observer: nil,
        keyPath: .none
      )
      let events: [Event.Body] = [
        .register(registration), .cancel(RegistrationID(number), by: .user),
      ]
      for (index, body) in events.enumerated() {
        let order = number * 2 + UInt64(index) + 1
        sequencer.push(Event(body, order: order), number: Int(order)) { _, _ in }
      }
      if number % 10_000 == 9_999 { kept.append(sequencer.keptCount) }
    }
    // The newest 4,096 registrations, and twice the window.
    #expect(kept.max() ?? 0 <= 4_096 + 2 * 16)
  }

  @Test("of objects that come and go is that of those which live")
  func objects() {
    var replay = OrderedReplay()
    var sizes: [[Int]] = []
    for number in 0..<UInt64(Rounds.areMany ? 100_000 : 40_000) {
      let object = ObjectRef(id: ObjectID(number * 2), className: .none)
      let observer = ObjectRef(id: ObjectID(number * 2 + 1), className: .none)
      let registration = Registration(
        id: RegistrationID(number),
        subject: object,
        observer: observer,
        keyPath: .none
      )
      let removal = Removal(
        subject: object,
        observer: observer,
        keyPath: .none,
        registration: RegistrationID(number)
      )
      let bodies: [Event.Body] = [
        .register(registration), .remove(removal), .deinitEnd(observer), .deinitEnd(object),
      ]
      for (index, body) in bodies.enumerated() {
        let order = body.name == "register" || body.name == "remove" ? UInt64(index + 1) : nil
        replay.take(Event(body, order: order), number: Int(number) * 4 + index) { _ in
          Issue.record("nothing is wrong")
        }
      }
      if number % 10_000 == 9_999 { sizes.append(replay.capacities) }
    }
    #expect(replay.engine.observedObjectCount == 0)
    #expect(Set(sizes).count == 1)
    #expect(sizes.last?.max() ?? 0 < 20_000)
  }

  @Test("of what objects hold, hang on and are seen with is that of those which live")
  func everythingElse() {
    var replay = OrderedReplay()
    var sizes: [[Int]] = []
    let name = StringID(rawValue: 1)
    for number in 0..<UInt64(Rounds.areMany ? 24_000 : 12_000) {
      let object = ObjectRef(id: ObjectID(number * 4), className: name)
      let owner = ObjectRef(id: ObjectID(number * 4 + 1), className: name)
      let token = ObjectRef(id: ObjectID(number * 4 + 2), className: name, kind: .token)
      let id = RegistrationID(number)
      let registration = Registration(
        id: id,
        subject: object,
        observer: nil,
        keyPath: StringID(rawValue: 2),
        form: .token,
        token: token
      )
      let attachment = Attachment(registration: id, depth: 1, key: name, object: owner)
      let scope = ScopeID(number)
      let bodies: [Event.Body] = [
        .scopeBegin(Scope(id: scope, name: StringID(rawValue: 3))),
        .register(registration), .registerEnd(id), .attach(attachment),
        .write(subject: object, key: name, fingerprint: name),
        .classChanged(object, to: name, isKVOSubclass: false),
        .hold(Reference(from: owner, to: token, label: name)),
        .hold(Reference(from: token, to: owner, label: name)),
        .walkBegin(roots: []),
        .hold(Reference(from: owner, to: token, label: name)),
        .hold(Reference(from: token, to: owner, label: name)),
        .walkEnd(isComplete: true, opaque: []),
        .cancel(id, by: .user), .scopeEnd(scope), .deinitEnd(owner), .deinitEnd(token),
        .deinitEnd(object), .willChange(Change(subject: owner, key: name, id: nil)),
        .didChange(Change(subject: owner, key: name, id: nil)),
      ]
      for (index, body) in bodies.enumerated() {
        replay.take(Event(body, scope: scope), number: Int(number) * 32 + index) {
          Issue.record("\($0.code) in a program without a fault")
        }
      }
      if number % 6_000 == 5_999 { sizes.append(replay.capacities) }
    }
    replay.finish { Issue.record("\($0.code) at the end of a program without a fault") }
    #expect(Set(sizes).count == 1)
    #expect(sizes.last?.max() ?? 0 < 20_000)
  }
}
