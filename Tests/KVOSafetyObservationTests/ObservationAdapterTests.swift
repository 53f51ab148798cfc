#if ObservationAdapter
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
}

private enum KeepAlive {
  nonisolated(unsafe) static var models: [Model] = []
}
#endif
