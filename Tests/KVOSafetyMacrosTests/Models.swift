#if Macros
public import KVOSafety

/// A class with a property of each kind.
@KeyValueObservable
final class Account {
  var balance = 0.0
  var owner: Person?
  var tags: [String] = []
  weak var partner: Account?
  let number: Int
  @KeyValue(.whenDifferent) var name = ""
  @KeyValue(.ignored) var cache = 0
  @KeyValue(.manual) var rate = 1 {
    willSet { if newValue > 0 { willChangeValue(for: \.rate) } }
    didSet { if rate > 0 { didChangeValue(for: \.rate) } }
  }
  lazy var statement = "none"
  @Clamped var level = 0
  var total: Double { balance + 1 }
  @KeyValue(affectedBy: "balance", "owner.name") var summary: String {
    "\(owner?.name ?? "nobody") has \(balance)"
  }
  var state: State? = .open
  private(set) var revision = 0
  var `default` = 0
  nonisolated(unsafe) static var count = 0
  var seen: [String] = []
  var limit: Int {
    willSet { seen.append("will \(newValue)") }
    didSet { seen.append("did \(oldValue) \(limit)") }
  }

  enum State: Equatable { case open, closed(reason: String) }

  init(number: Int = 1, limit: Int = 10) {
    self.number = number
    self.limit = limit
  }

  func revise() { revision += 1 }
}

@KeyValueObservable
final class Person {
  var name: String
  init(_ name: String) { self.name = name }
}

/// Keys that affect each other across a class and its subclass.
@KeyValueObservable
class Shape {
  var width = 1
  @KeyValue(affectedBy: "width") var area: Int { width * width }
}

@KeyValueObservable
final class Rectangle: Shape {
  var height = 1
  @KeyValue(affectedBy: "height") override var area: Int { width * height }
  @KeyValue(affectedBy: "area") var doubled: Int { 2 * area }
}

/// A key that depends on others whose names are expressions.
@KeyValueObservable
final class Frame {
  static let heightKey = "height"
  var width = 1
  var height = 1
  @KeyValue(affectedBy: #keyPathName(\Frame.width), Frame.heightKey) var size: String {
    "\(width) × \(height)"
  }
}

/// A wrapper that keeps a number between 0 and 10.
@propertyWrapper
struct Clamped {
  private var value: Int
  init(wrappedValue: Int) { value = wrappedValue }
  var wrappedValue: Int {
    get { value }
    set { value = min(max(newValue, 0), 10) }
  }
}

@KeyValueObservable
class Vehicle {
  var speed = 0
  var wheelCount: Int { 4 }
}

/// A subclass with keys of its own, and a getter of its own for one that it inherits.
@KeyValueObservable
class Car: Vehicle {
  var gear = 1
  override var speed: Int { didSet { speedChanges += 1 } }
  var speedChanges = 0
}

/// A subclass that says nothing.
final class Taxi: Car {}

/// A subclass of a class that conforms by hand.
@KeyValueObservable
final class Leaf: Trunk {
  var color = "green"
}

class Trunk: KeyValueObservable {
  let observationRegistrar = ObservationRegistrar()
  private static let keys = ObservableKeyTable(ObservableKey("height", \Trunk.height))
  class var observableKeys: ObservableKeyTable { keys }
  var height = 1 {
    willSet { willChangeValue(for: \.height) }
    didSet { didChangeValue(for: \.height) }
  }
}

@KeyValueObservable
class Box<Element> {
  var value: Element
  init(_ value: Element) { self.value = value }
}

@KeyValueObservable
final class LabeledBox: Box<Int> {
  var label = ""
}

enum Shelf<Element> {
  @KeyValueObservable
  final class Slot {
    var content: Element
    init(_ content: Element) { self.content = content }
  }
}

@MainActor
@KeyValueObservable
final class Screen {
  var title = ""
  lazy var subtitle = "none"
  var account: Account?
}

@globalActor
actor Stage {
  static let shared = Stage()
}

@Stage
@KeyValueObservable
final class Play: @Stage KeyValueObservable {
  var act = 1
}

/// A public class.
@KeyValueObservable
public class PublicModel {
  /// A key.
  public var value = 0
  /// A model whose value is 0.
  public init() {}
}

/// A class that other modules may subclass.
@KeyValueObservable
open class OpenBase {
  /// A key that they may override.
  open var value = 0
  /// A model whose value is 0.
  public init() {}
}

/// A subclass of one.
@KeyValueObservable
open class OpenModel: OpenBase {
  /// A key of its own.
  open var other = 0
}

@KeyValueObservable
private final class PrivateModel {
  fileprivate var value = 0
}

/// Classes with the names that are usual for a start.
@KeyValueObservable
class Root {
  var value = 0
}
@KeyValueObservable
class Wrapper<Root> {
  var value: Root
  init(_ value: Root) { self.value = value }
}
enum PrivateSpace {
  /// A private class that states the conformance, which needs no extension at the top of the file.
  @KeyValueObservable
  private class Inner: KeyValueObservable {
    var value = 0
  }

  /// What it notifies.
  static func changes() -> [Int?] {
    let model = Inner()
    var heard: [Int?] = []
    let token = model.observe(\.value, options: .new) { heard.append($1.newValue) }
    model.value = 2
    token.invalidate()
    return heard
  }
}

/// What a private class notifies.
func changesOfPrivateModel() -> [Int?] {
  let model = PrivateModel()
  var heard: [Int?] = []
  let token = model.observe(\.value, options: .new) { heard.append($1.newValue) }
  model.value = 2
  token.invalidate()
  return heard
}
#endif
