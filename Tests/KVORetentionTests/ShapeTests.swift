import KVORetention
import Testing

@testable import RetentionProbe

@Suite("Shapes of references", .serialized)
struct ShapeTests {
  static let understood =
    Shape.values + Shape.enums + Shape.collections + Shape.closures
    + Shape.generics

  @Test("a cycle is found and drawn, its twin is not taken for one", arguments: understood)
  func twins(shape: Shape) {
    let cyclic = RetainSearch().findCycles(from: shape.cyclic())
    #expect(cyclic.cycles.map(\.description) == (shape.path.map { [$0] } ?? []))
    #expect(cyclic.suspectedCycles.isEmpty)
    #expect(cyclic.opaque == [])
    let acyclic = RetainSearch().findCycles(from: shape.acyclic())
    #expect(acyclic.cycles == [])
    #expect(acyclic.verdict == .noneFound, "\(acyclic)")
  }

  private final class Crowd {
    let members: [AnyObject]
    init(_ members: [AnyObject]) { self.members = members }
  }

  @Test("objects of a kind that was met before are read as the first", arguments: understood)
  func many(shape: Shape) {
    let crowd = Crowd((0..<12).map { $0 % 3 == 0 ? shape.cyclic() : shape.acyclic() })
    let answer = RetainSearch().findCycles(from: crowd)
    #expect(
      answer.cycles.map(\.description) == (shape.path.map { Array(repeating: $0, count: 4) } ?? [])
    )
    #expect(answer.opaque == [])
  }
}
