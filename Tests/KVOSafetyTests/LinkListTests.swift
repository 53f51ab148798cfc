import KVORules
import KVOTrace
import Testing

@testable import KVOSafety

@Suite("The links to one key")
struct LinkListTests {
  private func observation(_ number: UInt64, on storage: SubjectStorage) -> Observation {
    let registration = Registration(
      id: RegistrationID(number),
      subject: storage.record.ref,
      observer: nil,
      keyPath: .none
    )
    return Observation(
      registration: registration,
      key: .none,
      single: nil,
      observer: nil,
      root: storage,
      valueType: nil,
      deliver: { _, _, _ in nil }
    )
  }

  private func link(_ number: UInt64, on storage: SubjectStorage) -> ObservationLink {
    ObservationLink(
      observation: observation(number, on: storage),
      number: 1,
      key: .none,
      isDirect: true,
      isIntermediate: false
    )
  }

  @Test("keep their order through additions and removals, and close their gaps")
  func order() {
    let account = Account()
    let storage = account.storage
    var list = LinkList(key: .none)
    for number in 1...100 as ClosedRange<UInt64> { list.append(link(number, on: storage)) }
    for number in 1...100 as ClosedRange<UInt64> where number % 10 != 0 {
      let isRemoved = [1, 2].map { _ in list.remove(RegistrationID(number), number: 1) }
      #expect(isRemoved == [true, false])
    }
    list.append(link(101, on: storage))
    let isRemovedElsewhere = list.remove(RegistrationID(10), number: 0)
    #expect(!isRemovedElsewhere)
    let expected: [UInt64] = Array(stride(from: 10, through: 100, by: 10)) + [101]
    let listed = list.all.map(\.observation.id.rawValue)
    #expect(listed == expected)
    for number in expected { _ = list.remove(RegistrationID(number), number: 1) }
    #expect(list.isEmpty)
  }

  @Test("keep other objects' observations, and not those whose first links they are")
  func lifetimes() {
    let account = Account()
    let storage = account.storage
    var list = LinkList(key: .none)
    var own: Observation? = observation(1, on: storage)
    weak let ownLink = own
    var other: ObservationLink? = link(2, on: storage)
    weak let otherLink = other?.observation
    if let own { list.append(first: .passUnretained(own)) }
    if let other { list.append(other) }
    other = nil
    let listed = list.all.map(\.observation.id.rawValue)
    #expect(listed == [1, 2])
    if let own { list.remove(first: .passUnretained(own)) }
    own = nil
    #expect(ownLink == nil)
    #expect(otherLink != nil)
    _ = list.remove(RegistrationID(2), number: 1)
    #expect(otherLink == nil)
  }

  @Test("are found, also after gaps were closed", arguments: [1, 3, 7])
  func places(step: Int) {
    let account = Account()
    let storage = account.storage
    let observations = (1...100).map { observation($0, on: storage) }
    var list = LinkList(key: .none)
    for observation in observations {
      list.append(first: .passUnretained(observation))
      list.append(link(observation.id.rawValue, on: storage))
    }
    // In another order than they came.
    for index in 0..<100 {
      let observation = observations[index * step % 100]
      list.remove(first: .passUnretained(observation))
      let isRemoved = list.remove(observation.id, number: 1)
      #expect(isRemoved)
      #expect(list.count == 2 * (99 - index))
      let left = Set((index + 1..<100).map { observations[$0 * step % 100].id })
      #expect(Set(list.all.map(\.observation.id)) == left)
    }
  }

  @Test("report a single observer", arguments: [1, 2, 20])
  func alone(count: Int) {
    let account = Account()
    let storage = account.storage
    let observations = (1...UInt64(count)).map { observation($0, on: storage) }
    var list = LinkList(key: .none)
    for observation in observations { list.append(first: .passUnretained(observation)) }
    let alone = list.only.map { $0._withUnsafeGuaranteedRef { $0.id.rawValue } }
    #expect(alone == (count == 1 ? 1 : nil))
    for observation in observations.dropLast() { list.remove(first: .passUnretained(observation)) }
    let last = list.only.map { $0._withUnsafeGuaranteedRef { $0.id.rawValue } }
    #expect(last == UInt64(count))
    withExtendedLifetime(observations) {}
  }
}
