import KVOFindings
import KVORules
import KVOTrace
import Testing

@Suite("Violations that a test says are meant")
struct ExpectedViolationTests {
  /// A scope in which an observer is removed twice, and leaks another observation.
  private func log(expecting rules: [UInt16]?, in scope: String = "s") -> SampleLog {
    SampleLog {
      $0.beginScope("s")
      $0.beginScope("t", in: "s")
      if let rules { $0.add(.expects(rules: rules), scope: scope) }
      $0.register("1", scope: "t")
      $0.remove("1", stack: ["Screen.close() (Screen.swift:29)"])
      $0.remove(stack: ["Screen.deinit (Screen.swift:41)"])
      $0.register("2", "Account#13", scope: "t")
      $0.endScope("t")
      $0.endScope("s")
      $0.exit()
    }
  }

  private func expected(_ log: SampleLog) -> [String: Bool] {
    Dictionary(log.verdicts().map { ($0.code.rawValue, $0.isExpected) }) { $0 && $1 }
  }

  @Test("are found, and marked in the scope that says so and in those inside it")
  func marked() {
    #expect(expected(log(expecting: nil)) == ["KVO001": false, "KVO021": false])
    #expect(expected(log(expecting: [1])) == ["KVO001": true, "KVO021": false])
    #expect(expected(log(expecting: [1, 21], in: "t")) == ["KVO001": true, "KVO021": true])
    #expect(expected(log(expecting: [2])) == ["KVO001": false, "KVO021": false])
  }

  @Test("end with the scope, also of a registration that was made in it")
  func afterwards() {
    func log(scope: String?) -> SampleLog {
      SampleLog {
        $0.beginScope("s")
        $0.add(.expects(rules: [1]), scope: "s")
        $0.register("1", expectedToLive: "kept")
        $0.remove("1")
        $0.endScope("s")
        if let scope { $0.beginScope(scope) }
        $0.remove(stack: ["Screen.deinit (Screen.swift:41)"])
        if let scope { $0.endScope(scope) }
        $0.exit()
      }
    }
    #expect(expected(log(scope: nil)) == ["KVO001": false])
    #expect(expected(log(scope: "t")) == ["KVO001": false])
    // On a thread without a scope, while the scope is open.
    let meanwhile = log(scope: nil).without(5).without(5)
      .inserting(before: 5) { $0.remove(thread: "2", stack: ["Screen.deinit (Screen.swift:41)"]) }
      .inserting(before: 6) { $0.endScope("s") }
    #expect(expected(meanwhile) == ["KVO001": true])
  }

  @Test("happen on other threads, too, to objects that the scope uses while it is open")
  func otherThreads() {
    func log(using object: String = "Account#12", until end: String? = nil) -> SampleLog {
      SampleLog {
        $0.beginScope("s")
        $0.add(.expects(rules: [2, 24]), scope: "s")
        $0.beginScope("t", in: "s")
        $0.register("1", object, scope: "t")
        $0.cancel("1", by: .user)
        if end != nil { $0.endScope("t") }
        if end == "s" { $0.endScope("s") }
        $0.will(change: "a", thread: "2", order: 11)
        $0.will(change: "b", thread: "3", order: 12)
        $0.did(change: "a", thread: "2", order: 13)
        $0.did(change: "b", thread: "3", order: 14)
        $0.remove(nil, by: "Screen#4", thread: "2", stack: ["Screen.deinit (Screen.swift:41)"])
        if end == nil { $0.endScope("t") }
        if end != "s" { $0.endScope("s") }
        $0.exit()
      }
    }
    #expect(expected(log()) == ["KVO002": true, "KVO024": true])
    #expect(expected(log(using: "Account#13")) == ["KVO002": false, "KVO024": false])
    #expect(expected(log(until: "t")) == ["KVO002": true, "KVO024": true])
    #expect(expected(log(until: "s")) == ["KVO002": false, "KVO024": false])
  }

