import KVOFindings
import KVORules
import KVOTrace
import TestSupport
import Testing

@Suite("Verdicts of one shape")
struct VerdictShapeTests {
  /// The verdicts of a log, each several times: of other objects and events, some expected, some not sure.
  private func repeated(_ verdicts: [Verdict], _ random: inout SplitMix64) -> [Verdict] {
    (0..<verdicts.count * 12).map { number in
      var copy = verdicts[number % verdicts.count]
      if Bool.random(using: &random) {
        let id = ObjectID(.random(in: 1_000...2_000, using: &random))
        let isSelf = copy.subject?.id == copy.observer?.id
        copy.subject?.id = id
        copy.observer?.id = isSelf ? id : ObjectID(.random(in: 3_000...4_000, using: &random))
      }
      for index in copy.evidence.indices where Bool.random(using: &random) {
        copy.evidence[index].event = .random(in: 0...40, using: &random)
        copy.evidence[index].order = .random(in: 1...9, using: &random)
        copy.evidence[index].thread = ThreadID(.random(in: 1...3, using: &random))
      }
      if Int.random(in: 0..<4, using: &random) == 0 { copy.isExpected = true }
      if Int.random(in: 0..<4, using: &random) == 0 { copy.confidence = .low }
      if Int.random(in: 0..<4, using: &random) == 0 { copy.severity = .note }
      return copy
    }
  }

  @Test("Folding by shape gives the findings that folding each finding gives", arguments: 1...20)
  func folding(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    var repeatedCount = 0
    for log in FiringLog.all.map(\.log) {
      let builder = FindingBuilder(names: log.names, profile: .swift)
      let verdicts = repeated(log.verdicts(), &random).shuffled(using: &random)
      var each = FindingFolder()
      var byShape = FindingFolder()
      var known: [VerdictShape: Int] = [:]
      for verdict in verdicts {
        each.add(builder.finding(for: verdict))
        if let index = known[VerdictShape(verdict)] {
          byShape.add(againAt: index, verdict)
          repeatedCount += 1
        } else {
          known[VerdictShape(verdict)] = byShape.add(builder.finding(for: verdict))
        }
      }
      #expect(each.findings == byShape.findings)
    }
    #expect(repeatedCount > 100)
  }

  @Test("What distinguishes findings is part of the shape, what does not is not")
  func parts() throws {
    let log = SampleLog {
      $0.register("1", "Account#12", by: "Screen#3", stack: ["f() (A.swift:1)"])
      $0.endDeinit("Account#12", stack: ["g() (A.swift:2)"])
    }
    let verdict = try #require(log.verdicts().first)
    func isSame(_ change: (inout Verdict) -> Void) -> Bool {
      var copy = verdict
      change(&copy)
      return VerdictShape(copy) == VerdictShape(verdict)
    }
    #expect(isSame { $0.subject?.id = ObjectID(99) })
    #expect(isSame { $0.evidence[0].event += 1 })
    #expect(isSame { $0.evidence[0].thread = ThreadID(9) })
    #expect(isSame { $0.registration = nil })
    #expect(!isSame { $0.code = .doubleRemove })
    #expect(!isSame { $0.subject?.className = .none })
    #expect(!isSame { $0.observer = $0.subject })
    #expect(!isSame { $0.observer?.id = $0.subject?.id ?? ObjectID(0) })
    #expect(!isSame { $0.subject = nil })
    #expect(!isSame { $0.keyPath = .none })
    #expect(!isSame { $0.context = .null })
    #expect(!isSame { $0.evidence[0].stack = .none })
    #expect(!isSame { $0.evidence[0].site = $0.keyPath })
    #expect(!isSame { $0.evidence[0].role = .scope })
    #expect(!isSame { $0.evidence.removeLast() })
    #expect(!isSame { $0.detail = .copies(2) })
    #expect(!isSame { $0.severity = .note })
    #expect(!isSame { $0.confidence = .low })
    #expect(!isSame { $0.isHistoryLost.toggle() })
    #expect(!isSame { $0.isExpected.toggle() })
    #expect(!isSame { $0.form = $0.form == .token ? .classic : .token })
  }
}
