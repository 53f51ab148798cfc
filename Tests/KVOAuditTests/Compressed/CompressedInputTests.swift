import Foundation
import KVOAudit
import KVOCompression
import KVOImport
import KVOReports
import KVORules
import KVOTrace
import KVOTraceBinary
import KVOTraceJSON
import TestSupport
import Testing

/// Inputs compressed by the tools that people use.
@Suite("A compressed input") struct CompressedInputTests {
  enum Tool: String, CaseIterable {
    case gzip
    case xz
    case zstd

    /// How messages name the form, and files end.
    var ending: String { self == .gzip ? "gz" : self == .zstd ? "zst" : "xz" }
  }

  private static let log = LogText.doubleRemove(process: 1) + LogText.exit

  private let folder: ScratchFolder

  init() throws { folder = try ScratchFolder() }

  /// Compresses a file, and gives the bytes.
  private func compressed(
    _ bytes: [UInt8],
    by tool: Tool,
    options: String = ""
  ) throws -> [UInt8] {
    let (input, output) = (try folder.file("plain", bytes), folder.path("compressed"))
    // Zstandard declares a smaller window if it knows the size.
    let run = try ProgramRun(shell: "cat '\(input)' | \(tool.rawValue) \(options) -c > '\(output)'")
    #expect(run.status == 0, "\(run)")
    return Array(try Data(contentsOf: URL(filePath: output)))
  }

  /// The same log in its binary form.
  private func binary(_ text: String) -> [UInt8] {
    let reader = JSONLinesReader()
    var writer = BinaryLogWriter(session: 1)
    var bytes: [UInt8] = []
    reader.read(Array(text.utf8)[...]) { _, content in
      if case .event(let event) = content { writer.append(event, names: reader.names, to: &bytes) }
    }
    writer.finish(to: &bytes)
    return bytes
  }

  private func audit(
    _ bytes: [UInt8],
    byteLimit: Int = 1 << 30
  ) throws -> AuditReport {
    let decompression = Decompression(byteLimit: byteLimit)
    let path = try folder.file("input", bytes)
    return Audit(importer: ReportImporter())
      .report(on: [.file(path: path, decompression: decompression)])
  }

  private func json(_ report: AuditReport) -> String {
    String(decoding: JSONReportRenderer().render(report), as: UTF8.self)
  }

  @Test("is judged as what it holds: a log of either form, or text", arguments: Tool.allCases)
  func whole(tool: Tool) throws {
    let console =
      "2026-02-03 04:05:06 App[1:2] *** Terminating app due to uncaught exception "
      + "'NSRangeException', reason: 'Cannot remove an observer <Screen 0x1> for the key path \"balance\" "
      + "from <Account 0x2> because it is not registered as an observer.'\n"
    for bytes in [Array(Self.log.utf8), binary(Self.log), Array(console.utf8)] {
      let plain = try audit(bytes)
      #expect(plain.findings.count == 1 && !plain.isIncomplete)
      #expect(try json(audit(compressed(bytes, by: tool))) == json(plain))
    }
  }

  @Test(
    "may have frames that are skipped, as pzstd writes before its own",
    arguments: [0x50, 0x5f] as [UInt8]
  )
  func skippable(number: UInt8) throws {
    let bytes = Array(Self.log.utf8)
    let skipped: [UInt8] = [number, 0x2a, 0x4d, 0x18, 3, 0, 0, 0, 1, 2, 3]
    let input = try skipped + compressed(bytes, by: .zstd) + skipped
    #expect(try json(audit(input)) == json(audit(bytes)))
  }

  @Test("is whole if it is several, one after the other", arguments: Tool.allCases)
  func members(tool: Tool) throws {
    let lines = Self.log.split(separator: "\n").map { Array(($0 + "\n").utf8) }
    let bytes = try lines.flatMap { try compressed($0, by: tool) }
    #expect(try json(audit(bytes)) == json(audit(Array(Self.log.utf8))))
    // What gzip and tapes fill up with.
    if tool == .gzip {
      #expect(try json(audit(bytes + [UInt8](repeating: 0, count: 1000))) == json(audit(bytes)))
    }
    let followed = try audit(bytes + Array("something else".utf8))
    #expect(followed.findings.map(\.code) == [.doubleRemove])
    #expect(followed.isIncomplete)
  }

