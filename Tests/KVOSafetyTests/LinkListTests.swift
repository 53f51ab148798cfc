import KVORules
import KVOTrace
import Testing

@testable import KVOSafety

@Suite("The links to one key")
struct LinkListTests {
  private func link(_ number: UInt64, on storage: SubjectStorage) -> ObservationLink {
    let registration = Registration(
      id: RegistrationID(number),
      subject: storage.record.ref,
      observer: nil,
      keyPath: .none
    )
    let observation = Observation(
      registration: registration,
      key: .none,
      path: [],
      declaration: nil,
      observer: nil,
      root: storage,
      valueType: nil,
      tree: nil,
      deliver: { _, _, _ in nil }
    )
    return ObservationLink(
      observation: observation,
      number: 0,
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
      let isRemoved = [1, 2].map { _ in list.remove(RegistrationID(number), number: 0) }
      #expect(isRemoved == [true, false])
    }
    list.append(link(101, on: storage))
    let isRemovedElsewhere = list.remove(RegistrationID(10), number: 1)
    #expect(!isRemovedElsewhere)
    let expected: [UInt64] = Array(stride(from: 10, through: 100, by: 10)) + [101]
    let listed = list.all.map(\.observation.id.rawValue)
    #expect(listed == expected)
    for number in expected { _ = list.remove(RegistrationID(number), number: 0) }
    #expect(list.isEmpty)
  }
}
