import KVORecorder
import KVORules
import KVOTrace
import Testing

@testable import KVOSafety

/// Setters as `@KeyValueObservable` writes them; what its class says of the keys is computed.
private class Shape: KeyValueObservable {
  let observationRegistrar = ObservationRegistrar()
  static let keyTable = ObservableKeyTable(
    ObservableKey("width", \Shape.width),
    ObservableKey("height", \Shape.height),
    ObservableKey("area", \Shape.area)
  )
  class var observableKeys: ObservableKeyTable { keyTable }
  class func keyPathsForValuesAffecting(_ key: String) -> Set<String> {
    key == "area" ? ["width", "height"] : []
  }
  class func automaticallyNotifies(_ key: String) -> Bool { key != "height" }

  private static let widthKey = ObservableKey("width", \Shape.width)
  private static let heightKey = ObservableKey("height", \Shape.height)
  private var storedWidth = 1
  private var storedHeight = 1

  var width: Int {
    get { storedWidth }
    set {
      observationRegistrar.change(Self.widthKey, of: self, value: storedWidth) {
        storedWidth = newValue
      }
    }
  }
  /// The class says at run time that it notifies this one itself.
  var height: Int {
    get { storedHeight }
    set {
      observationRegistrar.change(Self.heightKey, of: self, value: storedHeight) {
        storedHeight = newValue
      }
    }
    _modify {
      observationRegistrar.willChange(Self.heightKey, of: self)
      defer { observationRegistrar.didChange(Self.heightKey, of: self) }
      yield &storedHeight
    }
  }
  var area: Int { width * height }
}

private final class Box: Shape {
  private static let boxKeys = ObservableKeyTable(
    inheriting: Shape.observableKeys,
    ObservableKey("depth", \Box.depth),
    ObservableKey("volume", \Box.volume)
  )
  override class var observableKeys: ObservableKeyTable { boxKeys }
  override class func keyPathsForValuesAffecting(_ key: String) -> Set<String> {
    let affecting = super.keyPathsForValuesAffecting(key)
    return key == "volume" ? affecting.union(["area", "depth"]) : affecting
  }
  override class func automaticallyNotifies(_ key: String) -> Bool { true }

  var depth = 1 {
    willSet { willChangeValue(for: \.depth) }
    didSet { didChangeValue(for: \.depth) }
  }
  var volume: Int { area * depth }
}

/// The expected deliveries are those of Foundation for `keyPathsForValuesAffectingValue(forKey:)` and
/// `automaticallyNotifiesObservers(forKey:)`.
@Suite("Keys that a class declares at run time")
struct RuntimeKeyTests {
  @Test("a key is notified when one changes that affects it, in the class and in a subclass")
  func affected() {
    let shape = Shape()
    #expect(heard(\.area, of: shape) { shape.width = 3 } == ["area setting from 1 to 3"])
    let box = Box()
    #expect(
      heard(\Box.volume, of: box) {
        box.depth = 2
        box.width = 3
        box.height = 5
      } == [
        "volume setting from 1 to 2", "volume setting from 2 to 6", "volume setting from 6 to 30",
      ]
    )
  }

  @Test("a key that the class notifies itself is not notified by its setter, recorded or not")
  func manual() {
    for isRecorded in [false, true] {
      let memory = EventMemory()
      if isRecorded { Recorder.shared.attach(memory) }
      defer { Recorder.shared.detach(memory) }
      let shape = Shape()
      shape.height += 1
      let found = verdicts(about: shape) {
        let lines = heard(\.height, of: shape) {
          shape.height = 3
          shape.height += 1
          shape.willChangeValue(for: \.height)
          shape.height += 1
          shape.height = 7
          shape.didChangeValue(for: \.height)
        }
        #expect(lines == ["height setting from 4 to 7"])
      }
      #expect(found.isEmpty)
    }
  }

  @Test("a subclass with other declarations is notified by the same setter")
  func overridden() {
    let box = Box()
    #expect(
      heard(\Shape.height, of: box) {
        box.height = 3
        box.height += 1
      } == ["height setting from 1 to 3", "height setting from 3 to 4"]
    )
  }

  @Test("an observer that is added inside an in-place change leaves no half of a change")
  func addedInside() {
    let shape = Shape()
    var token: ObservationToken?
    let found = verdicts(where: {
      $0.code == .unbalancedChange && $0.keyPath == Recorder.id(of: "height")
    }) {
      func change(_ height: inout Int) {
        height = 5
        token = shape.observe(\.width) { _, _ in }
      }
      change(&shape.height)
      shape.willChangeValue(for: \.height)
      shape.didChangeValue(for: \.height)
    }
    #expect(found.isEmpty)
    withExtendedLifetime(token) {}
  }

  private func heard<Subject: KeyValueObservable>(
    _ keyPath: KeyPath<Subject, Int>,
    of object: Subject,
    _ body: () -> Void
  ) -> [String] {
    var lines: [String] = []
    let name = KeyPathNames.key(at: keyPath, of: type(of: object)).name
    let token = object.observe(keyPath, options: [.old, .new]) { lines.append(line(name, $1)) }
    body()
    token.invalidate()
    return lines
  }
}