  @Test("that is cut gives what precedes the cut, and says so", arguments: Tool.allCases)
  func cut(tool: Tool) throws {
    for plain in [Array(Self.log.utf8), binary(Self.log)] {
      let bytes = try compressed(plain, by: tool)
      let step = Rounds.areMany ? 1 : 7
      for count in Array(stride(from: 6, to: bytes.count, by: step)) + [bytes.count - 1] {
        let report = try audit(Array(bytes[..<count]))
        #expect(report.failures.count == 1 || report.isIncomplete)
        let texts =
          report.failures.map(\.reason) + report.inputs.flatMap { $0.damaged.map(\.message) }
        #expect(
          texts.contains { $0.contains("ends in the middle of its \(tool.rawValue) data") },
          "\(count): \(texts)"
        )
      }
    }
  }

  @Test("says in its report where it is cut")
  func cutText() throws {
    let lines = Self.log.split(separator: "\n").map { Array(($0 + "\n").utf8) }
    let whole = try lines.flatMap { try compressed($0, by: .gzip) }
    let last = try compressed(Array(LogText.exit.utf8), by: .gzip)
    let report = try audit(whole + last.dropLast(4))
    let message =
      "\(folder.path("input")): byte \(whole.count + last.count - 4): ends in the middle of its gzip data"
    let text = String(decoding: TextReportRenderer().render(report), as: UTF8.self)
    #expect(text.contains(message), "\(text)")
    #expect(report.findings.map(\.code) == [.doubleRemove])
  }

  @Test("with any bytes changed ends in a report", arguments: Tool.allCases)
  func flips(tool: Tool) throws {
    let whole = try compressed(binary(Self.log), by: tool)
    var random = SplitMix64(seed: 42)
    for _ in 0..<Rounds.count(100) {
      var bytes = whole
      for _ in 0...Int.random(in: 0..<4, using: &random) {
        bytes[Int.random(in: 6..<bytes.count, using: &random)] = .random(
          in: 0...255,
          using: &random
        )
      }
      let report = try audit(bytes, byteLimit: 1 << 24)
      #expect(report.inputs.count + report.failures.count == 1)
    }
  }

  @Test("that expands beyond the limit is read up to it", arguments: Tool.allCases)
  func bomb(tool: Tool) throws {
    let line = LogText.threadName
    let text = Self.log + String(repeating: line, count: 50_000)
    for plain in [Array(text.utf8), binary(Self.log) + [UInt8](repeating: 0, count: 3_000_000)] {
      let bytes = try compressed(plain, by: tool)
      #expect(bytes.count < plain.count / 100)
      let report = try audit(bytes, byteLimit: 1_000_000)
      // A binary log that may lack events has no finding, compressed or not.
      let beginning = try audit(Array(plain.prefix(1_000_000)))
      #expect(report.findings.map(\.signature) == beginning.findings.map(\.signature))
      if beginning.inputs.first?.kind == .jsonLines {
        #expect(report.findings.map(\.code) == [.doubleRemove], "\(report.failures)")
      }
      #expect(report.isIncomplete)
      let messages = report.inputs.flatMap { $0.damaged.map(\.message) }
      #expect(
        messages.last?.hasPrefix(
          "has more than 1000000 bytes after decompression, and the rest is not read"
        )
          == true,
        "\(messages)"
      )
    }
  }

  @Test(
    "that needs too much memory is refused",
    arguments: [
      (Tool.xz, "--lzma2=preset=0,dict=300MiB", "needs "),
      (.zstd, "--long=31", "needs more than 128 MiB "),
    ]
  )
  func memory(tool: Tool, options: String, reason: String) throws {
    let report = try audit(compressed(Array(Self.log.utf8), by: tool, options: options))
    #expect(report.inputs.isEmpty)
    #expect(
      report.failures.first?.reason.hasPrefix("cannot be decompressed: \(reason)") == true
        && report.failures.first?.reason.contains(" MiB of memory to decompress") == true,
      "\(report.failures)"
    )
  }

  @Test("of nothing is empty, and one of something else is not a log")
  func noLog() throws {
    let empty = try audit(compressed([], by: .gzip))
    #expect(empty.failures.first?.reason.hasPrefix("the input is empty") == true)
    let image = Audit().report(on: [
      .file(
        path: try folder.file("image", compressed([0x89, 0x50, 0x4e, 0x47], by: .xz)),
        decompression: Decompression()
      )
    ])
    #expect(image.failures.first?.reason.contains(#"it begins with "\x89PNG""#) == true)
  }

  @Test("is found in a folder by what it holds")
  func folders() throws {
    let logs = folder.url.appending(path: "logs")
    try FileManager.default.createDirectory(at: logs, withIntermediateDirectories: true)
    for (tool, name) in zip(Tool.allCases, ["a.kvolog", "b.jsonl", "c.txt"]) {
      let bytes = name == "c.txt" ? Array("some words\n".utf8) : Array(Self.log.utf8)
      _ = try folder.file("logs/\(name).\(tool.ending)", compressed(bytes, by: tool))
    }
    _ = try folder.file("logs/d.ips.gz", compressed(Array("{}".utf8), by: .gzip))
    let inputs = AuditInput.inputs(arguments: [logs.path], decompression: Decompression())
    #expect(
      inputs.map { $0.label.replacing(logs.path + "/", with: "") } == [
        "a.kvolog.gz", "b.jsonl.xz", "d.ips.gz",
      ]
    )
  }
}
