import Observation
import Synchronization

@testable import RetentionProbe

/// Values of types as programs declare them, the odd ones above all.
extension LivingValues {
  static func functions() -> [Any] {
    let box = Box(nil)
    let function: @convention(c) () -> Void = {}
    let asynchronous: @Sendable () async throws -> Int = { 1 }
    let typed: (Int) throws(Failure) -> Box = { _ in box }
    let inside: (inout [Box], Box) -> Void = { use(($0, $1)) }
    return [
      { use(box) } as () -> Void, HasBlock(box), function, asynchronous, typed, inside,
      box.hash(into:) as Any, Holder.init as () -> Holder,
      Int.init(_:radix:) as (String, Int) -> Int?,
      max as (Int, Int) -> Int, (+) as (Int, Int) -> Int, [{ use(box) }, {}] as [() -> Void],
      ["a": { use(box) }] as [String: () -> Void], ({ use(box) }, 1) as (() -> Void, Int),
      generic(box, box), associated(Holding(item: Holder()), []), pack(1, box),
      reabstracted { (_: Int) in box },
    ]
  }

  static func noncopyable() -> [Any] {
    let guarded = Guarded()
    guarded.state.withLock { $0 = Box(nil) }
    return [
      Guarded(), guarded, Counter(), HasNoncopyable(), HasNoncopyable(1), HasAtomics(),
      GenericNoncopyable<Box>(Box(nil)), GenericNoncopyable<Int>(1),
    ]
  }

  static func observation() -> [Any] {
    let model = Observed()
    withObservationTracking {
      _ = model.name
    } onChange: { [weak model] in
      use(model)
    }
    return [model, Observed(), ObservationRegistrar()]
  }

  static func own() -> [Any] {
    let holder = Holder()
    holder.tree = .node(.leaf, Holder(), .node(.leaf, nil, .leaf))
    holder.nested = .content(.existential(Big(owner: holder)))
    holder.object = holder
    return [
      holder, Tree.leaf, Content.none, Content.text("a"), Either.left(holder), Nested.nothing,
      OneCase.only(holder),
      Variadic(1, "a", holder), Variadic<Int>(1), GenericNode(holder), GenericList<Int>(nil),
      Swapped<Int, Box>(nil),
      opaqueOwner(holder), Everything.allCases, LargeEnum.text("a"),
      LargeEnum.wide(1, 2, 3, holder), EmptyStruct(),
      NoPayload.only, ExistentialHolder(), ViewModel(), Token {},
    ]
  }
}

// A block cannot be a value of a generic type: the runtime itself ends the program there.
private final class HasBlock {
  let block: @convention(block) () -> Void
  var optional: (@convention(block) (Int) -> Int)?
  init(_ box: Box) {
    block = { use(box) }
    optional = { $0 + (box.value == nil ? 1 : 2) }
  }
}

private struct EmptyStruct {}
private enum NoPayload { case only }
private enum Everything: CaseIterable { case first, second, third }
private enum LargeEnum {
  case text(String), wide(Int, Int, Int, Holder), empty, any(Any), closure(() -> Void)
  case pair((Int8, Holder)), optional(Holder?), nested(NoPayload)
}
private struct ExistentialHolder {
  var any: Any = Small(owner: nil)
  var error: (any Error)? = CancellationError()
  var hashable: any Hashable = 1
  var sequence: any Sequence<Int> = [1, 2]
  var collection: any Collection<Box> & Sendable = Boxes()
  var type: any Any.Type = Int.self
  var object: any Drawable = Box(nil)
}
private struct Boxes: Collection, Sendable {
  var startIndex: Int { 0 }
  var endIndex: Int { 1 }
  func index(after index: Int) -> Int { index + 1 }
  subscript(position: Int) -> Box { Box(nil) }
}

private struct File: ~Copyable {
  var descriptor: Int32
  var box: Box?
  deinit { use(descriptor) }
}
private enum Handle: ~Copyable {
  case file(File)
  case none
}
private final class HasNoncopyable {
  var file: File?
  var handle: Handle = .none
  var number = 1
  init() {}
  init(_ descriptor: Int32) {
    file = File(descriptor: descriptor, box: Box(nil))
    handle = .file(File(descriptor: descriptor, box: Box(nil)))
  }
}
private final class HasAtomics {
  let number = Atomic<Int>(1)
  let flag = Atomic<Bool>(true)
  let pointer = Atomic<UnsafeRawPointer?>(nil)
  let lazily = AtomicLazyReference<Box>()
  let words = Atomic<WordPair>(WordPair(first: 1, second: 2))
  init() { _ = lazily.storeIfNil(Box(nil)) }
}
private struct Wrapper<Value>: ~Copyable { var value: Value }
private final class GenericNoncopyable<Value> {
  var wrapper: Wrapper<Value>
  init(_ value: Value) { wrapper = Wrapper(value: value) }
}

@Observable
private final class Observed: @unchecked Sendable {
  // Sendable: one test uses it.
  var name = "a"
  var box = Box(nil)
  @ObservationIgnored var ignored: Observed?
}
