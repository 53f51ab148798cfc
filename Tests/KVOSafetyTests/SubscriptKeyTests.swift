import Testing

@testable import KVOSafety

/// A class with a subscript, one value of which is a key.
private final class Grid: KeyValueObservable {
  let observationRegistrar = ObservationRegistrar()
  static let observableKeys = ObservableKeyTable(ObservableKey("firstRow", \Grid[row: 0]))

  private(set) var rows = [[1], [2]]

  subscript(row row: Int) -> [Int] {
    get { rows[row] }
    set { rows[row] = newValue }
  }
}

@Suite("Keys that are subscripts")
struct SubscriptKeyTests {
  @Test("a view of another subscript changes the element of that")
  func otherArguments() {
    let grid = Grid()
    let token = grid.observe(keyPath: "firstRow") { _, _ in }
    grid.mutableValues(of: \Grid[row: 1]).append(3)
    #expect(grid.rows == [[1], [2, 3]])
    grid.mutableValues(of: \Grid[row: 0]).append(4)
    #expect(grid.rows == [[1, 4], [2, 3]])
    token.invalidate()
  }
}
