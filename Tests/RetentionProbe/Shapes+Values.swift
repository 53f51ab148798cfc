import KVORetention

extension Shape {
  /// Properties and what is inside of values.
  static let values: [Shape] = [
    Shape("an object", "Holder.object → Holder", Holder.init) { $0.object = $1 },
    Shape("two objects", "Holder.object → Box.value → Holder", Holder.init) {
      $0.object = Box($1)
    },
    Shape(
      "a class's own property in a subclass",
      "DetailViewModel.observation → Token.handler → "
        + "closure capture of DetailViewModel → DetailViewModel",
      DetailViewModel.init
    ) { root, other in
      root.observation = Token { other.poke() }
    },
    Shape("a weak property", nil, ViewModel.init) { $0.weakPeer = $1 },
    Shape("an unowned property", nil, ViewModel.init) { root, other in
      root.unownedPeer = other
      // An unowned reference needs its object to live.
      kept.keep(other)
    },
    Shape("an unowned(unsafe) property", nil, ViewModel.init) { $0.unsafePeer = $1 },
    Shape("Any with an object", "Holder.anything → Holder", Holder.init) { $0.anything = $1 },
    // As Any a closure is called in another way than it is written: what changes that captures it.
    Shape(
      "Any with a closure",
      "Holder.anything → closure capture of a closure → closure capture of Holder → Holder",
      Holder.init
    ) { root, other in root.anything = { use(other) } as () -> Void },
    Shape("Any with an Optional", "Holder.anything → Holder", Holder.init) {
      $0.anything = $1 as Holder? as Any
    },
    Shape("Any with a small struct", "Holder.anything.owner → Holder", Holder.init) {
      $0.anything = Small(owner: $1)
    },
    Shape("Any with a large struct", "Holder.anything.owner → Holder", Holder.init) {
      $0.anything = Big(owner: $1)
    },
    Shape("a tuple", "Holder.tuple.1 → Holder", Holder.init) { $0.tuple = (1, $1, "text") },
    Shape(
      "a closure in a tuple",
      "Holder.closuresInTuple.1 → closure capture of Holder → Holder",
      Holder.init
    ) { root, other in root.closuresInTuple = (1, { use(other) }) },
    Shape("a struct", "Holder.plainPair.owner → Holder", Holder.init) { $0.plainPair.owner = $1 },
    Shape(
      "an optional struct",
      "Holder.pair.action → closure capture of Holder → Holder",
      Holder.init
    ) { root, other in root.pair = Pair(action: { use(other) }) },
    Shape("an optional struct that is gone", nil, Holder.init) { root, other in
      root.pair = Pair(action: { use(other) })
      root.pair = nil
    },
    Shape("an Optional of an Optional", "Holder.twice → Holder", Holder.init) {
      $0.twice = .some(.some($1))
    },
    Shape("an Optional of nothing", nil, Holder.init) { root, _ in root.twice = .some(nil) },
    Shape("a property wrapper", "Holder._wrapped.wrappedValue → Holder", Holder.init) {
      $0.wrapped = $1
    },
    Shape("a lazy property", "Holder.lazily → Holder", Holder.init) { root, other in
      root.source = other
      _ = root.lazily
      root.source = nil
    },
    Shape("any protocol, inline", "Holder.owning.owner → Holder", Holder.init) {
      $0.owning = Small(owner: $1)
    },
    Shape("any protocol, boxed", "Holder.owning.owner → Holder", Holder.init) {
      $0.owning = Big(owner: $1)
    },
    Shape("any protocol of classes", "Holder.owned → Holder", Holder.init) { $0.owned = $1 },
    Shape("several protocols of classes", "Holder.composed → Holder", Holder.init) {
      $0.composed = $1
    },
    Shape("an opaque result type", "Holder.anything.owner → Holder", Holder.init) {
      $0.anything = opaqueOwner($1)
    },
    Shape("any Error", "Holder.failure.owner → Holder", Holder.init) {
      $0.failure = Failure(owner: $1)
    },
    Shape("a Result", "Holder.result → Holder", Holder.init) { $0.result = .success($1) },
    Shape("a Result's error", "Holder.result.owner → Holder", Holder.init) {
      $0.result = .failure(Failure(owner: $1))
    },
    Shape("AnyHashable", "Holder.hashable → Box.value → Holder", Holder.init) {
      $0.hashable = AnyHashable(Box($1))
    },
  ]

