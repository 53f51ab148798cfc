import Foundation
import TestSupport
import Testing

@Suite("kvo-audit --by-origin") struct OriginCommandTests {
  private let folder: ScratchFolder

  init() throws {
    folder = try ScratchFolder()
    for path in ["1.0/2026-11-01/a.jsonl", "1.1/2026-11-02/b.jsonl"] {
      let url = folder.url.appending(path: path)
      try FileManager.default.createDirectory(
        at: url.deletingLastPathComponent(),
        withIntermediateDirectories: true
      )
      try LogText.doubleRemove(process: nil).write(to: url, atomically: false, encoding: .utf8)
    }
  }

  private func run(_ arguments: String...) throws -> CommandRun {
    try CommandRun(arguments, in: folder.url)
  }

  private func versions(_ report: String) throws -> [String?] {
    struct Report: Decodable {
      struct Finding: Decodable {
        struct Sighting: Decodable { var version: String? }
        var sightings: [Sighting]
      }
      var findings: [Finding]
    }
    return try JSONDecoder().decode(Report.self, from: Data(report.utf8)).findings
      .flatMap { $0.sightings.map(\.version) }
  }

  @Test("counts by what paths state, with any number of jobs")
  func pattern() throws {
    let pattern = ["--path-pattern", "{version}/{day}/*", "--fail-on", "never", "--format", "json"]
    var outputs: Set<String> = []
    for more in [[], ["--jobs", "1"], ["--jobs", "7", "--by-origin"]] {
      let run = try CommandRun(pattern + more + ["1.0", "1.1"], in: folder.url)
      #expect(run.status == 0 && run.complaint == "")
      #expect(try versions(run.output) == ["1.0", "1.1"])
      outputs.insert(run.output)
    }
    #expect(outputs.count == 1)
  }

  @Test("merged is that of one audit")
  func merged() throws {
    for name in ["1.0", "1.1"] {
      let part = "\(name).json"
      _ = try run(
        "--path-pattern",
        "{version}/{day}/*",
        "--summary",
        part,
        "--format",
        "text=t",
        name
      )
    }
    let merged = try run("merge", "--fail-on", "never", "--format", "json", "1.1.json", "1.0.json")
    #expect(try versions(merged.output) == ["1.0", "1.1"])
  }

  @Test("refuses what it cannot count")
  func refusals() throws {
    let pattern = try run("--path-pattern", "{build}/*", "1.0")
    #expect(pattern.status == 64)
    #expect(pattern.complaint.contains("\"{build}\" is not known; known are {version}"))
    let all = try run("--by-origin", "--profile", "all", "1.0")
    #expect(all.status == 64)
    #expect(all.complaint.contains("--profile all and --by-origin cannot go together"))
    #expect(try run("--jobs", "0", "1.0").status == 64)
    let parquet = try run("export", "--to", "parquet", "1.0", "-o", "out")
    #expect(parquet.status == 64)
    #expect(parquet.complaint.contains("Parquet is written by the Python package"))
  }
}
