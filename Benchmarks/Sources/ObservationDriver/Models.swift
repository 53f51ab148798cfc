import KVOSafety
import Observation
import OpenCombine

/// A class that cannot be observed: the minimum cost of a set.
final class Plain {
  var value = 0
}

/// The expansion of `@KeyValueObservable` for a class with one property.
final class Model: KeyValueObservable {
  let observationRegistrar = ObservationRegistrar()
  static let valueKey = ObservableKey("value", \Model.value)
  static let observableKeys = ObservableKeyTable(valueKey)

  private var storedValue = 0
  var value: Int {
    get { storedValue }
    set {
      guard observationRegistrar.wasEverObserved else {
        storedValue = newValue
        return
      }
      @inline(never)
      func change() {
        observationRegistrar.change(Self.valueKey, of: self, value: storedValue) {
          storedValue = newValue
        }
      }
      change()
    }
  }
}

/// The same with the two calls around an assignment, as in ported code.
final class ManualModel: KeyValueObservable {
  let observationRegistrar = ObservationRegistrar()
  static let observableKeys = ObservableKeyTable(ObservableKey("value", \ManualModel.value))

  var value = 0 {
    willSet { willChangeValue(for: \.value) }
    didSet { didChangeValue(for: \.value) }
  }
}

/// OpenCombine's form.
final class PublishedModel {
  @Published var value = 0
}

/// The standard library's form.
@Observable
final class TrackedModel: @unchecked Sendable {
  // Sendable: only the thread of the benchmark accesses it.
  var value = 0
}

// The setting functions are never inlined, so that no loop of sets is folded into one.

@inline(never) func set(_ model: Plain, _ value: Int) { model.value = value }
@inline(never) func set(_ model: Model, _ value: Int) { model.value = value }
@inline(never) func set(_ model: ManualModel, _ value: Int) { model.value = value }
@inline(never) func set(_ model: PublishedModel, _ value: Int) { model.value = value }
@inline(never) func set(_ model: TrackedModel, _ value: Int) { model.value = value }
