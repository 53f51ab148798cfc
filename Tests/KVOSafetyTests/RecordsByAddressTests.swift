import KVORecorder
import KVOTrace
import Testing

@testable import KVOSafety

struct RecordsByAddressTests {
  private final class Thing {}

  /// Addresses that come and go in a fixed order; a dictionary says what must be in the table.
  @Test("records are found, replaced and removed by address as in a dictionary")
  func likeADictionary() {
    var table = RecordsByAddress()
    var expected: [UInt: ObjectRecord] = [:]
    let thing = Thing()
    func makeRecord(_ number: Int) -> ObjectRecord {
      let ref = ObjectRef(id: ObjectID(UInt64(number)), className: .none, kind: .object)
      return ObjectRecord(object: thing, ref: ref, endsWithObject: true)
    }
    func check() {
      for number in 0..<100 {
        let address = UInt(number * 48)
        #expect(table[address] === expected[address])
      }
      let all = table.all.map(\.ref.id.rawValue).sorted()
      #expect(all == expected.values.map(\.ref.id.rawValue).sorted())
    }
    for round in 0..<4 {
      for step in 0..<70 {
        let address = UInt((step * 11 + round) % 100 * 48)
        let record = makeRecord(round * 1_000 + step)
        table[address] = record
        expected[address] = record
      }
      check()
      for number in stride(from: round, to: 100, by: 3 - round % 2) {
        table[UInt(number * 48)] = nil
        expected[UInt(number * 48)] = nil
      }
      check()
    }
    withExtendedLifetime(thing) {}
  }
}
