// Forms in which a task waits for something else than the next value of a stream.

/// An actor that takes values in a loop of its own.
private actor Store {
  private let screen: TaskScreen
  init(_ screen: TaskScreen) { self.screen = screen }
  func loop(_ values: AsyncStream<Int>) async {
    for await value in values { screen.show(value) }
  }
}

/// Values that a closure computes.
private struct Polled: AsyncSequence, Sendable {
  let next: @Sendable () async -> Int?
  struct AsyncIterator: AsyncIteratorProtocol {
    let poll: @Sendable () async -> Int?
    func next() async -> Int? { await poll() }
  }
  func makeAsyncIterator() -> AsyncIterator { AsyncIterator(poll: next) }
}

private struct WeakScreen: Sendable {
  weak let screen: TaskScreen?
}

/// Begins a task in generic code, where the closure has its isolation before its generic arguments.
@inline(never)
@_semantics("optimize.sil.specialize.generic.never")
private func begin<Value: Sendable>(
  _ value: Value,
  _ body: @escaping @Sendable (Value) async -> Void
) -> Task<Void, Never> {
  Task { await body(value) }
}

extension TaskForm {
  static let delays: [TaskForm] = [
    TaskForm("a timer of a sleeping task") { screen, feed, leaks in
      if leaks {
        let task = Task {
          while !Task.isCancelled {
            screen.show(1)
            try? await Task.sleep(nanoseconds: 1 << 60)
          }
        }
        screen.task = task
        feed.cancelLater(task)
      } else {
        let task = Task { [weak screen] in
          while !Task.isCancelled {
            screen?.show(1)
            try? await Task.sleep(nanoseconds: 1 << 60)
          }
        }
        screen.task = task
        feed.cancelLater(task)
      }
    },
    TaskForm("a loop that debounces") { screen, feed, leaks in
      let values = feed.values()
      if leaks {
        let task = Task {
          for await value in values {
            screen.show(value)
            try? await Task.sleep(nanoseconds: 1 << 60)
          }
        }
        screen.task = task
        feed.cancelLater(task)
      } else {
        let task = Task { [weak screen] in
          for await value in values {
            screen?.show(value)
            try? await Task.sleep(nanoseconds: 1 << 60)
          }
        }
        screen.task = task
        feed.cancelLater(task)
      }
    },
    TaskForm("a loop that throttles by tasks") { screen, feed, leaks in
      let values = feed.values()
      if leaks {
        screen.task = Task {
          for await value in values {
            screen.tasks.append(Task { screen.show(value) })
          }
        }
      } else {
        screen.task = Task { [weak screen] in
          for await value in values {
            let shown = Task { [weak screen] in screen?.show(value) ?? () }
            screen?.tasks.append(shown)
          }
        }
      }
    },
  ]

  static let waits: [TaskForm] = [
    TaskForm("an actor's loop") { screen, feed, leaks in
      let values = feed.values()
      if leaks {
        let store = Store(screen)
        screen.task = Task { await store.loop(values) }
      } else {
        screen.task = Task { [weak screen] in for await value in values { screen?.show(value) } }
      }
    },
    TaskForm("a continuation that nobody resumes") { screen, feed, leaks in
      if leaks {
        screen.task = Task {
          screen.show(1)
          await feed.end()
          screen.show(1)
        }
      } else {
        screen.task = Task { [weak screen] in
          screen?.show(1)
          await feed.end()
          screen?.show(1)
        }
      }
    },
    TaskForm("the value of another task") { screen, feed, leaks in
      let other = Task { await feed.end() }
      if leaks {
        screen.task = Task {
          screen.show(1)
          await other.value
          screen.show(1)
        }
      } else {
        screen.task = Task { [weak screen] in
          screen?.show(1)
          await other.value
          screen?.show(1)
        }
      }
    },
    TaskForm("a sequence that asks self for values") { screen, feed, leaks in
      if leaks {
        let polled = Polled { [feed] in
          screen.show(1)
          await feed.end()
          return nil
        }
        screen.task = Task { for await _ in polled {} }
      } else {
        let polled = Polled { [feed, weak screen] in
          screen?.show(1)
          await feed.end()
          return nil
        }
        screen.task = Task { for await _ in polled {} }
      }
    },
    TaskForm("the end of a stream that self ends") { screen, feed, leaks in
      let (values, continuation) = AsyncStream.makeStream(of: Int.self)
      continuation.yield(1)
      feed.finishLater(continuation)
      if leaks {
        screen.later = { continuation.finish() }
        screen.task = Task { for await value in values { screen.show(value) } }
      } else {
        screen.later = { continuation.finish() }
        screen.task = Task { [weak screen] in for await value in values { screen?.show(value) } }
      }
    },
    TaskForm("a task that generic code begins") { screen, feed, leaks in
      let values = feed.values()
      if leaks {
        screen.task = begin(screen) { screen in for await value in values { screen.show(value) } }
      } else {
        screen.task = begin(WeakScreen(screen: screen)) { weak in
          for await value in values { weak.screen?.show(value) }
        }
      }
    },
  ]
}
