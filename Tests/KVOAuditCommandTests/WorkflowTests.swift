import Foundation
import TestSupport
import Testing

/// The steps of the workflows in Documentation, with a `swift` that records a fault in place of tests.
@Suite("The workflows for forges")
struct WorkflowTests {
  private static let removal =
    #"{"event":"remove","subject":{"class":"A","id":"1"},"observer":{"class":"B","id":"2"},"keyPath":"k"}"#

  private let folder: ScratchFolder

  init() throws {
    folder = try ScratchFolder()
    let log = try folder.file("recorded", Self.removal + "\n{\"event\":\"exit\",\"status\":0}\n")
    let swift = """
      #!/bin/bash
      case "$1 $2" in
        "test ") cp '\(log)' "${KVO_SAFETY_LOG//%p/1}" ;;
        "run kvo-audit") exec '\(try ProgramRun.built("kvo-audit").path)' "${@:3}" ;;
        *) exit 64 ;;
      esac
      """
    let file = try folder.file("swift", swift)
    try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: file)
    try FileManager.default.createDirectory(
      at: folder.url.appending(path: "repository/.git"),
      withIntermediateDirectories: true
    )
  }

  private func workflow(_ name: String) throws -> [Substring] {
    let file = ProgramRun.package.appending(path: "Documentation/Workflows/\(name)")
    return try String(contentsOf: file, encoding: .utf8)
      .split(separator: "\n", omittingEmptySubsequences: false)
  }

  /// What follows the line that `begins` so, as long as it is indented more deeply.
  private func block(after begins: String, in lines: [Substring]) -> [String] {
    guard let start = lines.firstIndex(where: { $0.contains(begins) }) else { return [] }
    let depth = lines[start].prefix { $0 == " " }.count
    return lines[(start + 1)...].prefix { $0.isEmpty || $0.prefix { $0 == " " }.count > depth }
      .map { $0.trimmingCharacters(in: .whitespaces) }
  }

  private func run(_ script: String, _ environment: [String: String]) throws -> ProgramRun {
    let path = ProcessInfo.processInfo.environment["PATH"] ?? ""
    return try ProgramRun(
      shell: "set -e -o pipefail\n" + script,
      in: folder.url.appending(path: "repository"),
      environment: ["PATH": "\(folder.path):\(path)", "NO_COLOR": nil]
        .merging(environment) { $1 }
    )
  }

  private func object(_ file: String) throws -> Any {
    let url = folder.url.appending(path: "repository/\(file)")
    return try JSONSerialization.jsonObject(with: Data(contentsOf: url))
  }

  @Test("for GitHub records the tests, audits, annotates and writes the uploaded files")
  func gitHub() throws {
    let lines = try workflow("github.yml")
    let tests = block(after: "- name: Test, recorded", in: lines)
    #expect(tests.first == "run: |")
    let recorded = try run(tests.dropFirst().joined(separator: "\n"), [:])
    #expect(recorded.status == 0, "\(recorded)")
    let step = try #require(
      block(after: "- name: Audit", in: lines).first { $0.hasPrefix("run: ") }
    )
    let audited = try run(
      String(step.dropFirst("run: ".count)),
      ["GITHUB_ACTIONS": "true", "GITHUB_STEP_SUMMARY": folder.path("summary")]
    )
    #expect(audited.status == 1)
    #expect(audited.output.contains("SUMMARY: 1 error"))
    #expect(audited.complaint.hasPrefix("::error title=KVO002"))
    let summary = try String(contentsOfFile: folder.path("summary"), encoding: .utf8)
    #expect(summary.contains("## KVO audit: 1 error"))
    let upload = try #require(lines.first { $0.contains("sarif_file: ") })
    _ = try object(upload.components(separatedBy: "sarif_file: ")[1])
  }

  @Test("for GitLab records the tests, audits and writes its reports")
  func gitLab() throws {
    let lines = try workflow("gitlab.yml")
    let steps = block(after: "  script:", in: lines)
    let script = steps.map { $0.dropFirst($0.hasPrefix("- ") ? 2 : 0) }.joined(separator: "\n")
    let run = try run(script, [:])
    #expect(run.status == 1, "\(run)")
    #expect(run.output.contains("SUMMARY: 1 error"))
    for report in block(after: "reports:", in: lines) {
      let file = report.components(separatedBy: ": ")[1]
      #expect(FileManager.default.fileExists(atPath: folder.path("repository/\(file)")))
    }
    let problems = try #require(object("kvo-gitlab.json") as? [[String: Any]])
    #expect(problems.map { $0["severity"] as? String } == ["critical"])
  }
}
