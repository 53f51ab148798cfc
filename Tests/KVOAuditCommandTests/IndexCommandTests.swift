import Foundation
import TestSupport
import Testing

@Suite("kvo-audit index")
struct IndexCommandTests {
  private let scratch: ScratchFolder
  private let program: URL

  init() throws {
    scratch = try ScratchFolder()
    program = try ProgramRun.built("CrashProbe")
  }

  private func run(
    _ arguments: String...,
    environment: [String: String?] = [:]
  ) throws -> ProgramRun {
    let cache: [String: String?] = [
      "KVO_SAFETY_INDEX": nil, "XDG_CACHE_HOME": scratch.path("cache"),
    ]
    return try ProgramRun(
      built: "kvo-audit",
      ["index"] + arguments,
      environment: cache.merging(environment) { $1 }
    )
  }

  @Test("An index is made once, and removed")
  func makes() throws {
    let path = program.path
    let made = try run(path)
    #expect(made.status == 0)
    #expect(made.complaint == "")
    #expect(made.output.hasPrefix("\(path): indexed, ") && made.output.hasSuffix(" bytes\n"))
    #expect(try run(path) == ProgramRun(output: "\(path): has an index\n"))
    let folder = scratch.path("cache/kvo-audit")
    let removed = try run("--remove").output
    #expect(
      removed.hasPrefix("Removed 1 index, ") && removed.hasSuffix(" bytes, from \(folder).\n")
    )
    #expect(!FileManager.default.fileExists(atPath: folder))
    #expect(try run("--remove", path).output.contains(": indexed, "))
  }

  @Test("Images without an index, and folders that cannot be written, are reported")
  func refusals() throws {
    let text = try scratch.file("text", "no program")
    #expect(
      try run(text, "/missing")
        == ProgramRun(
          complaint: """
            kvo-audit: "\(text)" is not an ELF file: its frames stay addresses
            kvo-audit: "/missing" does not exist on this machine: its frames stay addresses

            """,
          status: 65
        )
    )
    let refused = try run(program.path, environment: ["XDG_CACHE_HOME": "\(text)/below"])
    #expect(
      refused
        == ProgramRun(
          complaint: "kvo-audit: the index of \"\(program.path)\" cannot be written to "
            + "\"\(text)/below/kvo-audit\"\n",
          status: 74
        )
    )
    #expect(try run(program.path, environment: ["KVO_SAFETY_INDEX": "off"]).status == 74)
    #expect(try run().status == 64)
  }

  @Test("Two processes that make an index at once leave one that both can use")
  func twoProcesses() throws {
    let audit = try ProgramRun.built("kvo-audit").path
    let script = """
      '\(audit)' index '\(program.path)' & '\(audit)' index '\(program.path)' & wait
      ls "$XDG_CACHE_HOME/kvo-audit" | wc -l; '\(audit)' index '\(program.path)'
      """
    let run = try ProgramRun(
      shell: script,
      environment: ["KVO_SAFETY_INDEX": nil, "XDG_CACHE_HOME": scratch.path("cache")]
    )
    #expect(run.output.hasSuffix("1\n\(program.path): has an index\n"))
    #expect(run.complaint == "")
  }

  @Test("An index beyond the limit of file sizes is not written, and leaves no file")
  func fileSizeLimit() throws {
    let run = try CommandRun(
      shell: """
        unset KVO_SAFETY_INDEX; export XDG_CACHE_HOME=$PWD/cache
        (ulimit -f 8; $audit index '\(program.path)'); echo $?
        ls cache/kvo-audit | wc -l
        $audit index '\(program.path)' > made; echo $?
        """,
      in: scratch.url
    )
    #expect(run.output == "74\n0\n0\n")
    #expect(
      run.complaint.hasPrefix("kvo-audit: the index of \"\(program.path)\" cannot be written")
    )
  }

  @Test("A folder at the path of an index is not an index")
  func folderInPlace() throws {
    let run = try CommandRun(
      shell: """
        unset KVO_SAFETY_INDEX; export XDG_CACHE_HOME=$PWD/cache
        $audit index '\(program.path)' > made; echo $?
        for index in cache/kvo-audit/*; do rm $index; mkdir $index; touch $index/file; done
        $audit index '\(program.path)'; echo $?
        """,
      in: scratch.url
    )
    #expect(run.output == "0\n74\n")
    #expect(
      run.complaint.hasPrefix("kvo-audit: the index of \"\(program.path)\" cannot be written")
    )
  }

  @Test("A file of --dsym that is not there or has no symbols is reported")
  func unusedDebugFiles() throws {
    let text = try scratch.file("text", "no program")
    for path in ["/missing", text] {
      let index = try run("--dsym", path, program.path)
      #expect(index.status == 65)
      #expect(
        index.complaint
          == "kvo-audit: \"\(path)\" is not used: there is no ELF file with a build-id\n"
      )
    }
  }
}
