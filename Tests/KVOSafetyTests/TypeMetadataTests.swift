import Testing

@testable import KVOSafety

/// What is read of the runtime's metadata and of the layout of optionals, against what the language says.
struct TypeMetadataTests {
  @Test("optionals are distinguished from other types")
  func optionals() {
    let optionals: [Any.Type] = [Int?.self, String??.self, Shelf?.self, (any Sendable)?.self]
    let others: [Any.Type] = [
      Int.self, String.self, Shelf.self, (any Sendable).self, [Int?].self, Result<Int?, Never>.self,
      (Int?, Int).self, ((Int?) -> Int?).self, Kind.self,
    ]
    for type in optionals { #expect(TypeMetadata.isOptional(type), "\(type)") }
    for type in others { #expect(!TypeMetadata.isOptional(type), "\(type)") }
  }

  @Test(
    "a value without an optional around it flattens to itself, and one with several to the innermost"
  )
  func flattened() {
    #expect(Any?.some(3).flattened as? Int == 3)
    #expect(Any?.some(Int??.some(3) as Any).flattened as? Int == 3)
    #expect(Any?.some(Int??.some(nil) as Any).flattened == nil)
    #expect(Any?.none.flattened == nil)
  }

  @Test("an optional is created from a value of any layout, and from none")
  func wrapping() throws {
    try wrap(3)
    try wrap(UInt8.max)
    try wrap(true)
    try wrap(2.5)
    try wrap("a text that is too long to lie in its own words")
    try wrap(Kind.second)
    try wrap([1, 2, 3])
    try wrap(Pair(first: 7, second: "short"))
    try wrap(Int?.none)
    try wrap(Int?.some(5))
    let shelf = Shelf()
    let layout = try #require(Optional<Shelf>.layout)
    withUnsafePointer(to: shelf) { value in
      layout.wrap(value) { #expect($0?.load(as: Shelf?.self) === shelf) }
    }
  }

  private func wrap<Value: Equatable>(_ value: Value) throws {
    let layout = try #require(Optional<Value>.layout)
    let isWrapped = layout.wrappedType == Value.self
    #expect(isWrapped)
    var callCount = 0
    withUnsafePointer(to: value) { address in
      layout.wrap(address) { optional in
        callCount += 1
        #expect(optional?.assumingMemoryBound(to: Value?.self).pointee == .some(value))
      }
    }
    layout.wrap(nil) { optional in
      callCount += 1
      #expect(optional == nil)
    }
    #expect(callCount == 2)
  }

  @Test("an isolated conformance is distinguished from others")
  @MainActor func isolation() {
    #expect(TypeMetadata.isIsolated(MainWatcher()))
    #expect(!TypeMetadata.isIsolated(Watcher()))
    #expect(TypeMetadata.isIsolated(MainShelf()))
    #expect(!TypeMetadata.isIsolated(Shelf()))
    #expect(!TypeMetadata.isIsolated(DerivedShelf()))
    #expect(TypeMetadata.isIsolated(MainShelf.self))
    #expect(!TypeMetadata.isIsolated(DerivedShelf.self))
  }

  private enum Kind { case first, second }

  private struct Pair: Equatable {
    var first: UInt32
    var second: String
  }

  private class Shelf: KeyValueObservable {
    let observationRegistrar = ObservationRegistrar()
    class var observableKeys: ObservableKeyTable { ObservableKeyTable() }
  }

  private final class DerivedShelf: Shelf {}

  @MainActor
  private final class MainShelf: @MainActor KeyValueObservable {
    let observationRegistrar = ObservationRegistrar()
    static let observableKeys = ObservableKeyTable()
  }

  private final class Watcher: KeyValueObserver {
    func observeValue(
      forKeyPath keyPath: String,
      of object: any KeyValueObservable,
      change: ObservedChange<Any>,
      context: ObservationContext?
    ) -> NotificationHandling { .handled }
  }

  @MainActor
  private final class MainWatcher: @MainActor KeyValueObserver {
    func observeValue(
      forKeyPath keyPath: String,
      of object: any KeyValueObservable,
      change: ObservedChange<Any>,
      context: ObservationContext?
    ) -> NotificationHandling { .handled }
  }
}
