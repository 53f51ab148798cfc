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
    let isHeard = DispatchSemaphore(value: 0)
    let token = download.observeOnAnyThread(\.isFinished, options: .new) { _, change in
      heard.withLock { $0.append(change.newValue == true) }
      if change.newValue == true { isHeard.signal() }
    }
    let queue = OperationQueue()
    let next = BlockOperation {}
    next.addDependency(download)
    queue.addOperations([download, next], waitUntilFinished: true)
    // The methods of `Operation` wake the queue inside the change, before observers are notified of it.
    isHeard.wait()
    token.invalidateAndWait()
    #expect(heard.withLock { $0 } == [false, true])
    #expect(next.isFinished)
  }

  @Test(
    "a key that an operation announces by methods of Operation is warned of, and can be left out",
    arguments: [
      "@KeyValue(.manual) var isDone = false { willSet { willChangeValue(forKey: \"isDone\") } }",
      "override var isDone: Bool { get { done } set { self.willChangeValue(for: \\.isDone) } }",
      "var isDone: Bool { done }\nfunc end() { super.willChangeValue(forKey: \"isDone\") }",
      """
      override var isDone: Bool { done }
      private var done = false { willSet { willChangeValue(for: \\Task.isDone) } }
      """,
    ],
    ["Operation", "Foundation.Operation", "BlockOperation"]
  )
  func announced(members: String, superclass: String) {
    let said = Said()
    let head = "@KeyValueObservable\nclass Task: \(superclass) {\n"
    said.expand("\(head)\(members)\n}", applying: "leave it out of observation")
    #expect(
      said.messages == [
        """
        'isDone' is announced by the methods of 'Operation', which notify its queue and no observer: \
        declare what it depends on, as in '@KeyValue(affectedBy: "state")', or mark it \
        '@KeyValue(.ignored)'
        """
      ]
    )
    // A property has one attribute: the one of a marked property is the writer's to change.
    let mark = members.hasPrefix("@KeyValue") ? "" : "@KeyValue(.ignored) "
    #expect(said.fixed == "\(head)\(mark)\(members)\n}")
  }

  @Test(
    "there is no warning for a key that notifies otherwise, or for another superclass",
    arguments: [
      "class Task: Operation { var done = false { willSet { willChangeValue(for: \\.done) } } }",
      """
      class Task: Operation {
        var done: Bool { true }
        func end() {
          other.willChangeValue(for: \\.done)
          willChangeValue(forKey: name)
        }
      }
      """,
      "class Task: Operation { override var isAsynchronous: Bool { true } }",
      """
      class Task: Operation {
        @KeyValue(.ignored) override var done: Bool { true }
        func end() { willChangeValue(forKey: "done") }
      }
      """,
      """
      class Task: Operation {
        var state = 0 { willSet { willChangeValue(for: \\.done) } }
        @KeyValue(affectedBy: "state") override var done: Bool { state == 1 }
      }
      """,
      "class Task: Job { var done: Bool { true }\nfunc end() { willChangeValue(for: \\.done) } }",
      "class Task { var done: Bool { true }\nfunc end() { willChangeValue(for: \\.done) } }",
    ]
  )
  func notified(declaration: String) {
    let said = Said()
    said.expand("@KeyValueObservable\n\(declaration)", applying: nil)
    #expect(said.messages == [])
  }
}
#endif
