import KVOAudit
import KVOFindings
import KVORules
import KVOSafety
import KVOSymbols
import SuiteFaults
import TestSupport
import Testing

extension SuiteFault {
  /// The rules that are broken, what follows from others included.
  fileprivate var codes: [String] {
    switch self {
    case .doubleRemoval: ["KVO001"]
    case .forgottenRemoval: ["KVO007"]
    case .strongCapture: ["KVO019", "KVO021"]
    case .leak: ["KVO021"]
    case .callbackUnderLock: ["KVO026"]
    }
  }
}

@Suite("Each test suite of the README")
struct ReadmeSuiteTests {
  private static let unexpecting = ReadmeForm.allCases.filter { $0 != .knownBug }

  @Test(
    "has the same findings live, in its failures and in the audit of its log",
    arguments: unexpecting,
    SuiteFault.allCases
  )
  func fault(form: ReadmeForm, fault: SuiteFault) throws {
    let run = try SuiteRun(form, fault)
    let tested = Identity.inText(run.failures).sorted()
    #expect(tested.map(\.code) == fault.codes)
    #expect(run.audited.flatMap(\.withConsequences).map(Identity.init).sorted() == tested)
    // Some rules judge the end of a scope: these are not reported live.
    #expect(run.live.sorted() == tested.filter { LiveRule(rawValue: $0.code) != nil })
    #expect(run.status != 0)
  }

  @Test(
    "attaches its report and its log to a failed test",
    arguments: [ReadmeForm.auditedSuite, .assertion]
  )
  func attachments(form: ReadmeForm) throws {
    let run = try SuiteRun(form, .forgottenRemoval)
    #expect(run.attachments.keys.sorted() == ["kvo-log.jsonl", "kvo-report.txt"])
    let report = try #require(run.attachments["kvo-report.txt"])
    #expect(
      report.hasPrefix("1 observation violation\n") && run.failures.contains(report.dropLast())
    )
    // An audit of the log alone comes to the same result, functions and lines included.
    let folder = try ScratchFolder()
    let log = try folder.file("log.jsonl", try #require(run.attachments["kvo-log.jsonl"]))
    let audited = Audit(resolver: DwarfFrameResolver()).report(
      on: AuditInput.inputs(arguments: [log])
    )
    #expect(audited.findings.map(Identity.init) == run.audited.map(Identity.init))
    let frames = audited.findings.first?.stacks.first?.frames ?? []
    #expect(audited.failures.isEmpty && frames.contains { $0.line > 0 })
    #expect(try SuiteRun(form, nil).attachments.isEmpty)
  }

  @Test("has none of them if the code is correct", arguments: unexpecting)
  func twin(form: ReadmeForm) throws {
    let run = try SuiteRun(form, nil)
    #expect(run.live.isEmpty)
    #expect(Identity.inText(run.failures).isEmpty)
    #expect(!run.failures.contains("observation violation"))
    #expect(run.audited.isEmpty)
    #expect(run.status == 0)
  }

  @Test("does not fail for a bug that it expects, which its log has as expected")
  func knownBug() throws {
    let run = try SuiteRun(.knownBug, nil)
    #expect(run.failures == "")
    #expect(run.status == 0)
    #expect(run.audited.map(\.code) == [.doubleRemove])
    #expect(run.audited.map(\.isExpected) == [true])
    #expect(run.audited.map(Identity.init) == run.live)
  }

  @Test("fails for another bug than the one that it expects, in all three")
  func otherBug() throws {
    let run = try SuiteRun(.knownBug, .forgottenRemoval)
    let tested = Identity.inText(run.failures)
    #expect(tested.map(\.code) == ["KVO007"])
    #expect(run.audited.filter { !$0.isExpected }.map(Identity.init) == tested)
    #expect(run.live.filter { $0.code != "KVO001" } == tested)
    #expect(run.status != 0)
  }
}
