import KVORetention
import Testing

@testable import RetentionProbe

/// The short form; `RetentionProbe generated 2000` is the long one, in each way of building.
@Suite("Generated shapes", .serialized)
struct GeneratedTests {
  @Test(
    "no leak is missed, and no cycle is claimed that does not exist",
    arguments: 0..<Carrier.all.count
  )
  func shapes(seed: Int) async {
    let shape = GeneratedShape(seed: seed)
    for isStrong in [true, false] {
      let outcome = await shape.outcome(isStrong: isStrong)
      #expect(!outcome.isMissed && !outcome.isWrong, "\(shape), \(isStrong): \(outcome.answer)")
    }
  }
}
