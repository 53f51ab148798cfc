import Testing

@testable import KVOSafety

struct ShortListTests {
  @Test("lists of none, one and several elements are added to and divided as arrays are")
  func likeAnArray() {
    let choices: [(Int) -> Bool] = [{ $0 % 2 == 0 }, { $0 > 2 }, { _ in true }, { _ in false }]
    for count in 0..<5 {
      for isMeant in choices {
        var list = ShortList<Int>()
        for element in 0..<count { list.append(element) }
        #expect(list.all == Array(0..<count))
        #expect(list.isEmpty == (count == 0))
        #expect(list.contains(where: isMeant) == (0..<count).contains(where: isMeant))
        var visited: [Int] = []
        list.forEach { visited.append($0) }
        #expect(visited == Array(0..<count))
        let extracted = list.extract(isMeant)
        #expect(extracted.all == (0..<count).filter(isMeant))
        #expect(list.all == (0..<count).filter { !isMeant($0) })
        list.append(9)
        #expect(list.all.last == 9)
      }
    }
    #expect(ShortList(7).all == [7])
  }
}
