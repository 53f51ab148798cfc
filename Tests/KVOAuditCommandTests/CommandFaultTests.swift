import Foundation
import TestSupport
import Testing

/// kvo-audit, with one call to the system that fails.
///
/// Whatever fails, no report is shorter than it seems.
@Suite("A system call that fails in kvo-audit") struct CommandFaultTests {
  private let folder: ScratchFolder
  private let shim: FaultShim

  init() throws {
    folder = try ScratchFolder()
    shim = try FaultShim(in: folder)
    let demo = try ProgramRun(
      built: "Demo",
      environment: ["KVO_SAFETY_LOG": folder.path("d.kvolog")]
    )
    #expect(demo.status == 0)
    let make = try CommandRun(
      shell: """
        $audit convert d.kvolog > d.jsonl && printf '{"event":"process","schema":1,"pid":1}\\n' > clean.jsonl
        $audit --no-config --format json d.jsonl > a.json; $audit --no-config --format json clean.jsonl > b.json
        """,
      in: folder.url
    )
    #expect(make.status == 0, "\(make.complaint)")
  }

  private func run(_ arguments: [String], _ environment: [String: String]) throws -> CommandRun {
    try? FileManager.default.removeItem(atPath: folder.path("page.html"))
    return try CommandRun(arguments, in: folder.url, environment: environment)
  }

  /// The rule, the object and the key path of each finding of a JSON report.
  private func findings(_ text: String) throws -> [String] {
    let object = try JSONSerialization.jsonObject(with: Data(text.utf8))
    let report = try #require(object as? [String: Any])
    return try #require(report["findings"] as? [[String: Any]]).map {
      "\($0["code"] ?? "") \($0["message"] ?? "")"
    }
  }

  /// Expects the same findings, with less around them: names of functions, or lines of source code.
  private func expectSameFindings(
    _ run: CommandRun,
    _ whole: CommandRun,
    _ wholePage: String?,
    _ note: String
  ) throws {
    if let wholePage {
      #expect(Self.codes(of: page()) == Self.codes(of: wholePage), "\(note)")
      return
    }
    #expect(try findings(run.output) == findings(whole.output), "\(note)")
  }

  private func page() -> String? {
    try? String(contentsOfFile: folder.path("page.html"), encoding: .utf8)
  }

  @Test(
    "makes no report that looks whole and is not",
    arguments: [
      "--no-config --format json d.kvolog", "--no-config --format json d.jsonl",
      "--no-config --format json clean.jsonl", "--no-config --format html=page.html d.jsonl",
      "merge --no-config --format json a.json b.json",
    ]
  )
  func failing(command: String) throws {
    let arguments = command.split(separator: " ").map(String.init)
    let counting = folder.path("counts")
    let whole = try run(arguments, shim.environment(countingInto: counting))
    let wholePage = page()
    #expect((wholePage == nil) == !command.contains("html"))
    let faults = FaultShim.faults(in: try FaultShim.counts(in: counting))
    #expect(Set(faults.map(\.call)).isSuperset(of: ["open", "read", "write", "fstat"]))
    for fault in faults {
      let run = try run(arguments, shim.environment(fault))
      if run.status == whole.status, run.output == whole.output, page() == wholePage { continue }
      #expect(fault.error != EINTR, "\(fault): a call that a signal interrupts is repeated")
      switch run.status {
      case 1:
        try expectSameFindings(run, whole, wholePage, "\(fault)")
        let saysWhy = command.contains("html") || run.output.contains(": its frames stay addresses")
        #expect(saysWhy, "\(fault): it says why names are missing")
      case 65, 74:
        #expect(run.complaint.contains("kvo-audit: "), "\(fault)")
        if let page = page() { #expect(page.contains("could not be read"), "\(fault)") }
      default: Issue.record("\(fault): status \(run.status), \(run.output)\(run.complaint)")
      }
    }
    print("fault matrix: \(command): \(faults.count) runs, one failing call each")
  }

  /// How many requests of memory fail, in the long form of tests.
  private static let requestCount = Rounds.areMany ? 200 : 4

  @Test(
    "memory that is not to be had ends it without a report that looks whole",
    arguments: [
      "--no-config --format json d.kvolog", "--no-config --format html=page.html d.jsonl",
    ]
  )
  func failingAllocations(command: String) throws {
    let arguments = command.split(separator: " ").map(String.init)
    let counting = folder.path("counts")
    let everywhere = ["FAULT_FILE": "*", "SWIFT_BACKTRACE": "enable=no"]
    let whole = try run(
      arguments,
      shim.environment(countingInto: counting).merging(everywhere) { $1 }
    )
    let wholePage = page()
    let counts = try FaultShim.counts(in: counting)
    var endedCount = 0
    for call in ["malloc", "calloc", "realloc"] {
      let count = try #require(counts[call])
      let step = max(1, count / Self.requestCount)
      for number in stride(from: 1, through: count, by: step) {
        let fault = FaultShim.Fault(call: call, number: number, error: ENOMEM)
        let run = try run(arguments, shim.environment(fault).merging(everywhere) { $1 })
        if run.status == whole.status, run.output == whole.output, page() == wholePage { continue }
        endedCount += 1
        guard run.status > 1 else {
          try expectSameFindings(run, whole, wholePage, "\(fault)")
          continue
        }
        // The report may be out before the process ends.
        #expect(run.output == whole.output || (try? findings(run.output)) == nil, "\(fault)")
        #expect(page() == nil || page() == wholePage, "\(fault)")
      }
    }
    #expect(endedCount > 0)
    print("fault matrix: \(command): \(endedCount) ends for lack of memory")
  }

  /// The rules of the findings of a page, in its order.
  private static func codes(of page: String?) -> [Substring] {
    (page ?? "").matches(of: /class="finding [^>]*data-code="(KVO\d+)"/).map(\.output.1)
  }
}
