import KVOSafety
import KVOSafetyNotifications
import KVOSafetyObjectiveC
import KVOSafetyObservation
import KVOSafetyOpenCombine
import Testing

#if NotificationAdapter
import Foundation
#endif
#if ObservationAdapter
import Observation
#endif
#if OpenCombineAdapter
import OpenCombine
#endif

/// The calls of the guide's table on what is not key-value observing, as people write them.
@Suite("The guide's calls: adapters")
struct AdapterCallTests {
  #if NotificationAdapter
  @Test("notifications")
  func notifications() {
    let center = NotificationCenter()
    let name = Notification.Name("name")
    let owner = center
    let observation = center.addRecordedObserver(
      forName: name,
      object: nil,
      queue: nil,
      owner: owner,
      using: { _ in }
    )
    center.removeRecordedObserver(observation)
    #expect(!observation.isActive)
  }
  #endif

  @Test("an object of an Objective-C runtime: without one there is an error")
  func objectiveC() {
    let account = UnsafeMutableRawPointer.allocate(byteCount: 16, alignment: 8)
    defer { account.deallocate() }
    #expect(throws: ObjectiveCError.self) {
      try ObjectiveCObject(account).observe(keyPath: "balance") { _, _ in }
    }
  }

  #if ObservationAdapter
  @Test("the standard library's Observation")
  func observation() async {
    let model = Model()
    _ = withRecordedObservationTracking(of: model, "name") {
      model.name
    } onChange: {
    }
    for await name in RecordedObservations(Observations { model.name }, of: model, "name") {
      #expect(name == "Ada")
      break
    }
    model.name = "Grace"
  }

  @Observable
  final class Model: @unchecked Sendable {
    // Sendable: the test changes it on one thread.
    var name = "Ada"
  }
  #endif

  #if OpenCombineAdapter
  @Test("OpenCombine")
  func openCombine() {
    let model = AnyModel()
    let publisher = CurrentValueSubject<String, Never>("Ada")
    var names: [String] = []
    let subscription = publisher.recordedSink(of: model, "name") { names.append($0) }
    subscription.cancel()
    publisher.send("Grace")
    #expect(names == ["Ada"])
  }

  final class AnyModel {}
  #endif
}
