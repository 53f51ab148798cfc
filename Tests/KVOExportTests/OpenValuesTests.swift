import TestSupport
import Testing

@testable import KVOExport

@Suite("What is open under keys") struct OpenValuesTests {
  @Test("is as in a list that is searched from its end", arguments: 0..<20 as Range<UInt64>)
  func model(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    let limit = seed.isMultiple(of: 2) ? Int.max : 16
    var values = OpenValues<Int, Int>(limit: limit)
    var list: [(key: Int, value: Int)] = []
    for step in 0..<2_000 {
      let key = Int.random(in: 0..<8, using: &random)
      // It grows for a while, and then shrinks.
      let share = (step / 300).isMultiple(of: 2) ? 6 : 4
      if Int.random(in: 0..<10, using: &random) < share {
        if list.count == limit { list.removeFirst(limit / 2 + 1) }
        list.append((key, step))
        values.open(key, step)
      } else {
        let expected = list.lastIndex { $0.key == key }.map { list.remove(at: $0).value }
        let closed = values.close(key)
        #expect(closed == expected)
      }
      #expect(values.last == list.last?.value && values.isEmpty == list.isEmpty)
      #expect(values.values == list.map(\.value))
    }
  }
}
