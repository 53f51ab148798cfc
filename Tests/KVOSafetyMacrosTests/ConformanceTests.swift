#if Macros
import Testing

@Suite("The isolation of the conformance")
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
}
#endif
