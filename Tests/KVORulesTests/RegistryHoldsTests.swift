import KVORules
import KVOTrace
import TestSupport
import Testing

@testable import KVOReplay

@Suite("Which registries hold which objects")
struct RegistryHoldsTests {
  @Test("the oldest holder is known, whatever is dropped and forgotten", arguments: 0..<20)
  func likeLists(seed: Int) {
    var random = SplitMix64(seed: UInt64(seed))
    var holds = RegistryHolds()
    // The naive form: pairs, oldest first.
    var expected: [(registry: ObjectRef, object: ObjectID)] = []
    let registries = (1...30).map {
      ObjectRef(id: ObjectID($0), className: .none, kind: .registry)
    }
    let objects = (101...105).map { ObjectRef(id: ObjectID($0), className: .none, kind: .object) }
    for _ in 0..<2_000 {
      let registry = registries[Int(random.next() % 30)]
      let object = objects[Int(random.next() % 5)]
      let reference = Reference(from: registry, to: object, label: .none)
      let isKnown = expected.contains { $0.registry == registry && $0.object == object.id }
      switch random.next() % 16 {
      case 0..<9:
        #expect(holds.hold(reference) == !isKnown)
        if !isKnown { expected.append((registry, object.id)) }
      case 9..<14:
        holds.drop(reference)
        expected.removeAll { $0.registry == registry && $0.object == object.id }
      case 14:
        holds.forget(registry.id)
        expected.removeAll { $0.registry == registry }
      default:
        guard random.next() % 16 == 0 else { continue }
        holds.forget(object.id)
        expected.removeAll { $0.object == object.id }
      }
      for object in objects {
        #expect(holds.holder(of: object.id) == expected.first { $0.object == object.id }?.registry)
      }
    }
  }
}
