import Dispatch
import Foundation
import Observation
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

  @Test("a block that its object holds is a cycle, and one that captured it weakly is none")
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
    #expect(RetainSearch().findCycles(from: worker).verdict == .noneFound)
    queue.suspend()
    queue.async { worker.poke() }
    let answer = RetainSearch().findCycles(from: worker)
    #expect(answer.verdict != .noneFound, "\(answer)")
    worker.queue = nil
    queue.resume()
    queue.sync {}
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

  private final class Model: Observable, @unchecked Sendable {
    // Sendable: as Worker.
    private let registrar = ObservationRegistrar()
    private var stored = 0

    var count: Int {
      registrar.access(self, keyPath: \.count)
      return stored
    }
  }

  @Test("a tracked read of an observable object is no cycle, and one that captured it is")
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
    let process = try SnapshotProcess.begin {
      AnswerBytes(RetainSearch().findCycles(from: model)).bytes
    }.get()
    let answer = process.end(by: .now + .seconds(50))
    end.signal()
    guard case .answer(let bytes) = answer else {
      Issue.record("there is no answer: \(answer)")
      return
    }
    #expect(AnswerBytes.answer(of: bytes)?.verdict == .cycles)
  }
}
