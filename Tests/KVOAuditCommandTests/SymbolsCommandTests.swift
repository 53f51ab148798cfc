import Foundation
import TestSupport
import Testing

@Suite("kvo-audit symbols")
struct SymbolsCommandTests {
  private let scratch: ScratchFolder
  private var store: String { scratch.path("store") }

  init() throws { scratch = try ScratchFolder() }

  private func run(
    _ arguments: String...,
    environment: [String: String?] = [:]
  ) throws -> ProgramRun {
    let all: [String: String?] = [
      "KVO_SAFETY_SYMBOLS": nil, "KVO_SAFETY_INDEX": nil,
      "XDG_CACHE_HOME": scratch.path("cache"),
    ]
    return try ProgramRun(
      built: "kvo-audit",
      arguments,
      environment: all.merging(environment) { $1 }
    )
  }

  /// A copy of a program with a fault, and its log.
  private func recorded() throws -> (program: String, log: String) {
    let program = scratch.path("app")
    let log = scratch.path("app.kvolog")
    try FileManager.default.copyItem(
      atPath: ProgramRun.built("ObserverDies").path,
      toPath: program
    )
    _ = try ProgramRun(
      URL(filePath: program),
      [],
      environment: ["KVO_SAFETY_LOG": log, "KVO_SAFETY_INDEX": "off"]
    )
    return (program, log)
  }

  @Test("adds what the audit of a stripped program, or of one that is gone, needs")
  func audits() throws {
    let (program, log) = try recorded()
    let whole = try run("--format", "json", log)
    #expect(whole.output.contains("main.swift"))
    let added = try run("symbols", "add", "--symbols", store, program)
    #expect(added.output.hasPrefix("\(program): added as "))
    #expect(added.status == 0 && added.complaint == "")
    #expect(
      try run("symbols", "add", "--symbols", store, program).output.contains(
        ": is in the store as "
      )
    )

    try #require(ProgramRun(command: ["strip", program]).status == 0)
    #expect(try run("--format", "json", log).output != whole.output)
    #expect(try run("--symbols", store, "--format", "json", log) == whole)
    try FileManager.default.removeItem(atPath: program)
    #expect(try run("--symbols", store, "--format", "json", log) == whole)
    // Every command takes the store of the environment.
    let environment = ["KVO_SAFETY_SYMBOLS": store]
    #expect(try run("--format", "json", log, environment: environment) == whole)
    #expect(try run("growth", log, environment: environment).output.contains("main.swift"))
    // The index of the store was used: no other one was made.
    #expect(!FileManager.default.fileExists(atPath: scratch.path("cache")))
    #expect(try FileManager.default.contentsOfDirectory(atPath: "\(store)/index").count == 1)
  }

  @Test("creates no index if the environment disables them")
  func withoutIndex() throws {
    let (program, _) = try recorded()
    let off = ["KVO_SAFETY_INDEX": "off"]
    let run = try run("symbols", "add", "--symbols", store, program, environment: off)
    #expect(run.status == 0 && run.complaint == "")
    #expect(!FileManager.default.fileExists(atPath: "\(store)/index"))
    #expect(try self.run("symbols", "add", "--symbols", store, program).status == 0)
    #expect(try FileManager.default.contentsOfDirectory(atPath: "\(store)/index").count == 1)
  }

  @Test("names what it cannot add, and adds the rest")
  func refusals() throws {
    let (program, log) = try recorded()
    let run = try run(
      "symbols",
      "add",
      log,
      "/missing",
      program,
      environment: ["KVO_SAFETY_SYMBOLS": store]
    )
    #expect(run.status == 65)
    #expect(run.output.hasPrefix("\(program): added as "))
    #expect(
      run.complaint == """
        kvo-audit: "\(log)" is not added: it is not an ELF file with a build-id, a dSYM or a folder of them
        kvo-audit: "/missing" does not exist

        """
    )
    let none = try self.run("symbols", "add", program)
    #expect(none.status == 64)
    // As an unset variable of a script gives it.
    #expect(try self.run("symbols", "add", "--symbols", "", program) == none)
    #expect(
      none.complaint == """
        Error: Name the folder of the store, as in --symbols /srv/symbols, or in KVO_SAFETY_SYMBOLS.
          See 'kvo-audit symbols add --help' for more information.

        """
    )
    let text = try scratch.file("text", "no folder")
    let refused = try self.run("symbols", "add", "--symbols", text, program)
    #expect(refused.status == 74)
    #expect(refused.complaint.contains("cannot be written: Not a directory"))
  }

  @Test("adds both the ELF files and the dSYMs in a folder")
  func mixedFolder() throws {
    let (program, _) = try recorded()
    let both = scratch.path("both")
    let dwarf = "\(both)/App.dSYM/Contents/Resources/DWARF"
    try FileManager.default.createDirectory(atPath: dwarf, withIntermediateDirectories: true)
    try FileManager.default.moveItem(atPath: program, toPath: "\(both)/app")
    try Data(Self.machO).write(to: URL(filePath: "\(dwarf)/App"))
    let run = try run("symbols", "add", "--symbols", store, both)
    #expect(run.status == 0 && run.complaint == "")
    #expect(run.output.hasPrefix("\(both)/app: added as "))
    #expect(
      run.output.hasSuffix(
        "\n\(dwarf)/App: added as 0102030405060708090A0B0C0D0E0F10, 128 bytes\n"
      )
    )
  }

  /// The headers of a file in Apple's format: a UUID and the segment of code.
  private static var machO: [UInt8] {
    func words(_ words: UInt32...) -> [UInt8] {
      words.flatMap { word in (0..<4).map { UInt8(truncatingIfNeeded: word >> (8 * $0)) } }
    }
    var bytes = words(0xfeed_facf, 0x0100_000c, 0, 10, 2, 96, 0, 0)
    bytes += words(0x1b, 24)
    bytes += 1...16
    bytes += words(0x19, 72)
    bytes += Array("__TEXT".utf8) + [UInt8](repeating: 0, count: 10)
    bytes += words(0, 1) + [UInt8](repeating: 0, count: 40)
    return bytes
  }

  @Test("leaves a store whole if several add at once")
  func severalProcesses() throws {
    let (program, _) = try recorded()
    let audit = try ProgramRun.built("kvo-audit").path
    let add = "'\(audit)' symbols add --symbols '\(store)' '\(program)'"
    let run = try ProgramRun(
      shell: "\(add) & \(add) & \(add) & wait; find '\(store)' -type f | wc -l; \(add)",
      environment: ["KVO_SAFETY_SYMBOLS": nil]
    )
    #expect(run.output.contains("\n2\n"), "\(run)")
    #expect(run.output.split(separator: "\n").last?.contains(": is in the store as ") == true)
    #expect(run.complaint == "")
  }

  @Test("does not wait for a FIFO that nobody writes to")
  func fifo() throws {
    _ = try scratch.file("log.jsonl", LogText.exit)
    let run = try CommandRun(
      shell: """
        mkfifo fifo
        timeout 30 "$audit" symbols add --symbols store fifo; echo $?
        timeout 30 "$audit" --dsym fifo log.jsonl > out; echo $?
        """,
      in: scratch.url
    )
    #expect(run.output == "65\n0\n")
  }
}
