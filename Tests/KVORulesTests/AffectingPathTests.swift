import KVORules
import KVOTrace
import Testing

@Suite("Keys that a class declares to be affected by a path")
struct AffectingPathTests {
  private func outcome(ofPath path: String) -> [String] {
    FiringLog.commonDependent.replacing(1) { $0.declare("net", affectedBy: [path, "tax"]) }
      .outcome()
  }

  @Test("depend on the first key of the path, and not on the object's keys of later names")
  func commonDependent() {
    #expect(outcome(ofPath: "gross.sum") == ["KVO024@3"])
    #expect(outcome(ofPath: "sum.gross").isEmpty)
  }

  // MARK: - What a change along the path explains (KVO014 to KVO016)

  /// A fault whose key, `balance` or the link `owner`, depends on `bank.name`.
  enum Fault: CaseIterable {
    case write, link, strongLink, weakLink

    var code: RuleCode {
      switch self {
      case .write, .link: .mutationWithoutNotification
      case .strongLink: .deepPathIntermediateDeath
      case .weakLink: .weakLinkSilentlyNil
      }
    }

    /// The key that gets another value.
    var key: String { self == .write ? "balance" : "owner" }

    /// The log of it.
    ///
    /// - Parameters:
    ///   - path: the path that the key depends on, if that is declared.
    ///   - during: the key of `Bank#9` that is changed when the value becomes another.
    ///   - before: the key of it that is changed before the value is first seen.
    ///   - start: the beginning of the log.
    /// - Returns: the log.
    func log(
      dependingOn path: String? = "bank.name",
      changing during: String? = nil,
      before: String? = nil,
      after start: (inout SampleLog) -> Void = { _ in }
    ) -> SampleLog {
      SampleLog { log in
        func change(_ key: String?, _ act: (inout SampleLog) -> Void = { _ in }) {
          if let key { log.will("Bank#9", key) }
          act(&log)
          if let key { log.did("Bank#9", key) }
        }
        start(&log)
        if let path { log.declare(key, affectedBy: [path]) }
        let keyPath = self == .write ? "balance" : "owner.name"
        log.register("1", "Account#12", by: "Screen#3", keyPath)
        change(before)
        switch self {
        case .write:
          log.write("a")
          change(during)
          log.write("b")
        case .link:
          log.attach(depth: 0, "owner", to: "Account#12")
          log.attach(to: "Person#5")
          change(during)
          log.detach(from: "Person#6")
        case .strongLink, .weakLink:
          log.attach(depth: 0, "owner", to: "Account#12")
          log.attach(to: "Person#5", self == .weakLink ? .weak : .strong)
          change(during) { $0.endDeinit("Person#5") }
        }
        log.remove("1", "Account#12", by: "Screen#3", keyPath)
        log.exit()
      }
    }

    func codes(of log: SampleLog) -> [RuleCode] { log.verdicts().map(\.code) }
  }

  @Test("a change along the path explains another value", arguments: Fault.allCases)
  func explained(fault: Fault) {
    #expect(fault.codes(of: fault.log(changing: "name")) == [])
  }

  @Test(
    "no change, an earlier one, and one of a key that is not on the path explain nothing",
    arguments: Fault.allCases
  )
  func unexplained(fault: Fault) {
    #expect(fault.codes(of: fault.log()) == [fault.code])
    #expect(fault.codes(of: fault.log(before: "name")) == [fault.code])
    #expect(fault.codes(of: fault.log(changing: "age")) == [fault.code])
    #expect(fault.codes(of: fault.log(dependingOn: "gross", changing: "name")) == [fault.code])
  }

  @Test(
    "in a sample, an object that was left out may have been changed along the path",
    arguments: Fault.allCases
  )
  func sampled(fault: Fault) {
    // The objects of the fault are in it.
    func sample(_ log: inout SampleLog) { log.add(.sample(share: 1_000, why: .none)) }
    #expect(fault.codes(of: fault.log(after: sample)) == [])
    // Which changes gave a path another object is not judged in a sample.
    let others = fault == .link ? [] : [fault.code]
    #expect(fault.codes(of: fault.log(dependingOn: "gross", after: sample)) == others)
  }

  @Test(
    "if the log lacks its beginning, a path may have been declared that any change is along",
    arguments: Fault.allCases
  )
  func incomplete(fault: Fault) {
    func codes(
      isComplete: Bool,
      changing during: String? = nil,
      before: String? = nil
    ) -> [RuleCode] {
      let log = fault.log(dependingOn: nil, changing: during, before: before) {
        $0.process(isComplete: isComplete)
      }
      return fault.codes(of: log)
    }
    #expect(codes(isComplete: false, changing: "age") == [])
    #expect(codes(isComplete: true, changing: "age") == [fault.code])
    #expect(codes(isComplete: false, before: "age") == [fault.code])
  }
}
