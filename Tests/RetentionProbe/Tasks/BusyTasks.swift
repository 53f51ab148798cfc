import KVORetention
import Synchronization

/// Searches while tasks begin, continue and end: `RetentionProbe tasks-busy <searches>`.
///
/// A screen has tasks that continue and end while they are read; all else that leads from it is at rest. Of all tasks of the
/// process, which begin and end meanwhile, none holds the screen. A line: how many searches were made, how many streams
/// were consumed meanwhile, and how many tasks or cycles were claimed.
final class BusyTasks: Sendable {
  private static let workerCount = 4
  private let isEnded = Atomic<Bool>(false)
  private let consumed = Atomic<Int>(0)

  /// Returns whether none was reported.
  func report(searchCount: Int) async -> Bool {
    let workers = (0..<Self.workerCount).map { _ in
      Task.detached {
        while !self.isEnded.load(ordering: .acquiring) { await self.consume() }
      }
    }
    var reported = 0
    for _ in 0..<searchCount {
      let held = TaskScreen(Feed())
      let other = TaskScreen(Feed())
      let (values, continuation) = AsyncStream.makeStream(of: Int.self)
      held.tasks = (0..<4).map { number in
        Task.detached { [weak held, other] in
          for _ in 0..<10 * number {
            await Task.yield()
            use((held, other))
          }
        }
      }
      held.tasks.append(Task.detached { for await _ in values { use(other) } })
      for value in 0..<3 {
        reported += RetainSearch().findTasks(holding: held).holders.filter(\.isProven).count
        let answer = RetainSearch().findCycles(from: held)
        reported += answer.cycles.count + answer.taskCycles.count(where: \.isProven)
        continuation.yield(value)
      }
      continuation.finish()
    }
    isEnded.store(true, ordering: .releasing)
    for worker in workers { await worker.value }
    let count = consumed.load(ordering: .relaxed)
    print("busy\t\(searchCount)\t\(count)\t\(reported)")
    return reported == 0 && count > 0
  }

  private func consume() async {
    let screen = TaskScreen(Feed())
    let (values, continuation) = AsyncStream.makeStream(of: Int.self)
    screen.task = Task { [weak screen] in for await value in values { screen?.show(value) } }
    screen.tasks.append(Task { for await value in values { screen.seen += value } })
    for value in 0..<3 {
      continuation.yield(value)
      await Task.yield()
    }
    continuation.finish()
    await screen.task?.value
    for task in screen.tasks { await task.value }
    consumed.add(2, ordering: .relaxed)
  }
}
