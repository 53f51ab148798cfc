import CKVORetention
import Dispatch
import Foundation
import FoundationNetworking
import Observation
import Synchronization
import Testing

@testable import KVORetention
@testable import RetentionProbe

@Suite("What libraries keep", .serialized)
struct DoubtTests {
  private final class Worker: @unchecked Sendable {
    // Sendable: one test at a time has it.
    var item: DispatchWorkItem?
    var queue: DispatchQueue?
    var block: (@convention(block) () -> Void)?
    func poke() {}
  }

  @Test("a work item that its object holds is a cycle, and the closure is drawn")
  func workItem() {
    let worker = Worker()
    worker.item = DispatchWorkItem { worker.poke() }
    let answer = RetainSearch().findCycles(from: worker)
    #expect(
      answer.cycles.map(\.description) == [
        "Worker.item → DispatchWorkItem._block → closure capture of Worker → Worker"
      ]
    )
    worker.item = DispatchWorkItem { [weak worker] in worker?.poke() }
    #expect(RetainSearch().findCycles(from: worker).verdict == .noneFound)
  }

  @Test("a block that its object holds is a cycle, and one that captured it weakly is not")
  func block() {
    let worker = Worker()
    worker.block = { worker.poke() }
    #expect(
      RetainSearch().findCycles(from: worker).cycles.map(\.description)
        == ["Worker.block → closure capture of Worker → Worker"]
    )
    worker.block = { [weak worker] in worker?.poke() }
    #expect(RetainSearch().findCycles(from: worker).verdict == .noneFound)
  }

  @Test("a queue without work hides nothing, and one with work does")
  func queue() {
    let worker = Worker()
    let queue = DispatchQueue(label: "worker")
    worker.queue = queue
    let idle = RetainSearch().findCycles(from: worker)
    #expect(idle.verdict == .noneFound, "\(idle)")
    queue.suspend()
    queue.async { worker.poke() }
    let answer = RetainSearch().findCycles(from: worker)
    #expect(answer.verdict != .noneFound, "\(answer)")
    worker.queue = nil
    queue.resume()
    queue.sync {}
  }

  @Test("the label of a queue holds nothing, and what is set for the queue does")
  func queueLabel() throws {
    var layout = KVOSQueueLayout()
    try #require(kvos_note_queue_layout(&layout) != 0)
    let worker = Worker()
    let queue = DispatchQueue(label: "a text of 24 bytes, all.")
    worker.queue = queue
    // After the metadata and the reference count.
    let wrapped = unsafeBitCast(queue, to: UnsafePointer<UnsafePointer<UInt>>.self)[2]
    let label = try #require(
      UnsafeMutablePointer<UInt>(bitPattern: wrapped[layout.labelOffset / 8])
    )
    try #require(
      String(cString: UnsafeRawPointer(label).assumingMemoryBound(to: CChar.self)) == queue.label
    )
    // As the allocator leaves it after a shorter text.
    label[1] = UInt(bitPattern: Unmanaged.passUnretained(worker).toOpaque())
    let benign = RetainSearch().findCycles(from: worker)
    #expect(benign.verdict == .noneFound, "\(benign)")
    let key = DispatchSpecificKey<Worker>()
    queue.setSpecific(key: key, value: worker)
    let answer = RetainSearch().findCycles(from: worker)
    #expect(answer.verdict != .noneFound, "\(answer)")
    queue.setSpecific(key: key, value: nil)
  }

  @Test("a task that ended holds what it returned, and nothing else")
  func endedTask() async {
    let holder = Holder()
    let task = Task { [holder] in holder.poke() }
    await task.value
    holder.task = task
    #expect(RetainSearch().findCycles(from: holder).verdict == .noneFound)
    let returned = Task { [holder] in holder }
    _ = await returned.value
    holder.object = Box(nil)
    holder.anything = returned
    #expect(
      RetainSearch().findCycles(from: holder).cycles.map(\.description)
        == ["Holder.anything → Task → Holder"]
    )
    holder.anything = 0
  }

  private final class Numbers: Sendable {
    let numbers = Mutex([1, 2, 3])
    let count = Atomic(3)
  }

  @Test("numbers in a lock-protected value hide nothing")
  func lockedNumbers() {
    #expect(RetainSearch().findCycles(from: Numbers()).verdict == .noneFound)
  }

  /// Memory that leads to more memory, and at the end to an object.
  private struct Link {
    var next: UnsafeMutablePointer<Link>?
    var owner: Unmanaged<AnyObject>?
    /// Fills the allocation, which has no words of an earlier one then.
    var number = 1
  }

  private final class Chained {
    /// Bytes without a description, which are followed less far than a pointer.
    let bytes: Mutex<UInt>
    let next: Chained?
    let pointer: UnsafeMutablePointer<Link>?

    init(bytes: UInt, next: Chained?, pointer: UnsafeMutablePointer<Link>?) {
      self.bytes = Mutex(bytes)
      self.next = next
      self.pointer = pointer
    }
  }

  @Test("a pointer is followed as far if other bytes led to its memory before")
  func chain() {
    let links = (0..<8).map { _ in UnsafeMutablePointer<Link>.allocate(capacity: 1) }
    for (number, link) in links.enumerated() {
      let next = number + 1 < links.count ? links[number + 1] : nil
      link.initialize(to: Link(next: next))
    }
    let last = Chained(bytes: 0, next: nil, pointer: links[0])
    let root = Chained(bytes: UInt(bitPattern: links[0]), next: last, pointer: nil)
    let open = RetainSearch().findCycles(from: root)
    #expect(open.verdict == .noneFound, "\(open)")
    let owner: Unmanaged<AnyObject> = .passRetained(root)
    links[7].pointee.owner = owner
    let closed = RetainSearch().findCycles(from: root)
    #expect(closed.verdict != .noneFound, "\(closed)")
    for link in links { link.deallocate() }
    owner.release()
  }

  @Test("a task that was cancelled and ended holds nothing")
  func cancelledTask() async {
    let holder = Holder()
    let task = Task { [holder] in
      try? await Task.sleep(nanoseconds: 1 << 60)
      holder.poke()
    }
    task.cancel()
    await task.value
    holder.task = task
    #expect(RetainSearch().findCycles(from: holder).verdict == .noneFound)
  }

  private final class Model: Observable, @unchecked Sendable {
    // Sendable: as Worker.
    private let registrar = ObservationRegistrar()
    private var stored = 0

    var count: Int {
      registrar.access(self, keyPath: \.count)
      return stored
    }
  }

  @Test("a tracked read of an observable object is not a cycle, and one that captured it is")
  func tracking() {
    let model = Model()
    withObservationTracking {
      use(model.count)
    } onChange: {
    }
    let benign = RetainSearch().findCycles(from: model)
    #expect(benign.cycles.isEmpty, "\(benign)")
    withObservationTracking {
      use(model.count)
    } onChange: {
      use(model)
    }
    let answer = RetainSearch().findCycles(from: model)
    #expect(answer.verdict != .noneFound, "\(answer)")
    #expect(
      answer.cycles.allSatisfy { $0.edges.contains { $0.from.className == "Model" } },
      "\(answer)"
    )
  }

  private final class Client: @unchecked Sendable {
    // Sendable: as Worker.
    var task: URLSessionDataTask?
    func poke() {}
  }

  private static func settle(_ session: URLSession) async {
    await withCheckedContinuation { done in session.getAllTasks { _ in done.resume() } }
  }

  @Test("a request is known to its session until it ends, which is not a cycle of a program's")
  func request() async throws {
    let session = URLSession(configuration: .ephemeral)
    defer { session.invalidateAndCancel() }
    let url = try #require(URL(string: "http://127.0.0.1:9/"))
    let client = Client()
    client.task = session.dataTask(with: url) { [weak client] _, _, _ in client?.poke() }
    // A session takes a task in on its own queue; so it answers.
    await Self.settle(session)
    let benign = RetainSearch().findCycles(from: client)
    #expect(benign.cycles.isEmpty, "\(benign)")
    client.task = session.dataTask(with: url) { _, _, _ in client.poke() }
    await Self.settle(session)
    let answer = RetainSearch().findCycles(from: client)
    #expect(answer.verdict == .cycles, "\(answer)")
    #expect(
      answer.cycles.allSatisfy { $0.edges.contains { $0.from.className == "Client" } },
      "\(answer)"
    )
    client.task = nil
  }

  @Test("a child that is forked in the middle of a walk can walk itself")
  func forked() throws {
    let model = ViewModel()
    model.observation = Token { model.poke() }
    defer { model.observation = nil }
    let (started, end) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    Thread.detachNewThread {
      PlanStore.withShared { _ in
        started.signal()
        end.wait()
      }
    }
    started.wait()
    defer { end.signal() }
    // Other tests run at the same time, and may have a lock of the Swift runtime: then a copy is made again.
    let answer = try SnapshotProcess.answer(within: .seconds(50), decode: AnswerBytes.answer) {
      SnapshotProcess.begin { AnswerBytes(RetainSearch().findCycles(from: model)).bytes }
    }
    #expect(answer.verdict == .cycles)
  }
}