  /// Enums, by how their cases are distinguished.
  static let enums: [Shape] = [
    Shape("a payload of many cases", "Holder.content.owner → Holder", Holder.init) {
      $0.content = .owner($1)
    },
    Shape("a payload behind a number", "Holder.content.numbered.1 → Holder", Holder.init) {
      $0.content = .numbered(7, $1)
    },
    Shape("an array as payload", "Holder.content.list[0] → Holder", Holder.init) {
      $0.content = .list([$1])
    },
    Shape(
      "a closure as payload",
      "Holder.content.action → closure capture of Holder → Holder",
      Holder.init
    ) { root, other in root.content = .action { use(other) } },
    Shape("an existential as payload", "Holder.content.existential.owner → Holder", Holder.init) {
      $0.content = .existential(Big(owner: $1))
    },
    Shape("a large struct as payload", "Holder.content.big.owner → Holder", Holder.init) {
      $0.content = .big(Big(owner: $1))
    },
    Shape("a text where an object was", nil, Holder.init) { root, other in
      root.content = .owner(other)
      root.content = .text("a text that is long enough to be on the heap \(root.count)")
    },
    Shape("no payload where an object was", nil, Holder.init) { root, other in
      root.content = .owner(other)
      root.content = .none
    },
    Shape("cases distinguished by spare bits, first", "Holder.either.left → Holder", Holder.init) {
      $0.either = .left($1)
    },
    Shape(
      "cases distinguished by spare bits, second",
      "Holder.either.right → Box.value → Holder",
      Holder.init
    ) { $0.either = .right(Box($1)) },
    Shape("an enum in an enum", "Holder.nested.either.right → Box.value → Holder", Holder.init) {
      $0.nested = .either(.right(Box($1)))
    },
    Shape("a large enum in an enum", "Holder.nested.content.numbered.1 → Holder", Holder.init) {
      $0.nested = .content(.numbered(3, $1))
    },
    Shape("an enum of one case", "Holder.oneCase.only → Holder", Holder.init) {
      $0.oneCase = .only($1)
    },
    Shape("an indirect case", "Holder.tree.node.2.node.1 → Holder", Holder.init) {
      $0.tree = .node(.node(.leaf, nil, .leaf), nil, .node(.leaf, $1, .leaf))
    },
  ]

  /// Collections.
  static let collections: [Shape] = [
    Shape("an array of objects", "Holder.models[1] → Holder", Holder.init) {
      $0.models = [Holder(), $1]
    },
    Shape("an array of Any", "Holder.list[2].owner → Holder", Holder.init) {
      $0.list = [1, "text", Small(owner: $1)]
    },
    Shape("an array of Any, boxed", "Holder.list[2].owner → Holder", Holder.init) {
      $0.list = [1, "text", Big(owner: $1)]
    },
    Shape("an array that gave an object up", nil, Holder.init) { root, other in
      root.models = [other, Holder()]
      root.models.removeFirst()
    },
    Shape("a ContiguousArray", "Holder.contiguous[0] → Holder", Holder.init) {
      $0.contiguous = [$1]
    },
    Shape("an ArraySlice", "Holder.slice[1] → Holder", Holder.init) {
      $0.slice = [Holder(), $1, Holder()][1...]
    },
    Shape("a dictionary's value", "Holder.byName[…] → Holder", Holder.init) { root, other in
      for number in 0..<200 { root.byName["key \(number)"] = Box(nil).value as? Holder }
      root.byName["other"] = other
    },
    Shape("a dictionary among many values", "Holder.byName[…] → Holder", Holder.init) {
      root,
      other in
      for number in 0..<200 { root.byName["key \(number)"] = Holder() }
      root.byName["other"] = other
    },
    Shape("a dictionary that gave a value up", nil, Holder.init) { root, other in
      root.byName["other"] = other
      root.byName["other"] = nil
    },
    Shape(
      "a dictionary of closures",
      "Holder.actions[…] → closure capture of Holder → Holder",
      Holder.init
    ) { root, other in root.actions[ObjectIdentifier(other)] = { use(other) } },
    Shape("a dictionary's key", "Holder.counts.keys[…] → Box.value → Holder", Holder.init) {
      $0.counts[Box($1)] = 1
    },
    Shape("a set", "Holder.boxes[…] → Box.value → Holder", Holder.init) {
      $0.boxes = [Box(nil), Box($1)]
    },
  ]
}

/// Objects that tests keep for unowned references to have something to refer to.
final class Kept: @unchecked Sendable {
  // Sendable: the tests that use it run one after the other.
  private var objects: [AnyObject] = []
  func keep(_ object: AnyObject) { objects.append(object) }
}

let kept = Kept()
