import Foundation
import TestSupport
import Testing

/// Logs that the recorder writes, with symbolicated addresses, as shared with others.
@Suite("The anonymized log of an example")
struct AnonymizedExampleTests {
  private let folder: ScratchFolder

  init() throws { folder = try ScratchFolder() }

  /// The report of a log, without signatures, and with single blanks instead of aligned columns.
  private func report(on log: String) throws -> String {
    let audit = try Built.run("kvo-audit", [log], in: folder.url)
    #expect(audit.complaint == "")
    return Self.plain(audit.output)
  }

  private static func plain(_ report: String) -> String {
    report.replacing(#/(Signature: |, )2:[0-9a-f]+/#, with: "").replacing(#/ +/#, with: " ")
  }

  @Test(
    "has the report of the log itself, under the map, and no name of it",
    arguments: Example.all
  )
  func report(example: Example) throws {
    let log = try example.record(in: folder).log.lastPathComponent
    let made = try Built.run(
      "kvo-audit",
      ["anonymize", log, "-o", "given", "--key", "key", "--map", "map"],
      in: folder.url
    )
    #expect(made.status == 0)
    let given = try report(on: "given")
    _ = try folder.file("report", given)
    let restored = try Built.run(
      "kvo-audit",
      ["anonymize", "--restore", "map", "report"],
      in: folder.url
    )
    #expect(try Self.plain(restored.output) == report(on: log))
    let bytes = try Data(contentsOf: folder.url.appending(path: "given"))
    let text = String(decoding: bytes, as: Unicode.ASCII.self)
    for name in ["Account", "BalanceScreen", "Screen.", "balance", "Greeting", example.name] {
      #expect(!text.contains(name), "\(name)")
      #expect(!given.contains(name), "\(name)")
    }
  }
}
