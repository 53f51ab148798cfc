import Synchronization

/// A value on its way into a task.
private struct Sent: @unchecked Sendable {
  // Sendable: used by one shape.
  let value: Any
}

extension Carrier {
  static let tasks: [Carrier] = [
    Carrier("a task that waits") { value in
      let sent = Sent(value: value)
      let started = AsyncStream.makeStream(of: Void.self)
      let task = Task {
        started.continuation.yield()
        try? await Task.sleep(nanoseconds: 1 << 60)
        use(sent)
      }
      for await _ in started.stream { break }
      // A cancelled one ends, and releases what it held.
      return CancellingTask(task)
    },
    Carrier("a task that ended", letsGo: true) { value in
      let sent = Sent(value: value)
      let task = Task { use(sent) }
      await task.value
      return task
    },
    Carrier("what a task returned") { value in
      let sent = Sent(value: value)
      let task = Task { sent }
      _ = await task.value
      return task
    },
    Carrier("a stream's continuation") { value in
      let sent = Sent(value: value)
      let (stream, continuation) = AsyncStream.makeStream(of: Int.self)
      continuation.onTermination = { _ in use(sent) }
      return (stream, continuation)
    },
    Carrier("a stream's element") { value in
      let (stream, continuation) = AsyncStream.makeStream(of: Sent.self)
      continuation.yield(Sent(value: value))
      return stream
    },
    Carrier("a task that iterates") { value in
      let sent = Sent(value: value)
      let (stream, continuation) = AsyncStream.makeStream(of: Int.self)
      let started = AsyncStream.makeStream(of: Void.self)
      Task {
        started.continuation.yield()
        for await number in stream { use((sent, number)) }
      }
      for await _ in started.stream { break }
      return FinishingStream(continuation)
    },
  ]
}

/// Makes the task end when it is released.
private final class CancellingTask: Sendable {
  private let task: Task<Void, Never>
  init(_ task: Task<Void, Never>) { self.task = task }
  deinit { task.cancel() }
}

/// Makes the stream's reader end when it is released.
private final class FinishingStream: Sendable {
  private let continuation: AsyncStream<Int>.Continuation
  init(_ continuation: AsyncStream<Int>.Continuation) { self.continuation = continuation }
  deinit { continuation.finish() }
}
