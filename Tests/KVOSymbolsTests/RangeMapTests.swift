import TestSupport
import Testing

@testable import KVOSymbols

@Suite("Flattened ranges")
struct RangeMapTests {
  private func map(_ entries: [(Range<UInt64>, Int32)]) -> RangeMap {
    RangeMap(entries.map { RangeMap.Entry(range: $0.0, value: $0.1) })
  }

  @Test("The innermost range is found, and the surrounding one again after its end")
  func nesting() {
    let ranges = map([(10..<50, 0), (20..<40, 1), (20..<30, 2), (60..<70, 3)])
    let none = RangeMap.none
    #expect(
      [0, 9, 10, 19, 20, 29, 30, 39, 40, 49, 50, 59, 60, 69, 70, .max].map { ranges[$0] } == [
        none, none, 0, 0, 2, 2, 1, 1, 0, 0, none, none, 3, 3, none, none,
      ]
    )
  }

  @Test("No ranges and empty ranges answer nothing")
  func empty() {
    #expect([0, 5, .max].map { RangeMap()[$0] } == [-1, -1, -1])
    #expect([4, 5, 6].map { map([(5..<5, 0)])[$0] } == [-1, -1, -1])
  }

  @Test("Of 2,000 random sets, nested or not, every address agrees with a look at all ranges")
  func model() {
    var random = SplitMix64(seed: 11)
    var differences: [String] = []
    for _ in 0..<2_000 {
      let entries = (0..<Int.random(in: 0...12, using: &random)).map { value in
        let start = UInt64.random(in: 0..<40, using: &random)
        let length = UInt64.random(in: 0..<20, using: &random)
        return (start..<start + length, Int32(value))
      }
      let flattened = map(entries)
      for address: UInt64 in 0..<64 {
        let covering = entries.filter { $0.0.contains(address) }
        let last = covering.max { ($0.0.lowerBound, $0.1) < ($1.0.lowerBound, $1.1) }
        if flattened[address] != last?.1 ?? RangeMap.none {
          differences.append("\(entries) at \(address)")
        }
      }
    }
    #expect(differences == [])
  }

  @Test("The partition index of every array of up to nine elements is the count of the first part")
  func partitionIndex() {
    for count in 0...9 {
      for first in 0...count {
        let elements = (0..<count).map { $0 >= first }
        #expect(elements.partitionIndex { $0 } == first)
      }
    }
  }
}
