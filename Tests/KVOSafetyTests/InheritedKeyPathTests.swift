import KVORecorder
import KVORules
import KVOTrace
import TestSupport
import Testing

@testable import KVOSafety

/// Key paths of a subclass whose table does not list again what it inherits.
///
/// As `NSObject` has it: `\Car.speed` is the key `speed`, whichever class declares the property.
@Suite("Key paths of inherited properties")
struct InheritedKeyPathTests {
  private class Vehicle: KeyValueObservable {
    let observationRegistrar = ObservationRegistrar()
    private static let keys = ObservableKeyTable(
      ObservableKey("speed", \Vehicle.speed),
      ObservableKey("wheels", \Vehicle.wheels),
      ObservableKey("owner", \Vehicle.owner)
    )
    class var observableKeys: ObservableKeyTable { keys }
    var speed = 0 {
      willSet { willChangeValue(for: \.speed) }
      didSet { didChangeValue(for: \.speed) }
    }
    var wheels: [Int] = []
    var owner: Person?
    /// Not a key.
    var weight: Int { speed + wheels.count }
  }

  private class Car: Vehicle {
    private static let keys = ObservableKeyTable(
      inheriting: Vehicle.observableKeys,
      ObservableKey("doors", \Car.doors)
    )
    override class var observableKeys: ObservableKeyTable { keys }
    var doors = 4
  }

  @Test("denote its key in both halves of a change")
  func changes() {
    let car = Car()
    var count = 0
    let found = verdicts(about: car) {
      let token = car.observe(\.speed) { _, _ in count += 1 }
      car.willChangeValue(for: \.speed)
      car.didChangeValue(for: \.speed)
      car.speed = 1
      let wheels = car.observe(\.wheels) { _, _ in count += 1 }
      try? car.willChange(.insertion, valuesAt: RangeSet(0..<1), for: \.wheels)
      car.wheels = [1]
      car.didChange(.insertion, valuesAt: RangeSet(0..<1), for: \.wheels)
      token.invalidate()
      wheels.invalidate()
    }
    #expect(count == 3)
    #expect(found.isEmpty)
  }

  @Test("and an end without a beginning is reported")
  func unbalanced() {
    let car = Car()
    let found = verdicts(about: car) {
      let token = car.observe(\.speed) { _, _ in }
      car.didChangeValue(for: \.speed)
      token.invalidate()
    }
    #expect(found.map(\.detail) == [.change(.didWithoutWill)])
  }

  /// `\.owner!` has the same part as `\.owner`, and is another path.
  @Test("observe the value that the key path has")
  func unwrapped() {
    let car = Car()
    car.owner = Person("Ada")
    let found = verdicts(about: car) {
      var names: [String?] = []
      let options: ObservingOptions = [.initial, .new]
      car.observe(\.owner, options: options) { names.append($1.newValue??.name) }.invalidate()
      car.observe(\.owner!, options: options) { names.append($1.newValue?.name) }.invalidate()
      #expect(names == ["Ada", "Ada"])
    }
    #expect(found.isEmpty)
  }

  @Test("of a property that is not a key are refused under a name without an address")
  func noKey() {
    let car = Car()
    let found = verdicts(about: car) {
      car.willChangeValue(for: \.weight)
      car.didChangeValue(for: \.weight)
    }
    let name = UnnamedKeyPath(names: [], type: "Car").text
    #expect(
      found.map(\.detail) == [.refusal(.unknownKey, part: Recorder.shared.id(of: name))]
    )
  }
}
