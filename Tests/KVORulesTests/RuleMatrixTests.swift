import KVOReplay
import KVORules
import Testing

@Suite("Every rule against every log")
struct RuleMatrixTests {
  @Test("a firing log gives exactly its own verdicts", arguments: FiringLog.all + FiringLog.spelled)
  func fires(firing: FiringLog) {
    #expect(firing.log.outcome() == firing.outcome)
  }

  @Test("changing one event silences the rule", arguments: FiringLog.all + FiringLog.spelled)
  func twins(firing: FiringLog) {
    for twin in firing.twins {
      #expect(twin.log.outcome() == [], "\(twin.name)")
    }
  }

  @Test("every rule has a firing log and a twin")
  func coverage() {
    let fired = Set(FiringLog.all.filter { !$0.twins.isEmpty }.map(\.code))
    #expect(fired == Set(RuleCode.allCases))
  }

  @Test(
    "a log with the events of a rule is judged by it",
    arguments: FiringLog.all + FiringLog.spelled
  )
  func judged(firing: FiringLog) {
    #expect(!firing.log.run().engine.notJudged.contains { $0.code == firing.code })
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
        "KVO008 no notify events in this log", "KVO009 no notify events in this log",
        "KVO010 no notify events in this log", "KVO011 no changes in this log",
        "KVO012 no changes in this log", "KVO013 no prior notifications in this log",
        "KVO014 no write events in this log", "KVO015 no attach events in this log",
        "KVO016 no attach events in this log", "KVO017 no notify events in this log",
        "KVO019 no hold events in this log", "KVO021 no scope ended in this log",
        "KVO022 no scope was run three times in this log",
        "KVO023 no registration in this log says its executor", "KVO024 no changes in this log",
        "KVO025 no removeEnd events in this log", "KVO026 no lock events in this log",
        "KVO027 no notify events in this log", "KVO028 no declares events in this log",
        "KVO030 no class events in this log", "KVO032 no changes in this log",
        "KVO039 no notify events in this log",
      ]
    )
    #expect(engine.liveRegistrationCount == 0)
    #expect(engine.eventCount == 3)
  }

  @Test("KVO017 and KVO039 are not judged in a log without ends of callbacks")
  func withoutCallbackEnds() {
    let log = SampleLog {
      $0.register("1")
      $0.will()
      $0.did()
      $0.notify("1")
      $0.exit()
    }
    func why(_ code: RuleCode, _ log: SampleLog) -> String? {
      log.run().engine.notJudged.first { $0.code == code }?.why
    }
    let sentence = "no notifyEnd events in this log, which say how a callback ended"
    #expect(why(.unhandledNotification, log) == sentence)
    #expect(why(.callbackRaised, log) == sentence)
    let ended = log.inserting(before: 5) { $0.notifyEnd("1", handled: true) }
    #expect(why(.unhandledNotification, ended) == nil && why(.callbackRaised, ended) == nil)
  }
}
