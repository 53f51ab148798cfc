import Foundation
import KVOAudit
import KVOReportFile
import KVORules
import KVOSafety
import KVOSymbols
import SuiteFaults
import TestSupport

/// An example suite of the README, as it is run in a process of its own.
enum ReadmeForm: String, CaseIterable, Sendable {
  /// `@Suite(.audited)`.
  case auditedSuite = "AuditedSuite"
  /// `expectNoObservationViolations { … }`.
  case assertion = "Assertion"
  /// `@Test(.audited(expecting: .doubleRemove))`.
  case knownBug = "KnownBug"
  /// `assertNoObservationViolations { … }`.
  case block = "readme-block"
  /// `await assertNoObservationViolations { … }`.
  case asynchronousBlock = "readme-asynchronous-block"
  /// `ObservationAuditObserver.auditEveryTestCase()`.
  case bundle = "readme-bundle"

  fileprivate var isSwiftTesting: Bool { !rawValue.hasPrefix("readme-") }
}

/// What one run of a suite says of itself: live, in the failures of the test framework, and in its log.
struct SuiteRun {
  /// The live reports.
  let live: [Identity]
  /// The failures that the test framework recorded.
  let failures: String
  /// The files that the tests attached, by their names.
  let attachments: [String: String]
  /// The findings of the log.
  let audited: [Finding]
  let status: Int32

  /// Runs the suite with `fault`, or with the correct twins.
  init(_ form: ReadmeForm, _ fault: SuiteFault?) throws {
    try self.init(
      form.isSwiftTesting ? .swiftTesting("ReadmeSuites/\(form.rawValue)") : .xctest(form.rawValue),
      [SuiteFault.variable: fault?.rawValue ?? ""]
    )
  }

  /// Which suite is run.
  enum Suite {
    /// One of this bundle, with the suites around it.
    case swiftTesting(String)
    /// One of the program AuditedXCTest, by its argument.
    case xctest(String)
  }

  /// Runs a suite with what `variables` add to its environment.
  init(_ suite: Suite, _ variables: [String: String]) throws {
    let folder = try ScratchFolder()
    let (log, reports) = (folder.path("suite.kvolog"), folder.path("live.txt"))
    let environment = ["KVO_SAFETY_LOG": log, SuiteFault.liveVariable: reports]
      .merging(variables) { $1 }
    switch suite {
    case .swiftTesting(let name):
      let attached = folder.path("attachments")
      try FileManager.default.createDirectory(atPath: attached, withIntermediateDirectories: true)
      let events = folder.path("events.jsonl")
      let run = try ProgramRun(
        built: ProgramRun.bundle.lastPathComponent,
        [
          "--testing-library", "swift-testing", "--filter", "\(name)/",
          "--event-stream-output-path", events, "--event-stream-version", "0",
          "--attachments-path", attached,
        ],
        environment: environment
      )
      failures = try Self.issues(in: Data(contentsOf: URL(filePath: events)))
      status = run.status
      attachments = try Self.files(in: attached)
    case .xctest(let name):
      let run = try ProgramRun(built: "AuditedXCTest", [name], environment: environment)
      failures = run.output
      status = run.status
      attachments = [:]
    }
    live = Identity.inText((try? String(contentsOfFile: reports, encoding: .utf8)) ?? "")
    audited =
      Audit(resolver: DwarfFrameResolver())
      .report(on: AuditInput.inputs(arguments: [log])).findings
  }

  private static func files(in folder: String) throws -> [String: String] {
    var files: [String: String] = [:]
    for name in try FileManager.default.contentsOfDirectory(atPath: folder) {
      files[name] = try String(contentsOfFile: "\(folder)/\(name)", encoding: .utf8)
    }
    return files
  }

  /// The texts of the issues that Swift Testing recorded.
  private static func issues(in events: Data) throws -> String {
    let decoder = JSONDecoder()
    return try events.split(separator: UInt8(ascii: "\n"))
      .map { try decoder.decode(Line.self, from: $0).payload }
      .filter { $0.kind == "issueRecorded" }
      .flatMap { $0.messages ?? [] }
      .map(\.text)
      .joined(separator: "\n")
  }

  private struct Line: Decodable {
    var payload: Payload
  }

  private struct Payload: Decodable {
    var kind: String?
    var messages: [Message]?
  }

  private struct Message: Decodable {
    var text: String
  }
}
