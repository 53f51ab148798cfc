import BenchmarkDriver
import KVOSafety
import Observation
import OpenCombine

/// The cost of paths through several objects, and of keys that depend on others.
enum DeepCases {
  // MARK: An addition and a removal

  static func pair(_ run: MeasuredRun) {
    let holder = Holder(owner: Model())
    run.measure {
      for _ in 0..<run.operationCount { holder.observe(\.owner?.value) { _, _ in }.invalidate() }
    }
  }

  static func dependentPair(_ run: MeasuredRun) {
    let model = SumModel()
    run.measure {
      for _ in 0..<run.operationCount { model.observe(\.sum) { _, _ in }.invalidate() }
    }
  }

  static func switchPair(_ run: MeasuredRun) {
    let holder = PublishedHolder(owner: PublishedModel())
    run.measure {
      for _ in 0..<run.operationCount {
        holder.$owner.compactMap { $0?.$value }.switchToLatest().sink { _ in }.cancel()
      }
    }
  }

  static func mapPair(_ run: MeasuredRun) {
    let model = PublishedSumModel()
    run.measure {
      for _ in 0..<run.operationCount {
        model.$first.map { $0 + model.second }.sink { _ in }.cancel()
      }
    }
  }

  // MARK: A set

  /// One operation is a set of the property at the end of a path.
  static func end(_ run: MeasuredRun) {
    let model = Model()
    let holder = Holder(owner: model)
    let sum = Sum()
    let token = holder.observe(\.owner?.value, options: [.new]) { _, change in
      sum.value &+= (change.newValue ?? nil) ?? 0
    }
    run.measure { for value in 0..<run.operationCount { set(model, value) } }
    sum.check(run)
    withExtendedLifetime(token) {}
  }

  /// One operation is a replacement of the object in the middle of a path, one of two.
  static func middle(_ run: MeasuredRun) {
    let models = [Model(), Model()]
    models[1].value = 1
    let holder = Holder(owner: models[1])
    let sum = Sum()
    let token = holder.observe(\.owner?.value, options: [.new]) { _, change in
      sum.value &+= (change.newValue ?? nil) ?? 0
    }
    run.measure { for value in 0..<run.operationCount { set(holder, models[value & 1]) } }
    sum.checkHalves(run)
    withExtendedLifetime(token) {}
  }

  /// One operation is a set of a property that the observed one depends on.
  static func dependent(_ run: MeasuredRun) {
    let model = SumModel()
    let sum = Sum()
    let token = model.observe(\.sum, options: [.new]) { _, change in
      sum.value &+= change.newValue ?? 0
    }
    run.measure { for value in 0..<run.operationCount { set(model, value) } }
    sum.check(run)
    withExtendedLifetime(token) {}
  }

  /// One operation is a replacement of one element of a hundred.
  static func element(_ run: MeasuredRun) {
    let model = ListModel()
    let sum = Sum()
    let token = model.observe(\.elements, options: [.new]) { _, change in
      sum.value &+= change.newValue?.first ?? 0
    }
    let elements = model.mutableValues(of: \.elements)
    run.measure { for value in 0..<run.operationCount { elements[value % 100] = value } }
    sum.check(run)
    withExtendedLifetime(token) {}
  }

  static func switchEnd(_ run: MeasuredRun) {
    let model = PublishedModel()
    let holder = PublishedHolder(owner: model)
    let sum = Sum()
    let sink = holder.$owner.compactMap { $0?.$value }.switchToLatest().sink { sum.value &+= $0 }
    run.measure { for value in 0..<run.operationCount { set(model, value) } }
    sum.check(run)
    withExtendedLifetime(sink) {}
  }

  static func switchMiddle(_ run: MeasuredRun) {
    let models = [PublishedModel(), PublishedModel()]
    models[1].value = 1
    let holder = PublishedHolder(owner: models[0])
    let sum = Sum()
    let sink = holder.$owner.compactMap { $0?.$value }.switchToLatest().sink { sum.value &+= $0 }
    run.measure { for value in 0..<run.operationCount { set(holder, models[value & 1]) } }
    sum.checkHalves(run)
    withExtendedLifetime(sink) {}
  }

  static func mapped(_ run: MeasuredRun) {
    let model = PublishedSumModel()
    let sum = Sum()
    let sink = model.$first.map { $0 + model.second }.sink { sum.value &+= $0 }
    run.measure { for value in 0..<run.operationCount { set(model, value) } }
    sum.check(run)
    withExtendedLifetime(sink) {}
  }

  /// One operation is a set at the end of a path, which is observed again each time.
  static func trackedEnd(_ run: MeasuredRun) {
    let model = TrackedModel()
    let holder = TrackedHolder(owner: model)
    let sum = Sum()
    @Sendable func arm() {
      withObservationTracking {
        sum.value &+= holder.owner?.value ?? 0
      } onChange: {
        arm()
      }
    }
    arm()
    run.measure { for value in 0..<run.operationCount { set(model, value) } }
    // Its handler is called before the change, so the last value is not seen.
    sum.check(run, count: run.operationCount - 1)
  }
}
