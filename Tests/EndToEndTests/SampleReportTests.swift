import Foundation
import TestSupport
import Testing

/// The sample reports in Reports/ are what the examples give, word for word.
///
/// `make reports` writes them again; the difference shows what changed.
@Suite("Sample reports")
struct SampleReportTests {
  private static let writes = ProcessInfo.processInfo.environment["KVO_SAFETY_WRITE_REPORTS"] == "1"
  private let folder: ScratchFolder

  init() throws { folder = try ScratchFolder() }

  @Test("an example's audit is its sample, as text", arguments: Example.all)
  func text(example: Example) throws {
    let (log, run) = try example.recordSample(in: folder)
    #expect(run.status == 0)
    let audit = try Built.run("kvo-audit", [log.lastPathComponent], in: folder.url)
    #expect(audit.complaint == "")
    #expect(audit.status == example.status)
    try Self.compare(audit.output, with: "\(example.name).txt")
  }

  @Test("the demo's audit is its sample, as JSON")
  func json() throws {
    let demo = Example(name: "Demo", status: 1)
    let (log, _) = try demo.recordSample(in: folder)
    let audit = try Built.run(
      "kvo-audit",
      ["--format", "json", log.lastPathComponent],
      in: folder.url
    )
    #expect(audit.status == 1)
    _ = try JSONSerialization.jsonObject(with: Data(audit.output.utf8))
    try Self.compare(audit.output.withoutMachine, with: "Demo.json")
  }

  @Test("crash reports and a console, grouped", arguments: ["text", "json", "html"])
  func crashes(format: String) throws {
    let examples = Built.package.appending(path: "Examples/Crashes")
    let files = try FileManager.default.contentsOfDirectory(atPath: examples.path).sorted()
    for file in files {
      try FileManager.default.copyItem(
        at: examples.appending(path: file),
        to: folder.url.appending(path: file)
      )
    }
    let audit = try Built.run("kvo-audit", ["--format", format] + files, in: folder.url)
    #expect(audit.complaint == "")
    #expect(audit.status == 1)
    try Self.compare(audit.output, with: "Crashes.\(format == "text" ? "txt" : format)")
  }

  @Test(
    "the demo's audit is its sample, in the other forms",
    arguments: ["sarif", "junit", "markdown"]
  )
  func form(_ form: String) throws {
    let demo = Example(name: "Demo", status: 1)
    let (log, _) = try demo.recordSample(in: folder)
    let audit = try Built.run(
      "kvo-audit",
      ["--format", form, "--source-root", Built.package.path, log.lastPathComponent],
      in: folder.url
    )
    #expect(audit.status == 1 && audit.complaint == "")
    let endings = ["sarif": "sarif", "junit": "junit.xml", "markdown": "md"]
    try Self.compare(
      audit.output.withoutMachine,
      with: "Demo.\(endings[form] ?? form)"
    )
  }

  @Test("the demo's audit is its sample, as a page")
  func page() throws {
    let demo = Example(name: "Demo", status: 1)
    let (log, _) = try demo.recordSample(in: folder)
    let audit = try Built.run(
      "kvo-audit",
      ["--format", "html", log.lastPathComponent],
      in: folder.url
    )
    #expect(audit.status == 1 && audit.complaint == "")
    try Self.compare(audit.output, with: "Demo.html")
  }

  @Test("the index names every sample")
  func index() throws {
    let reports = Built.package.appending(path: "Reports")
    let index = try String(contentsOf: reports.appending(path: "README.md"), encoding: .utf8)
    let files = try FileManager.default.contentsOfDirectory(atPath: reports.path)
    for file in files where file != "README.md" {
      #expect(index.contains("(\(file))"), "Reports/README.md does not link to \(file)")
    }
  }

  static func compare(_ report: String, with file: String) throws {
    let sample = Built.package.appending(path: "Reports/\(file)")
    if Self.writes { try report.write(to: sample, atomically: true, encoding: .utf8) }
    #expect(try report == String(contentsOf: sample, encoding: .utf8))
  }
}
