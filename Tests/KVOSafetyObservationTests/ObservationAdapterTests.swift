#if ObservationAdapter
import Foundation
import KVORules
import KVOSafety
import KVOSafetyObservation
import KVOSafetyTesting
import Observation
import Testing

@Observable
private final class Model: @unchecked Sendable {
  // Sendable: each test changes its own, on one thread at a time.
  var name = "Ada"
}

private final class Heard: @unchecked Sendable {
  // Sendable: each test uses its own, on its own thread.
  var count = 0
}

@Suite("Observation's trackings in log, census and rules")
struct ObservationAdapterTests {
  @Test("a tracking reports one change, and is in the census until then", .audited)
  func tracking() {
    let model = Model()
    let heard = Heard()
    let name = withRecordedObservationTracking(of: model, "name", owner: heard) {
      model.name
    } onChange: {
      heard.count += 1
    }
    #expect(name == "Ada")
    #expect(
      KVO.census().contains { $0.keyPath == "name" && $0.subject.hasPrefix("Model#") } == true
    )
    model.name = "Grace"
    model.name = "Barbara"
    #expect(heard.count == 1)
  }

  @Test("a tracking that waits forever is reported", .audited(expecting: .leakedRegistration))
  func forgotten() {
    let model = Model()
    _ = withRecordedObservationTracking(of: model, "name") {
      model.name
    } onChange: {
    }
    // Observation keeps it for as long as the model lives.
    KeepAlive.models.append(model)
  }

  @Test("an owner that tracks the same twice has two closures, each called", .audited)
  func doubled() {
    let model = Model()
    let owner = Heard()
    for _ in 0..<2 {
      _ = withRecordedObservationTracking(of: model, "name", owner: owner) {
        model.name
      } onChange: {
        owner.count += 1
      }
    }
    model.name = "Grace"
    #expect(owner.count == 2)
  }

  @Test("a tracking whose owner is deallocated calls its closure all the same", .audited)
  func ownerDies() {
    let model = Model()
    let heard = Heard()
    do {
      let owner = Heard()
      _ = withRecordedObservationTracking(of: model, "name", owner: owner) {
        model.name
      } onChange: {
        heard.count += 1
      }
    }
    model.name = "Grace"
    model.name = "Barbara"
    #expect(heard.count == 1)
  }

  @Test("the values of Observations are recorded until the iteration ends", .audited)
  func observations() async {
    let model = Model()
    let values = RecordedObservations(Observations { model.name }, of: model, "name")
    var heard: [String] = []
    for await name in values {
      heard.append(name)
      if heard.count == 2 { break }
      model.name = "Grace"
    }
    #expect(heard == ["Ada", "Grace"])
  }

  private static func parked(at line: Int) -> KVO.ParkedConsumers? {
    KVO.parked().first { $0.site == "ObservationAdapterTests.swift:\(line)" }
  }

  @Test("values that end by an error are recorded no longer, although they are kept")
  func failing() async {
    struct Failure: Error {}
    let model = Model()
    let (stream, continuation) = AsyncThrowingStream.makeStream(of: String.self)
    let values = RecordedObservations(stream, of: model, "failing name")
    let isRecorded = { KVO.census().contains { $0.keyPath == "failing name" } }
    continuation.yield("Ada")
    continuation.finish(throwing: Failure())
    var heard: [String] = []
    #expect(isRecorded())
    await #expect(throws: Failure.self) { for try await name in values { heard.append(name) } }
    #expect(heard == ["Ada"] && !isRecorded())
    withExtendedLifetime(values) {}
  }

  @Test("a loop over the values of Observations is counted while it waits")
  func parked() async {
    let model = Model()
    let line = #line + 1
    let values = RecordedObservations(Observations { model.name }, of: model, "name")
    let task = Task { for await name in values where name == "Grace" { break } }
    while Self.parked(at: line) == nil { await Task.yield() }
    #expect(Self.parked(at: line)?.awaited == "Model.name")
    model.name = "Grace"
    await task.value
    #expect(Self.parked(at: line) == nil)
  }

  @Test("loops over Observations and over messages are counted by noted(as:)")
  func noted() async {
    struct Message: NotificationCenter.AsyncMessage {
      typealias Subject = NSObject
      static var name: Notification.Name { Notification.Name("ObservationAdapterTests") }
      static func makeMessage(_ notification: Notification) -> Message? { Message() }
      static func makeNotification(_ message: Message) -> Notification { Notification(name: name) }
    }
    let model = Model()
    let line = #line + 1
    let values = Observations { model.name }.noted(as: "model")
    let first = Task { for await name in values where name == "Grace" { break } }
    while Self.parked(at: line) == nil { await Task.yield() }
    model.name = "Grace"
    await first.value
    #expect(Self.parked(at: line) == nil)
    let center = NotificationCenter()
    let otherLine = #line + 1
    let messages = center.messages(for: Message.self).noted(as: "messages")
    let second = Task { for await _ in messages { break } }
    while Self.parked(at: otherLine) == nil { await Task.yield() }
    center.post(Message())
    await second.value
    #expect(Self.parked(at: otherLine) == nil)
  }
}

private enum KeepAlive {
  nonisolated(unsafe) static var models: [Model] = []
}
#endif
