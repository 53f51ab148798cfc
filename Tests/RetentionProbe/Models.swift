import Synchronization

/// The building blocks of the tests' shapes: a program's classes, in small.
class ViewModel: @unchecked Sendable {
  // Sendable: each is used by one test at a time.
  var observation: Token?
  var count = 0
  var name = "view model"
  weak var weakPeer: ViewModel?
  unowned var unownedPeer: ViewModel?
  unowned(unsafe) var unsafePeer: ViewModel?
  func poke() { count += 1 }
}

final class DetailViewModel: ViewModel, @unchecked Sendable {
  // Sendable: as its superclass.
  var extra = 1
}

final class Token: @unchecked Sendable {
  // Sendable: as ViewModel.
  var handler: (() -> Void)?
  init(_ handler: @escaping () -> Void) { self.handler = handler }
}

protocol Owning { var owner: Holder? { get } }
protocol OwnedClass: AnyObject {}
protocol Drawable: AnyObject {}
protocol Container { associatedtype Item; var item: Item { get } }

struct Small: Owning { var owner: Holder? }
struct Big: Owning {
  var a = 1
  var b = 2
  var c = 3
  var d = 4
  var owner: Holder?
}
struct Pair {
  var number: Int32 = 0
  var owner: Holder?
  var action: (() -> Void)?
}
struct Holding: Container { var item: Holder }
struct Failure: Error {
  var owner: Holder?
  var padding = (1, 2, 3, 4)
}

indirect enum Tree {
  case leaf
  case node(Tree, Holder?, Tree)
}

enum Content {
  case none
  case owner(Holder)
  case text(String)
  case numbered(Int, Holder)
  case list([Holder])
  case action(() -> Void)
  case existential(any Owning)
  case big(Big)
}

/// Class payloads alone, distinguished by bits that references leave free.
enum Either {
  case left(Holder)
  case right(Box)
}

enum Nested {
  case either(Either)
  case content(Content)
  case nothing
}

enum OneCase { case only(Holder) }

@propertyWrapper
struct Wrapped<Value> {
  var wrappedValue: Value
  init(wrappedValue: Value) { self.wrappedValue = wrappedValue }
}

final class Box: Hashable, OwnedClass, Drawable, @unchecked Sendable {
  // Sendable: as ViewModel.
  var value: AnyObject?
  init(_ value: AnyObject?) { self.value = value }
  static func == (left: Box, right: Box) -> Bool { left === right }
  func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

/// Has a property of each kind; made empty.
class Holder: OwnedClass, Drawable, @unchecked Sendable {
  // Sendable: as ViewModel.
  var anything: Any = 0
  var object: AnyObject?
  var list: [Any] = []
  var models: [Holder] = []
  var contiguous: ContiguousArray<Holder> = []
  var slice: ArraySlice<Holder> = []
  var byName: [String: Holder] = [:]
  var actions: [ObjectIdentifier: () -> Void] = [:]
  var counts: [Box: Int] = [:]
  var boxes: Set<Box> = []
  var tuple: (Int, Holder?, String) = (0, nil, "")
  var closuresInTuple: (Int, () -> Void)?
  var content: Content = .none
  var tree: Tree = .leaf
  var either: Either?
  var nested: Nested = .nothing
  var oneCase: OneCase?
  var owning: (any Owning)?
  var owned: (any OwnedClass)?
  var composed: (any OwnedClass & Drawable)?
  var constrained: (any Sequence<Int>)?
  var pair: Pair?
  var plainPair = Pair()
  var twice: Holder??
  var failure: (any Error)?
  var result: Result<Holder, any Error>?
  var hashable: AnyHashable?
  var function: ((Int, Holder) -> Int)?
  var action: (() -> Void)?
  var asynchronous: (() async -> Void)?
  var sendable: (@Sendable () -> Void)?
  var onMain: (@MainActor () -> Void)?
  var throwing: (() throws -> Holder)?
  @Wrapped var wrapped: Holder?
  var source: Holder?
  lazy var lazily: Holder? = source
  var keyPath: AnyKeyPath?
  var task: Task<Void, Never>?
  var continuation: AsyncStream<Int>.Continuation?
  var manual: UnsafeMutablePointer<Holder>?
  var unmanaged: Unmanaged<Holder>?
  var reference: Unmanaged<AnyObject>?
  var count = 0
  init() {}
  func poke() { count += 1 }
}

final class Guarded: Sendable {
  let state = Mutex<AnyObject?>(nil)
}

final class Counter: Sendable {
  let state = Mutex<Int>(7)
  let atomic = Atomic<Int>(7)
}

class GenericNode<Value> {
  var value: Value?
  var next: GenericNode<Value>?
  init(_ value: Value?) { self.value = value }

  @inline(never)
  func action<Other>(_ other: Other) -> () -> Void {
    {
      use(other); use(self.value)
    }
  }

  /// Captures words only: the context of the closure does not have the generic argument.
  @inline(never)
  func counting(_ count: Int) -> () -> Void { { use((self, count)) } }

  /// The parameters of the closure's function come before what it captures.
  @inline(never)
  func adding(_ count: Int) -> (Int, Holder) -> Int {
    { number, _ in
      use((self, count))
      return number
    }
  }

  /// Captures, as the third parameter of the closure's function, an object of another type than the first capture.
  @inline(never)
  func keeping(
    _ value: Value,
    _ first: GenericNode<Int>,
    _ second: GenericNode<Int>
  ) -> (Int, Holder) -> Int {
    { number, _ in
      use((self, first, second, value))
      return number
    }
  }
}

final class GenericList<Element>: GenericNode<[Element]> {
  var first: Element?
  var callback: ((Element) -> Void)?
}

/// Its type parameter is another one than its superclass's.
final class Swapped<First, Second>: GenericNode<Second> {
  var other: First?
}

final class Associated<Source: Container> {
  var items: [Source.Item] = []
  var item: Source.Item?
}

actor Worker {
  var action: (() -> Void)?
  var peer: Worker?
  func set(_ action: @escaping @Sendable () -> Void) { self.action = action }
  init() {}
  func tie(_ other: Worker) { peer = other }
}

final class Buffer: ManagedBuffer<Int, AnyObject> {}
final class NumberBuffer: ManagedBuffer<Int, Int> {}

@inline(never)
func use<Value>(_ value: Value) { withExtendedLifetime(value) {} }

@inline(never)
func generic<Value>(_ value: Value, _ object: AnyObject) -> () -> Void {
  {
    use(value); use(object)
  }
}

@inline(never)
func genericPair<First, Second>(_ first: First?, _ second: Second) -> () -> Void {
  {
    use(first); use(second)
  }
}

@inline(never)
func associated<Source: Container>(_ source: Source, _ items: [Source.Item]) -> () -> Void {
  {
    use(source); use(items)
  }
}

@inline(never)
func after(_ action: @escaping () -> Void) -> () -> Void {
  var count = 0
  return {
    action(); count += 1
  }
}

@inline(never)
func reabstracted<Argument, Value>(
  _ function: @escaping (Argument) -> Value
) -> (Argument) -> Value {
  function
}

@inline(never)
func opaqueOwner(_ owner: Holder) -> some Owning { Big(owner: owner) }

@inline(never)
func pack<each Value>(_ value: repeat each Value) -> () -> Void {
  { repeat use(each value) }
}

struct Variadic<each Value> {
  var values: (repeat each Value)
  init(_ values: repeat each Value) { self.values = (repeat each values) }
}
