import Testing

@testable import KVOSafety

struct SmallMapTests {
  /// Keys that come and go in a fixed order, so that the map is small, large and small again; a dictionary says what
  /// must be in it.
  @Test("few entries and many are found, updated and removed alike")
  func likeADictionary() {
    var map = SmallMap<Int, String>()
    var expected: [Int: String] = [:]
    func check() {
      #expect(Dictionary(map.entries.map { ($0.key, $0.value) }) { first, _ in first } == expected)
      for key in 0..<120 { #expect(map[key] == expected[key]) }
    }
    for round in 0..<3 {
      for step in 0..<60 {
        let key = (step * 7 + round) % 120
        guard expected[key] == nil else { continue }
        map.insert("\(round) \(key)", forKey: key)
        expected[key] = "\(round) \(key)"
      }
      check()
      for key in stride(from: 0, to: 120, by: 3) {
        if let position = map.position(of: key) { map.update(at: position) { $0 += "!" } }
        if let value = expected[key] { expected[key] = value + "!" }
      }
      check()
      for key in 0..<(120 - 5 * round) {
        #expect(map.removeValue(forKey: key) == expected.removeValue(forKey: key))
      }
      check()
    }
  }
}
