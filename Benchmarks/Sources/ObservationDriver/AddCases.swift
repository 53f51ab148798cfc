import BenchmarkDriver
import Foundation
import KVOSafety
import OpenCombine

/// The cost of beginning and ending an observation.
enum AddCases {
  /// One operation is an addition and a removal; `others` are registered on the same key at that
  /// time.
  static func pair(_ run: MeasuredRun, others: Int = 0, isRecorded: Bool = false) {
    if isRecorded { record(in: run) }
    let model = Model()
    let tokens = (0..<others).map { _ in model.observe(\.value) { _, _ in } }
    run.measure {
      for _ in 0..<run.operationCount { model.observe(\.value) { _, _ in }.invalidate() }
    }
    withExtendedLifetime(tokens) {}
    KVO.stopRecording()
  }

  /// One operation is an addition, a set and a removal.
  static func cycle(_ run: MeasuredRun, isRecorded: Bool = false, hasRoom: Bool = true) {
    if isRecorded { record(in: run, hasRoom: hasRoom) }
    let model = Model()
    run.measure {
      for value in 0..<run.operationCount {
        let token = model.observe(\.value) { _, _ in }
        set(model, value)
        token.invalidate()
      }
    }
    KVO.stopRecording()
  }

  /// One operation is one addition; none is removed before the end.
  static func additions(_ run: MeasuredRun) {
    let model = Model()
    var tokens: [ObservationToken] = []
    tokens.reserveCapacity(run.operationCount)
    run.measure {
      for _ in 0..<run.operationCount { tokens.append(model.observe(\.value) { _, _ in }) }
    }
    withExtendedLifetime(tokens) {}
  }

  static func sinkPair(_ run: MeasuredRun) {
    let model = PublishedModel()
    run.measure {
      for _ in 0..<run.operationCount { model.$value.sink { _ in }.cancel() }
    }
  }

  static func notificationPair(_ run: MeasuredRun) {
    let center = NotificationCenter()
    let name = Notification.Name("value")
    let model = Plain()
    run.measure {
      for _ in 0..<run.operationCount {
        let token = center.addObserver(forName: name, object: model, queue: nil) { _ in }
        center.removeObserver(token)
      }
    }
  }
}
