#if OpenCombineAdapter
import KVOSafety
import KVOSafetyOpenCombine
import KVOSafetyTesting
import OpenCombine
import Testing

private final class Model: ObservableObject {
  let name = CurrentValueSubject<String, Never>("Ada")
}

@Suite("OpenCombine's subscriptions in log, census and rules")
struct OpenCombineAdapterTests {
  @Test(
    "values come until the subscription is cancelled, and it is in the census until then",
    .audited
  )
  func delivers() {
    let model = Model()
    var heard: [String] = []
    let subscription = model.name.recordedSink(of: model, "name") { heard.append($0) }
    #expect(
      KVO.census().contains { $0.keyPath == "name" && $0.subject.hasPrefix("Model#") } == true
    )
    model.name.send("Grace")
    subscription.cancel()
    model.name.send("Barbara")
    #expect(heard == ["Ada", "Grace"])
  }

  @Test("a subscription that completes has ended", .audited)
  func completes() {
    let model = Model()
    let subscription = model.name.recordedSink(of: model, "name") { _ in }
    model.name.send(completion: .finished)
    KeepAlive.subscriptions.append(subscription)
  }

  @Test("an owner that subscribes twice has two closures, each called", .audited)
  func doubled() {
    let model = Model()
    var count = 0
    let subscriptions = [0, 1].map { _ in
      model.name.recordedSink(of: model, "name", owner: model.name) { _ in count += 1 }
    }
    let before = count
    model.name.send("Grace")
    #expect(count == before + 2)
    subscriptions.forEach { $0.cancel() }
  }

  @Test("values come after the owner is deallocated, too")
  func ownerDies() {
    let model = Model()
    var heard: [String] = []
    var owner: Model? = Model()
    let subscription = model.name.recordedSink(of: model, "name", owner: owner) { heard.append($0) }
    owner = nil
    model.name.send("Grace")
    subscription.cancel()
    #expect(heard == ["Ada", "Grace"] && owner == nil)
  }

  @Test("values of an optional type and of type Any come as they are")
  func anyValues() {
    let model = Model()
    let anything = PassthroughSubject<Any, Never>()
    let optional = PassthroughSubject<Int??, Never>()
    var heard: [String] = []
    let subscriptions = [
      anything.recordedSink(of: model, "anything") { heard.append("\($0)") },
      optional.recordedSink(of: model, "optional") { heard.append("\($0 == nil)") },
    ]
    anything.send(3)
    optional.send(nil)
    optional.send(.some(nil))
    #expect(heard == ["3", "true", "false"])
    subscriptions.forEach { $0.cancel() }
  }

  @Test(
    "a subscription that its scope does not end is reported",
    .audited(expecting: .leakedRegistration)
  )
  func forgotten() {
    let model = Model()
    KeepAlive.models.append(model)
    KeepAlive.subscriptions.append(model.name.recordedSink(of: model, "name") { _ in })
  }
}

private enum KeepAlive {
  nonisolated(unsafe) static var subscriptions: [AnyCancellable] = []
  nonisolated(unsafe) static var models: [Model] = []
}
#endif
