#if Macros
import KVOSafety
import Testing

// State machines in the manner of Foundation's `Operation`, whose notifications ProcedureKit (KVONotificationTests),
// AdvancedOperation and DICE (TestNSOperationKVO) test: which keys are notified, in which order, with which values.

/// By hand: a base class with keys that subclasses implement, and that announces them by name.
private class Operation: KeyValueObservable {
  let observationRegistrar = ObservationRegistrar()
  private static let keys = ObservableKeyTable(
    ObservableKey("isCancelled", \Operation.isCancelled),
    ObservableKey("isExecuting", \Operation.isExecuting),
    ObservableKey("isFinished", \Operation.isFinished),
    ObservableKey("isReady", \Operation.isReady)
  )
  class var observableKeys: ObservableKeyTable { keys }

  private var dependencies: [Operation] = []
  private var tokens: [ObservationToken] = []
  private(set) var isCancelled = false
  var isExecuting: Bool { false }
  var isFinished: Bool { false }
  var isReady: Bool { isCancelled || dependencies.allSatisfy(\.isFinished) }

  func addDependency(_ other: Operation) {
    willChangeValue(forKey: "isReady")
    dependencies.append(other)
    didChangeValue(forKey: "isReady")
    // The documented use of the notification before a change.
    tokens.append(
      other.observe(\.isFinished, options: .prior) { [weak self] _, change in
        if change.isPrior {
          self?.willChangeValue(forKey: "isReady")
        } else {
          self?.didChangeValue(forKey: "isReady")
        }
      }
    )
  }

  func cancel() {
    willChangeValue(for: \.isCancelled)
    isCancelled = true
    didChangeValue(for: \.isCancelled)
    willChangeValue(for: \.isReady)
    didChangeValue(for: \.isReady)
  }
}

private class AsyncOperation: Operation {
  private var executing = false
  private var finished = false

  override private(set) var isExecuting: Bool {
    get { executing }
    set {
      willChangeValue(forKey: "isExecuting")
      executing = newValue
      didChangeValue(forKey: "isExecuting")
    }
  }
  override private(set) var isFinished: Bool {
    get { finished }
    set {
      willChangeValue(forKey: "isFinished")
      finished = newValue
      didChangeValue(forKey: "isFinished")
    }
  }

  func start() {
    guard !isCancelled else { return isFinished = true }
    isExecuting = true
    complete()
  }

  private func complete() {
    willChangeValue(forKey: "isFinished")
    willChangeValue(forKey: "isExecuting")
    executing = false
    finished = true
    didChangeValue(forKey: "isExecuting")
    didChangeValue(forKey: "isFinished")
  }
}

/// With the macro: keys that depend on a state, and an override that narrows one of them.
@KeyValueObservable
private class StatefulOperation {
  enum State { case ready, executing, finished }
  @KeyValue(.ignored) private var stored = State.ready
  private(set) var state: State {
    get { stored }
    set {
      willChangeValue(for: \.state)
      stored = newValue
      didChangeValue(for: \.state)
    }
  }
  private(set) var isCancelled = false
  @KeyValue(affectedBy: "state", "isCancelled") var isReady: Bool { state == .ready }
  @KeyValue(affectedBy: "state") final var isExecuting: Bool { state == .executing }
  @KeyValue(affectedBy: "state") final var isFinished: Bool { state == .finished }

  final func start() {
    state = .executing
    main()
  }
  func main() {}
  final func finish() { if !isFinished { state = .finished } }
  func cancel() { isCancelled = true }
}

@KeyValueObservable
private class Download: StatefulOperation {
  var progress = 0.0 { didSet { if progress >= 1 { finish() } } }
  var isBlocked = false
  override var isReady: Bool { super.isReady && !isBlocked }
  @KeyValue(affectedBy: "isReady") var label: String { isReady ? "ready" : "blocked" }
  override func main() { progress = 0.5 }
}

/// Private flags that announce the public keys in their own observers.
@KeyValueObservable
private class Flags {
  private var _executing = false {
    willSet { willChangeValue(forKey: "isExecuting") }
    didSet { didChangeValue(forKey: "isExecuting") }
  }
  var isExecuting: Bool { _executing }
  func start() { _executing = true }
  func stop() { _executing = false }
}

@Suite("Operations as Foundation has them")
struct OperationScenarioTests {
  /// An observer of several keys that removes itself in its `deinit`.
  private final class Observer: KeyValueObserver {
    static let context = ObservationContext("operation")
    private let operation: any KeyValueObservable
    private let keys: [String]
    var heard: [String] = []

    init(_ operation: any KeyValueObservable, _ keys: String...) {
      self.operation = operation
      self.keys = keys
      for key in keys {
        operation.addObserver(
          self,
          forKeyPath: key,
          options: [.old, .new],
          context: Self.context
        )
      }
    }

    deinit { for key in keys { operation.removeObserver(self, forKeyPath: key) } }

    func observeValue(
      forKeyPath keyPath: String,
      of object: any KeyValueObservable,
      change: ObservedChange<Any>,
      context: ObservationContext?
    ) -> NotificationHandling {
      guard context == Self.context, object === operation else { return .unhandled }
      heard.append("\(keyPath) \(change.oldValue ?? "nil") → \(change.newValue ?? "nil")")
      return .handled
    }
  }

  @Test("an operation that runs is executing, not executing any more, and finished")
  func completes() {
    let operation = AsyncOperation()
    let observer = Observer(operation, "isCancelled", "isExecuting", "isFinished", "isReady")
    operation.start()
    #expect(
      observer.heard == [
        "isExecuting false → true", "isExecuting true → false", "isFinished false → true",
      ]
    )
  }

  @Test("one that is cancelled first is cancelled, ready and finished")
  func cancelled() {
    let operation = AsyncOperation()
    let observer = Observer(operation, "isCancelled", "isExecuting", "isFinished", "isReady")
    operation.cancel()
    operation.start()
    #expect(
      observer.heard == [
        "isCancelled false → true", "isReady true → true", "isFinished false → true",
      ]
    )
  }

  @Test("one that depends on another is not ready until that is finished")
  func dependencies() {
    let operation = AsyncOperation()
    let other = AsyncOperation()
    let observer = Observer(operation, "isExecuting", "isFinished", "isReady")
    operation.addDependency(other)
    other.start()
    operation.start()
    #expect(
      observer.heard == [
        "isReady true → false", "isReady false → true", "isExecuting false → true",
        "isExecuting true → false", "isFinished false → true",
      ]
    )
  }

  @Test("keys that depend on a state notify with it, an overridden one and its dependents as well")
  func stateful() {
    let download = Download()
    let keys = Observer(download, "state", "isReady", "isExecuting", "isFinished", "label")
    download.start()
    let began = [
      "state ready → executing", "isReady true → false", "isExecuting false → true",
      "isFinished false → false", "label ready → blocked",
    ]
    #expect(keys.heard == began)
    download.progress = 1
    let ended = [
      "state executing → finished", "isReady false → false", "isExecuting true → false",
      "isFinished false → true", "label blocked → blocked",
    ]
    #expect(keys.heard == began + ended)
    download.cancel()
    #expect(
      keys.heard.dropFirst(10) == ["isReady false → false", "label blocked → blocked"]
    )
  }

  @Test("private flags announce the keys that read them")
  func flags() {
    let flags = Flags()
    let observer = Observer(flags, "isExecuting")
    flags.start()
    flags.stop()
    #expect(observer.heard == ["isExecuting false → true", "isExecuting true → false"])
  }
}
#endif
