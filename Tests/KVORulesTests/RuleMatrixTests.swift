import KVORules
import Testing

@Suite("Every rule against every log")
struct RuleMatrixTests {
  @Test("a firing log gives exactly its own verdicts", arguments: FiringLog.all)
  func fires(firing: FiringLog) {
    #expect(firing.log.outcome() == firing.outcome)
  }

  @Test("changing one event silences the rule", arguments: FiringLog.all)
  func twins(firing: FiringLog) {
    for twin in firing.twins {
      #expect(twin.log.outcome() == [], "\(twin.name)")
    }
  }

  @Test("every rule that is not on the list of missing ones has a firing log and a twin")
  func coverage() {
    let fired = Set(FiringLog.all.filter { !$0.twins.isEmpty }.map(\.code))
    #expect(fired == Set(RuleCode.allCases).subtracting(RuleEngine.unimplemented))
  }

  @Test("a log without violations says which rules it was not judged by")
  func notJudged() {
    let log = SampleLog {
      $0.register()
      $0.remove("1")
      $0.exit()
    }
    let engine = log.run().engine
    #expect(
      engine.notJudged.map { "\($0.code.rawValue) \($0.why)" } == [
        "KVO009 not implemented in this version", "KVO011 not implemented in this version",
        "KVO012 no changes in this log", "KVO013 not implemented in this version",
        "KVO014 not implemented in this version", "KVO015 not implemented in this version",
        "KVO016 not implemented in this version", "KVO018 not implemented in this version",
        "KVO019 not implemented in this version", "KVO021 no scope ended in this log",
        "KVO022 not implemented in this version", "KVO023 not implemented in this version",
        "KVO024 not implemented in this version", "KVO025 not implemented in this version",
        "KVO026 not implemented in this version", "KVO027 not implemented in this version",
        "KVO028 not implemented in this version", "KVO030 not implemented in this version",
        "KVO032 no changes in this log",
      ]
    )
    #expect(engine.liveRegistrationCount == 0)
    #expect(engine.eventCount == 3)
  }
}