  @Test("are marked if another thread never ends a change that it begins while the scope is open")
  func neverEndedElsewhere() {
    func log(
      _ rule: UInt16 = 12,
      using object: String = "Account#12",
      _ beginning: Int = 1,
      isDeallocated: Bool = false
    ) -> SampleLog {
      SampleLog {
        if beginning == 0 { $0.will(change: "a", thread: "2") }
        $0.beginScope("s")
        $0.add(.expects(rules: [rule]), scope: "s")
        $0.register("1", object, scope: "s")
        if beginning == 1 { $0.will(change: "a", thread: "2") }
        $0.cancel("1", by: .user)
        $0.endScope("s")
        if beginning == 2 { $0.will(change: "a", thread: "2") }
        $0.will("Account#14", change: "b", thread: "2")
        $0.did("Account#14", change: "b", thread: "2")
        if isDeallocated { $0.endDeinit("Account#12") }
        $0.exit()
      }
    }
    for isDeallocated in [false, true] {
      #expect(expected(log(isDeallocated: isDeallocated)) == ["KVO012": true])
      #expect(expected(log(11, isDeallocated: isDeallocated)) == ["KVO012": false])
      #expect(expected(log(using: "Account#13", isDeallocated: isDeallocated)) == ["KVO012": false])
      #expect(expected(log(12, 0, isDeallocated: isDeallocated)) == ["KVO012": false])
      #expect(expected(log(12, 2, isDeallocated: isDeallocated)) == ["KVO012": false])
    }
  }

  @Test("are marked if they are judged at the end of the log")
  func atTheEnd() {
    func log(_ rule: UInt16, _ write: (inout SampleLog) -> Void) -> SampleLog {
      SampleLog {
        $0.beginScope("s")
        $0.add(.expects(rules: [rule]), scope: "s")
        write(&$0)
        $0.endScope("s")
        $0.exit()
      }
    }
    for rule in [19, 20] as [UInt16] {
      let cycle = log(rule) {
        $0.hold("Screen#3", "token:Token#9", label: "token")
        $0.hold("token:Token#9", "Screen#3", label: "handler")
      }
      #expect(expected(cycle) == ["KVO019": rule == 19])
    }
    #expect(expected(log(28) { $0.declare("a", affectedBy: ["a"]) }) == ["KVO028": true])
  }

  @Test("count where they happen outside of it as well")
  func elsewhere() {
    var log = self.log(expecting: [1, 21])
    log.register("3", "Account#14")
    log.remove("3", "Account#14")
    log.remove(nil, "Account#14", stack: ["Screen.deinit (Screen.swift:41)"])
    let verdicts = log.verdicts().filter { $0.code == .doubleRemove }
    #expect(verdicts.map(\.isExpected) == [true, false])
  }

  @Test("are marked if each run of an inner scope leaves more consumers, too")
  func growth() {
    func log(expecting rules: [UInt16]?) -> SampleLog {
      SampleLog { log in
        log.beginScope("all", name: "all screens")
        if let rules { log.add(.expects(rules: rules), scope: "all") }
        for number in 1...3 {
          let scope = "s\(number)"
          log.beginScope(scope, in: "all", name: "a screen")
          log.consume("\(number)", scope: scope)
          log.park("\(number)", isLeft: true, scope: scope)
          log.endScope(scope)
        }
        log.endScope("all")
        log.exit()
      }
    }
    #expect(expected(log(expecting: nil)) == ["KVO042": false])
    #expect(expected(log(expecting: [42])) == ["KVO042": true])
    #expect(expected(log(expecting: [22])) == ["KVO042": false])
  }

  @Test("do not count in a finding unless all of it is meant")
  func folded() {
    var names = TraceNames()
    let account = ObjectRef(id: names.identifier("1"), className: names.id(of: "Account"))
    var meant = Verdict(
      .doubleRemove,
      subject: account,
      evidence: [Evidence(role: .failed, event: 1)]
    )
    meant.isExpected = true
    var other = meant
    other.isExpected = false
    other.evidence[0].event = 2
    let builder = FindingBuilder(names: names, profile: .swift)
    var folder = FindingFolder()
    folder.add(builder.finding(for: meant))
    #expect(folder.findings.map(\.counts) == [false])
    folder.add(builder.finding(for: other))
    #expect(folder.findings.map(\.counts) == [true])
    // It shows the one that is not meant, and counts no other.
    folder.add(builder.finding(for: meant))
    #expect(folder.findings.map(\.events) == [[2]])
    #expect(folder.findings.map(\.count) == [1])
  }
}
