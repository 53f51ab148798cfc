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
      case 1 where command.contains("html"):
        // The same findings, with less around them: names of functions, or lines of source code.
        #expect(Self.codes(of: page()) == Self.codes(of: wholePage), "\(fault)")
      case 1:
        #expect(try findings(run.output) == findings(whole.output), "\(fault)")
        #expect(
          run.output.contains(": its frames stay addresses"),
          "\(fault): it says why names are missing"
        )
      case 65, 74:
        #expect(run.complaint.contains("kvo-audit: "), "\(fault)")
        if let page = page() { #expect(page.contains("could not be read"), "\(fault)") }
      default: Issue.record("\(fault): status \(run.status), \(run.output)\(run.complaint)")
      }
    }
    print("fault matrix: \(command): \(faults.count) runs, one failing call each")
  }

  /// The rules of the findings of a page, in its order.
  private static func codes(of page: String?) -> [Substring] {
    (page ?? "").matches(of: /class="finding [^>]*data-code="(KVO\d+)"/).map(\.output.1)
  }
}
