#if Macros
import Foundation
import KVOSafety
import Synchronization
import Testing

/// A subclass of Foundation's `Operation`, whose own `willChangeValue` and `didChangeValue` its queue needs.
@KeyValueObservable
private final class Download: Operation, @unchecked Sendable {
  // Sendable: the state is set by `start` alone, which the queue calls once.
  enum State { case ready, executing, finished }

  private(set) var state = State.ready {
    willSet {
      willChangeValue(for: \.isExecuting)
      willChangeValue(for: \.isFinished)
    }
    didSet {
      didChangeValue(for: \.isFinished)
      didChangeValue(for: \.isExecuting)
    }
  }
  @KeyValue(affectedBy: "state") override var isExecuting: Bool { state == .executing }
  @KeyValue(affectedBy: "state") override var isFinished: Bool { state == .finished }
  override var isAsynchronous: Bool { true }

  override func start() {
    state = .executing
    state = .finished
  }
}

@Suite("Operations of Foundation")
struct FoundationOperationTests {
  @Test("notify their queue and their observers of the keys that depend on their state")
  func queue() {
    let download = Download()
    let heard = Mutex<[Bool]>([])
    let token = download.observeOnAnyThread(\.isFinished, options: .new) { _, change in
      heard.withLock { $0.append(change.newValue == true) }
    }
    let queue = OperationQueue()
    let next = BlockOperation {}
    next.addDependency(download)
    queue.addOperations([download, next], waitUntilFinished: true)
    token.invalidateAndWait()
    #expect(heard.withLock { $0 } == [false, true])
    #expect(next.isFinished)
  }
}
#endif
