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
    // Others through the same objects follow the shortest.
    #expect(cyclic.cycles.first?.description == shape.path)
    #expect(cyclic.componentCount == (shape.path == nil ? 0 : 1))
    #expect(cyclic.suspectedCycles.isEmpty)
    #expect(Self.reasons(cyclic) == Self.reasons(shape))
    let acyclic = RetainSearch().findCycles(from: shape.acyclic())
    #expect(acyclic.cycles == [])
    #expect(
      acyclic.verdict == (Self.isLimited(acyclic, shape) ? .inconclusive : .noneFound),
      "\(acyclic)"
    )
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
      answer.cycles.prefix(4).map(\.description)
        == (shape.path.map { Array(repeating: $0, count: 4) } ?? [])
    )
    #expect(answer.componentCount == (shape.path == nil ? 0 : 4))
    #expect(Self.reasons(answer) == Self.reasons(shape))
  }

  /// What is in doubt in an answer.
  ///
  /// How far suspected words lead, and so whether the search limits them or meets a task, depends on what else is in the
  /// heap.
  private static func reasons(_ answer: RetainAnswer) -> [OpaqueReason] {
    let reasons = answer.opaque.map(\.reason)
    return reasons.contains(.unmanagedMemory) ? reasons.filter { !isOfHeap($0) } : reasons
  }

  private static func isOfHeap(_ reason: OpaqueReason) -> Bool {
    reason == .searchLimit || reason == .task
  }

  /// What is in doubt: an `unowned(unsafe)` capture looks like that of an `Unmanaged`.
  private static func reasons(_ shape: Shape) -> [OpaqueReason] {
    shape.name == "an unowned(unsafe) capture" ? [.unmanagedMemory] : []
  }

  /// Whether the suspected words of a shape in doubt lead to a task, or to more than a search examines, which then says
  /// so.
  private static func isLimited(_ answer: RetainAnswer, _ shape: Shape) -> Bool {
    !reasons(shape).isEmpty && answer.opaque.contains { isOfHeap($0.reason) }
  }
}
