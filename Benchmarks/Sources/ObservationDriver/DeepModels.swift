import KVOSafety
import Observation
import OpenCombine

/// Has an object whose property is the end of a path, as `@KeyValueObservable` writes it.
final class Holder: KeyValueObservable {
  let observationRegistrar = ObservationRegistrar()
  static let ownerKey = ObservableKey("owner", \Holder.owner)
  static let observableKeys = ObservableKeyTable(ownerKey)

  private var storedOwner: Model?
  var owner: Model? {
    get { storedOwner }
    set {
      guard observationRegistrar.wasEverObserved else {
        storedOwner = newValue
        return
      }
      @inline(never)
      func change() {
        observationRegistrar.change(Self.ownerKey, of: self, value: storedOwner) {
          storedOwner = newValue
        }
      }
      change()
    }
  }

  init(owner: Model?) { storedOwner = owner }
}

/// Has a property that depends on two others.
final class SumModel: KeyValueObservable {
  let observationRegistrar = ObservationRegistrar()
  static let firstKey = ObservableKey("first", \SumModel.first)
  static let observableKeys = ObservableKeyTable(
    firstKey,
    ObservableKey("second", \SumModel.second),
    ObservableKey("sum", \SumModel.sum, affectedBy: ["first", "second"])
  )

  private var storedFirst = 0
  var first: Int {
    get { storedFirst }
    set {
      guard observationRegistrar.wasEverObserved else {
        storedFirst = newValue
        return
      }
      @inline(never)
      func change() {
        observationRegistrar.change(Self.firstKey, of: self, value: storedFirst) {
          storedFirst = newValue
        }
      }
      change()
    }
  }

  let second = 0
  var sum: Int { first + second }
}

/// Has a collection whose elements are observed.
final class ListModel: KeyValueObservable {
  let observationRegistrar = ObservationRegistrar()
  static let elementsKey = ObservableKey("elements", \ListModel.elements)
  static let observableKeys = ObservableKeyTable(elementsKey)

  private var storedElements = Array(repeating: 0, count: 100)
  var elements: [Int] {
    get { storedElements }
    _modify {
      observationRegistrar.willChange(Self.elementsKey, of: self)
      defer { observationRegistrar.didChange(Self.elementsKey, of: self) }
      yield &storedElements
    }
  }
}

/// OpenCombine's form of a path.
final class PublishedHolder {
  @Published var owner: PublishedModel?

  init(owner: PublishedModel?) { self.owner = owner }
}

/// OpenCombine's form of a property that depends on two others; 0.14 has no `combineLatest`.
final class PublishedSumModel {
  @Published var first = 0
  let second = 0
}

/// The standard library's form of a path.
@Observable
final class TrackedHolder: @unchecked Sendable {
  // Sendable: only the thread of the benchmark accesses it.
  var owner: TrackedModel?

  init(owner: TrackedModel?) { self.owner = owner }
}

@inline(never) func set(_ model: SumModel, _ value: Int) { model.first = value }
@inline(never) func set(_ model: PublishedSumModel, _ value: Int) { model.first = value }
@inline(never) func set(_ holder: Holder, _ owner: Model) { holder.owner = owner }
@inline(never) func set(_ holder: PublishedHolder, _ owner: PublishedModel) {
  holder.owner = owner
}
@inline(never) func set(_ holder: TrackedHolder, _ owner: TrackedModel) { holder.owner = owner }
