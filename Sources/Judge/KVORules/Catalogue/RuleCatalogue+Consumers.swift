extension RuleCatalogue {
  /// KVO041 to KVO044: tasks that wait for values.
  static var consumers: [Entry] {
    [
      rule(
        .parkedConsumer,
        "parked-consumer",
        "task waits for a sequence that nobody can continue",
        .error,
        .everywhere(.leak),
        hint: """
          finish the continuation before it is released, for example in the deinit of the object that owns it; or \
          cancel the task where the scope ends
          """,
        happened: """
          The recorded continuation of a stream was released without finishing the stream, and a loop over the \
          stream still waited at the end of the scope that had begun it.
          """,
        matters: """
          AsyncStream does not end when its continuation is released: the task waits for ever, and keeps all that \
          it holds. Only cancelling the task would end it.
          """,
        fix: "Finish the stream when its producer ends.",
        before: """
          deinit {}
          """,
        after: """
          deinit { continuation.finish() }
          """
      ),
      rule(
        .consumerGrowth,
        "consumer-growth",
        "every run leaves more tasks that wait",
        .warning,
        .everywhere(.leak),
        hint: "cancel the task of the run before, or bind its loop to what the run ends",
        happened: """
          A scope was run several times, and after each run more tasks waited in loops over the sequences of one \
          line. None of them ended up to the end of the log.
          """,
        matters:
          "Each task keeps its frames and all that it holds; after a day there are a million.",
        fix: "Keep the task, and cancel it where the scope ends.",
        before: """
          func show() { Task { for await event in events.noted(as: "events") { handle(event) } } }
          """,
        after: """
          func show() { task = Task { for await event in events.noted(as: "events") { handle(event) } } }
          func hide() { task?.cancel() }
          """
      ),
      rule(
        .continuationDropped,
        "continuation-dropped",
        "continuation was never resumed",
        .error,
        isLive: true,
        .everywhere(.hang),
        hint: "resume the continuation on every path, also on those that fail or are cancelled",
        happened:
          "The last reference to a recorded continuation was released before it was resumed.",
        matters:
          "The task that waits for it never goes on, even if it is cancelled, and is never freed.",
        fix: "Resume it with an error where the answer cannot come any more.",
        before: """
          guard let reply = connection.reply else { return }
          continuation.resume(returning: reply)
          """,
        after: """
          guard let reply = connection.reply else {
            continuation.resume(throwing: ConnectionError.closed)
            return
          }
          continuation.resume(returning: reply)
          """
      ),
      rule(
        .continuationResumedTwice,
        "continuation-resumed-twice",
        "continuation was resumed twice",
        .error,
        isLive: true,
        Consequences(.contained, .crash, .crash, .crash, .crash),
        hint: "resume the continuation once: remove it from where it is kept before it is resumed",
        happened: "A recorded continuation was resumed after it had been resumed.",
        matters: """
          A checked continuation ends the process then, and with an unsafe one the behavior is undefined. A recorded \
          one ignores the second time.
          """,
        fix: "Let one piece of code own the continuation, and forget it when it is resumed.",
        before: """
          continuation?.resume(returning: reply)
          """,
        after: """
          continuation.take()?.resume(returning: reply)
          """
      ),
    ]
  }
}
