import Synchronization
import Testing

@testable import KVOSafety

@Suite("A change of one element of many looks at that one")
struct ChangedElementTests {
  @Test("in a set")
  func set() {
    let shelf = Shelf()
    let token = shelf.observe(\.labels) { _, _ in }
    shelf.labels = Set((0..<1_000).map(Label.init))
    let labels = shelf.mutableValues(of: \.labels)
    #expect(Label.hashCount { labels.insert(Label(number: 1_000)) } < 50)
    #expect(Label.hashCount { labels.remove(Label(number: 7)) } < 50)
    #expect(labels.count == 1_000)
    #expect(!labels.contains(Label(number: 7)))
    token.invalidate()
  }

  @Test("in a dictionary, whose values need not be comparable")
  func dictionary() {
    let shelf = Shelf()
    let token = shelf.observe(\.counts) { _, _ in }
    shelf.counts = Dictionary(uniqueKeysWithValues: (0..<1_000).map { (Label(number: $0), { $0 }) })
    let counts = shelf.mutableValues(of: \.counts)
    #expect(Label.hashCount { counts[Label(number: 1_000)] = { $0 + 1 } } < 50)
    #expect(Label.hashCount { counts[Label(number: 7)] = { $0 + 2 } } < 50)
    #expect(Label.hashCount { counts[Label(number: 8)] = nil } < 50)
    #expect(counts.count == 1_000)
    #expect(counts[Label(number: 7)]?(1) == 3)
    token.invalidate()
  }
}

/// Counts how often it is hashed.
private struct Label: Hashable, Sendable {
  let number: Int
  @TaskLocal private static var counter: HashCounter?

  func hash(into hasher: inout Hasher) {
    Self.counter?.count.wrappingAdd(1, ordering: .relaxed)
    hasher.combine(number)
  }

  /// How often labels are hashed in `body`.
  static func hashCount(in body: () -> Void) -> Int {
    let counter = HashCounter()
    $counter.withValue(counter) { body() }
    return counter.count.load(ordering: .relaxed)
  }
}

private final class HashCounter: Sendable {
  let count = Atomic<Int>(0)
}

private final class Shelf: KeyValueObservable {
  let observationRegistrar = ObservationRegistrar()
  static let observableKeys = ObservableKeyTable(
    ObservableKey("labels", \Shelf.labels),
    ObservableKey("counts", \Shelf.counts)
  )

  var labels: Set<Label> = [] {
    willSet { willChangeValue(for: \.labels) }
    didSet { didChangeValue(for: \.labels) }
  }
  var counts: [Label: (Int) -> Int] = [:] {
    willSet { willChangeValue(for: \.counts) }
    didSet { didChangeValue(for: \.counts) }
  }
}
