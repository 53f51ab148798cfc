import KVORetention
import Testing

@testable import RetentionProbe

@Suite("Walks of other people's types", .serialized)
struct SafetyTests {
  /// Holds a value as a property of its own type, which is read in another way than `Any` is.
  private final class Carrier<Value> {
    var value: Value
    var list: [Value]
    var optional: Value?
    var action: () -> Void
    init(_ value: Value) {
      self.value = value
      list = [value, value]
      optional = value
      action = { use((value, 1)) }
    }
  }

  private static func carrier<Value>(_ value: Value) -> AnyObject { Carrier(value) }

  @Test("no value of any type ends the program", arguments: LivingValues.all.indices)
  func survives(group: Int) {
    let searches = [RetainSearch(), RetainSearch(scansOpaqueMemory: true)]
    for value in LivingValues.all[group].values() {
      // The value under its own type, and as Any.
      let carriers = [Self.carrier(value), Self.carrier(value as Any)]
      for carrier in carriers {
        for search in searches {
          let answer = search.findCycles(from: carrier)
          #expect(answer.objectCount > 0)
          let reasons = answer.opaque.map(\.reason)
          #expect(!reasons.contains(.noReflectionMetadata), "\(answer)")
        }
      }
    }
  }

  @Test("there are 250 types and more in the list")
  func typeCount() {
    let types = Set(LivingValues.all.flatMap { $0.values() }.map { ObjectIdentifier(type(of: $0)) })
    #expect(types.count >= 250, "\(types.count)")
  }
}
