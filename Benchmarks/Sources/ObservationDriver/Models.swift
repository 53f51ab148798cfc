import KVOSafety
import Observation
import OpenCombine

/// A class that nobody can observe: what a set costs at the least.
final class Plain {
  var value = 0
}

/// What `@KeyValueObservable` makes of a class with one property, written out.
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

/// The same with the two calls around an assignment, as in code that was ported.
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
  // Sendable: only the thread of the benchmark touches it.
  var value = 0
}

// What sets is never inlined, so that no loop of sets is folded into one.

@inline(never) func set(_ model: Plain, _ value: Int) { model.value = value }
@inline(never) func set(_ model: Model, _ value: Int) { model.value = value }
@inline(never) func set(_ model: ManualModel, _ value: Int) { model.value = value }
@inline(never) func set(_ model: PublishedModel, _ value: Int) { model.value = value }
@inline(never) func set(_ model: TrackedModel, _ value: Int) { model.value = value }
