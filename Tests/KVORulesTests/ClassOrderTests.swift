import KVOReplay
import KVORules
import KVOTrace
import Testing

@Suite("The order of a change of a class")
struct ClassOrderTests {
  @Test("one before the registration, by their orders, gives it the class")
  func classOrder() {
    let log = SampleLog {
      $0.register(thread: "1", order: 2)
      $0.changeClass(to: "Proxy", thread: "2", order: 1)
      $0.remove("1", order: 3)
      $0.exit()
    }
    var replay = OrderedReplay()
    var verdicts: [Verdict] = []
    for (index, event) in log.events.enumerated() {
      replay.take(event, number: index + 1) { verdicts.append($0) }
    }
    replay.finish { verdicts.append($0) }
    #expect(verdicts.map(\.brief) == [])
    // In the order of the lines it was changed under observation.
    #expect(log.outcome() == ["KVO030@3"])
  }
}
