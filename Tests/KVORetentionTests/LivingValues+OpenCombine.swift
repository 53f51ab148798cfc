#if OpenCombineAdapter
import KVORetention
import OpenCombine
import Testing

@testable import RetentionProbe

/// Values of OpenCombine, in a build that has it.
extension LivingValues {
  static let openCombineGroups: [(group: String, values: @Sendable () -> [Any])] = [
    ("OpenCombine", openCombine)
  ]

  private static func openCombine() -> [Any] {
    let subject = PassthroughSubject<Int, Never>()
    let current = CurrentValueSubject<Box, Never>(Box(nil))
    let model = Model()
    let box = Box(nil)
    let ended = PassthroughSubject<Box, Never>()
    let endedSink = ended.sink { box.value = $0 }
    ended.send(completion: .finished)
    let cancelled = current.sink { box.value = $0 }
    cancelled.cancel()
    var bag: Set<AnyCancellable> = []
    subject.sink { _ in box.value = nil }.store(in: &bag)
    subject.send(1)
    return [
      subject, current, ended, endedSink, cancelled, bag, model, model.$box, model.objectWillChange,
      subject.sink { _ in box.value = nil }, current.sink { box.value = $0 },
      model.$box.sink { box.value = $0 }, model.objectWillChange.sink { _ in box.value = nil },
      current.map { $0.value }, current.map { $0.value }.sink { box.value = $0 },
      subject.removeDuplicates().filter { $0 > 1 }.sink { _ in box.value = nil },
      subject.map { "\($0)" }.assign(to: \.name, on: model), subject.eraseToAnyPublisher(),
      Just(box), Empty<Box, Never>(), Published(initialValue: box),
      AnyCancellable { box.value = nil },
      subject.buffer(size: 2, prefetch: .keepFull, whenFull: .dropNewest).sink { _ in },
      Subscribers.Demand.unlimited, Subscribers.Completion<Never>.finished,
      Future<Box, Never> { $0(.success(box)) },
    ]
  }

  private final class Model: ObservableObject {
    @Published var box = Box(nil)
    var name = ""
  }
}

@Suite("OpenCombine's subscriptions")
struct OpenCombineCycleTests {
  private final class Screen {
    let titles = PassthroughSubject<String, Never>()
    var title = ""
    var subscriptions: Set<AnyCancellable> = []
  }

  @Test("a sink keeps what it captures strongly, and nothing else")
  func sink() {
    let screen = Screen()
    screen.titles.sink { [weak screen] in screen?.title = $0 }.store(in: &screen.subscriptions)
    #expect(RetainSearch().findPath(to: screen, from: screen.titles).path == nil)
    screen.titles.sink { screen.title = $0 }.store(in: &screen.subscriptions)
    let path = RetainSearch().findPath(to: screen, from: screen.titles).path
    #expect(
      path?.description.hasSuffix("closure capture of Screen → Screen") == true,
      "\(path as Any)"
    )
    screen.subscriptions = []
    #expect(RetainSearch().findPath(to: screen, from: screen.titles).path == nil)
  }

  @Test("a subject and its subscription hold each other until that is cancelled")
  func subject() {
    let titles = PassthroughSubject<String, Never>()
    let subscription = titles.sink { _ in }
    #expect(
      RetainSearch().findCycles(from: titles).cycles.map(\.description) == [
        "PassthroughSubject<String, Never>.downstreams.single → "
          + "Conduit<Sink<String, Never>>.parent → PassthroughSubject<String, Never>",
        "Conduit<Sink<String, Never>>.downstream → "
          + "Sink<String, Never>.status.subscribed → Conduit<Sink<String, Never>>",
      ]
    )
    subscription.cancel()
    #expect(RetainSearch().findCycles(from: titles).cycles == [])
  }
}
#else
extension LivingValues {
  static let openCombineGroups: [(group: String, values: @Sendable () -> [Any])] = []
}
#endif
