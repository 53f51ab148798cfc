import BenchmarkDriver
import Foundation
import KVOSafety
import Observation
import OpenCombine

/// The cost of a set with no, one or many observers.
enum SetCases {
  static func plain(_ run: MeasuredRun) {
    let model = Plain()
    run.measure { for value in 0..<run.operationCount { set(model, value) } }
  }

  static func unobserved(_ run: MeasuredRun) {
    let model = Model()
    run.measure { for value in 0..<run.operationCount { set(model, value) } }
  }

  /// One operation is one set, whatever the number of observers.
  static func observed(
    _ run: MeasuredRun,
    observers: Int = 1,
    options: ObservingOptions = [.new],
    isRecorded: Bool = false,
    hasRoom: Bool = true
  ) {
    if isRecorded { record(in: run, hasRoom: hasRoom) }
    let model = Model()
    let sum = Sum()
    let tokens = (0..<observers).map { _ in
      model.observe(\.value, options: options) { _, change in
        // There is no new value before the change.
        sum.value &+= change.newValue ?? 0
      }
    }
    run.measure { for value in 0..<run.operationCount { set(model, value) } }
    sum.check(run, observers: observers)
    withExtendedLifetime(tokens) {}
    KVO.stopRecording()
  }

  static func manual(_ run: MeasuredRun) {
    let model = ManualModel()
    let sum = Sum()
    let token = model.observe(\.value, options: [.new]) { _, change in
      sum.value &+= change.newValue ?? 0
    }
    run.measure { for value in 0..<run.operationCount { set(model, value) } }
    sum.check(run)
    withExtendedLifetime(token) {}
  }

  static func published(_ run: MeasuredRun, observers: Int = 1) {
    let model = PublishedModel()
    let sum = Sum()
    let sinks = (0..<observers).map { _ in model.$value.sink { sum.value &+= $0 } }
    run.measure { for value in 0..<run.operationCount { set(model, value) } }
    sum.check(run, observers: observers)
    withExtendedLifetime(sinks) {}
  }

  static func posted(_ run: MeasuredRun) {
    let center = NotificationCenter()
    let name = Notification.Name("value")
    let model = Plain()
    let sum = Sum()
    let token = center.addObserver(forName: name, object: model, queue: nil) { note in
      sum.value &+= (note.object as? Plain)?.value ?? 1
    }
    run.measure {
      for value in 0..<run.operationCount {
        set(model, value)
        center.post(name: name, object: model)
      }
    }
    sum.check(run)
    center.removeObserver(token)
  }

  static func tracked(_ run: MeasuredRun) {
    let model = TrackedModel()
    let sum = Sum()
    @Sendable func arm() {
      withObservationTracking {
        sum.value &+= model.value
      } onChange: {
        arm()
      }
    }
    arm()
    run.measure { for value in 0..<run.operationCount { set(model, value) } }
    // Its handler is called before the change, so the last value is not seen.
    guard sum.value > 0 || run.operationCount < 3 else {
      MeasuredRun.fail("nothing was observed")
    }
  }

  /// Each operation sets a property of each of as many objects as there are threads.
  static func onThreads(_ run: MeasuredRun, count: Int) {
    let began = MeasuredRun.nanoseconds(CLOCK_PROCESS_CPUTIME_ID)
    let workers = (0..<count).map { _ in
      Thread {
        let model = Model()
        let sum = Sum()
        let token = model.observe(\.value, options: [.new]) { _, change in
          sum.value &+= change.newValue ?? 0
        }
        for value in 0..<run.operationCount { set(model, value) }
        sum.check(run)
        withExtendedLifetime(token) {}
        ended.signal()
      }
    }
    for worker in workers { worker.start() }
    for _ in workers { ended.wait() }
    let time = (MeasuredRun.nanoseconds(CLOCK_PROCESS_CPUTIME_ID) - began) / UInt64(count)
    run.report(threadNanoseconds: time, processNanoseconds: time)
  }

  private static let ended = DispatchSemaphore(value: 0)
}
