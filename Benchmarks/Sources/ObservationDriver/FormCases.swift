import BenchmarkDriver
import KVOSafety

/// The cost of other forms of observing: the classic one, and a controller.
enum FormCases {
  static func classicPair(_ run: MeasuredRun) {
    let model = Model()
    let observer = Observer()
    run.measure {
      for _ in 0..<run.operationCount {
        model.addObserver(observer, forKeyPath: "value")
        model.removeObserver(observer, forKeyPath: "value", context: nil)
      }
    }
  }

  static func classicDeepPair(_ run: MeasuredRun) {
    let holder = Holder(owner: Model())
    let observer = Observer()
    run.measure {
      for _ in 0..<run.operationCount {
        holder.addObserver(observer, forKeyPath: "owner.value")
        holder.removeObserver(observer, forKeyPath: "owner.value", context: nil)
      }
    }
  }

  static func controllerPair(_ run: MeasuredRun) {
    let model = Model()
    let owner = Observer()
    let controller = ObservationController(owner: owner)
    run.measure {
      for _ in 0..<run.operationCount {
        controller.observe(model, \.value) { _, _, _ in }
        controller.unobserve(model, \.value)
      }
    }
  }

  /// One operation is an addition with an initial notification, and a removal.
  static func initialPair(_ run: MeasuredRun) {
    let model = Model()
    model.value = 1
    let sum = Sum()
    run.measure {
      for _ in 0..<run.operationCount {
        model.observe(\.value, options: [.initial, .new]) { _, change in
          sum.value &+= change.newValue ?? 0
        }
        .invalidate()
      }
    }
    guard sum.value == run.operationCount else {
      MeasuredRun.fail("\(run.name): \(sum.value) initial notifications")
    }
  }

  static func classicSet(_ run: MeasuredRun) {
    let model = Model()
    let observer = Observer()
    model.addObserver(observer, forKeyPath: "value", options: [.new])
    run.measure { for value in 0..<run.operationCount { set(model, value) } }
    observer.sum.check(run)
    model.removeObserver(observer, forKeyPath: "value", context: nil)
  }

  static func controllerSet(_ run: MeasuredRun) {
    let model = Model()
    let owner = Observer()
    let controller = ObservationController(owner: owner)
    controller.observe(model, \.value, options: [.new]) { owner, _, change in
      owner.sum.value &+= change.newValue ?? 0
    }
    run.measure { for value in 0..<run.operationCount { set(model, value) } }
    owner.sum.check(run)
    withExtendedLifetime(controller) {}
  }

  private final class Observer: KeyValueObserver {
    let sum = Sum()

    func observeValue(
      forKeyPath keyPath: String,
      of object: any KeyValueObservable,
      change: ObservedChange<Any>,
      context: ObservationContext?
    ) -> NotificationHandling {
      sum.value &+= change.newValue as? Int ?? 0
      return .handled
    }
  }
}
