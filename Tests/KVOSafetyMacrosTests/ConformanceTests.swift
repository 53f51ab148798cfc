#if Macros
import KVOSafety
import Testing

private struct Ticket: ~Copyable {}

@KeyValueObservable
private class Counter<Item: ~Copyable, Place> where Place: Equatable {
  var count = 0
  var place: Place
  init(at place: Place) { self.place = place }
}

@Suite("The isolation and the requirements of the conformance")
struct ConformanceTests {
  @Test("a class of a global actor conforms in its isolation")
  func globalActor() {
    expectExpansion(
      of: """
        @MainActor
        @KeyValueObservable
        final class Screen {
        }
        """,
      as: """
        @MainActor
        final class Screen {

          let observationRegistrar = KVOSafety.ObservationRegistrar()

          static let observableKeys = KVOSafety.ObservableKeyTable()
        }

        extension Screen: @MainActor KVOSafety.KeyValueObservable {
        }
        """
    )
  }

  @Test("a nonisolated class conforms so, also where the main actor is the default")
  func nonisolated() {
    expectExpansion(
      of: """
        @KeyValueObservable
        nonisolated final class Worker {
        }
        """,
      as: """
        nonisolated final class Worker {

          let observationRegistrar = KVOSafety.ObservationRegistrar()

          static let observableKeys = KVOSafety.ObservableKeyTable()
        }

        extension Worker: nonisolated KVOSafety.KeyValueObservable {
        }
        """
    )
  }

  @Test("a generic parameter that need not be copyable need not be so for the conformance")
  func suppressed() {
    expectExpansion(
      of: """
        @KeyValueObservable
        final class Queue<Item: Sendable & ~Copyable, Name> where Name: ~Copyable, Item: Sendable {
        }
        """,
      as: """
        final class Queue<Item: Sendable & ~Copyable, Name> where Name: ~Copyable, Item: Sendable {

          let observationRegistrar = KVOSafety.ObservationRegistrar()

          class var observableKeys: KVOSafety.ObservableKeyTable {
            .shared(by: Self.self, declaredBy: Queue.self) {
              KVOSafety.ObservableKeyTable()
            }
          }
        }

        extension Queue: KVOSafety.KeyValueObservable where Item: ~Copyable, Name: ~Copyable {
        }
        """
    )
    let counter = Counter<Ticket, String>(at: "door")
    var heard: [String] = []
    let tokens = [
      counter.observe(\.count) { counter, _ in heard.append("\(counter.count)") },
      counter.observe(\.place) { counter, _ in heard.append(counter.place) },
    ]
    counter.count += 1
    counter.place = "hall"
    #expect(heard == ["1", "hall"])
    tokens.forEach { $0.invalidate() }
  }
}
#endif
