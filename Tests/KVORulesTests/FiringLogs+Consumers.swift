import KVORules
import KVOTrace

extension SampleLog {
  /// A task begins to take values.
  mutating func consume(
    _ id: String,
    _ awaited: String = "prices",
    form: Consumer.Form = .loop,
    scope: String? = nil
  ) {
    let consumer = consumer(id, awaited, form: form)
    add(.consumerBegin(consumer), scope: scope)
  }

  /// It waits.
  mutating func park(
    _ id: String,
    _ awaited: String = "prices",
    form: Consumer.Form = .loop,
    isOrphaned: Bool = false,
    isLeft: Bool = false,
    expectedToLive: String = "",
    scope: String? = nil
  ) {
    var consumer = consumer(id, awaited, form: form)
    consumer.since = 7
    consumer.isOrphaned = isOrphaned
    consumer.isLeft = isLeft
    consumer.expectedToLive = names.id(of: expectedToLive)
    add(.parked(consumer), scope: scope)
  }

  mutating func endConsumer(_ id: String, _ why: Consumer.End, stack: [String] = []) {
    add(.consumerEnd(names.identifier(id), why: why), stack: stack)
  }

  private mutating func consumer(
    _ id: String,
    _ awaited: String,
    form: Consumer.Form
  ) -> Consumer {
    Consumer(
      id: names.identifier(id),
      form: form,
      awaited: names.id(of: awaited),
      site: names.id(of: "Feed.swift:12 show()")
    )
  }

  /// A run of a scope that leaves a consumer.
  mutating func run(_ number: Int, name: String = "open", site: String = "prices") {
    beginScope("s\(number)", name: name)
    consume("\(number)", site, scope: "s\(number)")
    park("\(number)", site, isLeft: true, scope: "s\(number)")
    endScope("s\(number)")
  }
}

// The firing logs of tasks that wait for values.
extension FiringLog {
  private static let parked = SampleLog {
    $0.beginScope("s", name: "open")
    $0.consume("7", scope: "s")
    $0.park("7", isOrphaned: true, isLeft: true, scope: "s")
    $0.endScope("s")
    $0.exit()
  }

  private static let growing = SampleLog { log in
    for number in 1...3 { log.run(number) }
    log.exit()
  }

  private static let dropped = SampleLog {
    $0.consume("7", "reply", form: .continuation)
    $0.park("7", "reply", form: .continuation, isOrphaned: true)
    $0.exit()
  }

  private static let resumedTwice = SampleLog {
    $0.consume("7", "reply", form: .continuation)
    $0.endConsumer("7", .resumed, stack: ["Client.receive() (Client.swift:30)"])
    $0.endConsumer("7", .resumed, stack: ["Client.close() (Client.swift:41)"])
    $0.exit()
  }

  static let consumers = [
    FiringLog(
      code: .parkedConsumer,
      log: parked,
      outcome: ["KVO041@3"],
      twins: [
        (
          "its other side is there",
          parked.replacing(3) { $0.park("7", isLeft: true, scope: "s") }
        ),
        (
          "its scope goes on, which may still cancel it",
          parked.replacing(3) { $0.park("7", isOrphaned: true, scope: "s") }
        ),
        (
          "expected to outlive its scope",
          parked.replacing(3) {
            $0.park("7", isOrphaned: true, isLeft: true, expectedToLive: "why", scope: "s")
          }
        ),
      ]
    ),
    FiringLog(
      code: .consumerGrowth,
      log: growing,
      outcome: ["KVO042@12"],
      twins: [
        ("two runs", growing.without(12).without(11).without(10).without(9)),
        (
          "one was cancelled later",
          growing.inserting(before: 13) { $0.endConsumer("3", .cancelled) }
        ),
        (
          "each run ends that of the one before",
          growing.inserting(before: 9) { $0.endConsumer("2", .cancelled) }
            .inserting(before: 5) { $0.endConsumer("1", .cancelled) }
        ),
        (
          "another name each",
          SampleLog { log in
            for number in 1...3 { log.run(number, name: "open \(number)") }
            log.exit()
          }
        ),
        (
          "another sequence each",
          SampleLog { log in
            for number in 1...3 { log.run(number, site: "prices \(number)") }
            log.exit()
          }
        ),
      ]
    ),
    FiringLog(
      code: .continuationDropped,
      log: dropped,
      outcome: ["KVO043@2"],
      twins: [
        ("it is still there", dropped.replacing(2) { $0.park("7", "reply", form: .continuation) }),
        ("it was resumed", dropped.replacing(2) { $0.endConsumer("7", .resumed) }),
      ]
    ),
    FiringLog(
      code: .continuationResumedTwice,
      log: resumedTwice,
      outcome: ["KVO044@3"],
      twins: [
        ("another one", resumedTwice.replacing(3) { $0.endConsumer("8", .resumed) }),
        ("a loop that is left", resumedTwice.replacing(3) { $0.endConsumer("7", .left) }),
      ]
    ),
  ]
}
