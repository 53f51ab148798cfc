import Foundation
import TestSupport
import Testing

@testable import KVOLaunch

/// Which programs are run, and what is said of the others, before anything runs.
@Suite("Launch plans")
struct LaunchPlanTests {
  private let folder: ScratchFolder

  init() throws { folder = try ScratchFolder() }

  /// An ELF program of this machine, whose bytes can be changed.
  private static func program() throws -> [UInt8] {
    Array(try Data(contentsOf: URL(filePath: "/bin/sh").resolvingSymlinksInPath()))
  }

  private func executable(_ name: String, _ bytes: [UInt8]) throws -> String {
    let path = try folder.file(name, bytes)
    try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: path)
    return path
  }

  private func executable(_ name: String, _ text: String) throws -> String {
    try executable(name, Array(text.utf8))
  }

  private func plan(_ command: String..., searchPath: String? = nil) throws -> LaunchPlan {
    try LaunchPlan(command: command, searchPath: searchPath)
  }

  private func refusal(_ name: String, searchPath: String? = nil) -> LaunchRefusal? {
    do throws(LaunchRefusal) {
      _ = try LaunchPlan(command: [name], searchPath: searchPath)
      return nil
    } catch {
      return error
    }
  }

  /// Changes the program header of the loader's name; returns the offset of the name.
  private func loaderName(
    in bytes: inout [UInt8],
    _ change: (inout [UInt8], Int) -> Void = { _, _ in }
  ) throws -> Int {
    func word(_ at: Int, _ count: Int) -> Int {
      (0..<count).reduce(0) { $0 | Int(bytes[at + $1]) << (8 * $1) }
    }
    let header = try #require(
      (0..<word(56, 2)).map { word(32, 8) + $0 * word(54, 2) }.first { word($0, 4) == 3 }
    )
    let name = word(header + 8, 8)
    change(&bytes, header)
    return name
  }

  @Test("a name without a slash is searched in the folders of PATH, in their order")
  func search() throws {
    let path = try executable("tool", "#!/bin/sh\n")
    let found = try plan("tool", "x", searchPath: "/nosuch:\(folder.path):/bin")
    #expect(found.executable == path)
    #expect(found.arguments == ["tool", "x"])
    #expect(try plan("sh").executable == "/bin/sh")
  }

  @Test("a program that is not there gives 127")
  func missing() throws {
    #expect(
      refusal("tool", searchPath: folder.path)
        == .missing("the program \"tool\" is in no folder of PATH")
    )
    #expect(refusal("", searchPath: folder.path)?.status == 127)
    let path = folder.path("none")
    #expect(refusal(path) == .missing("the program \"\(path)\" does not exist"))
  }

  @Test("a file that may not be executed results in 126, also if it is found in PATH")
  func notExecutable() throws {
    let path = try folder.file("data", "#!/bin/sh\n")
    let expected = LaunchRefusal.unusable(
      "\"\(path)\" is not executable; if it is a program: chmod +x \"\(path)\""
    )
    #expect(refusal(path) == expected)
    #expect(refusal("data", searchPath: folder.path) == expected)
    #expect(refusal(folder.path) == .unusable("\"\(folder.path)\" is a folder, not a program"))
    #expect(
      refusal("/dev/null") == .unusable("\"/dev/null\" is not a regular file, and so no program")
    )
  }

  @Test("a script has the kind of its interpreter")
  func script() throws {
    let inner = try executable("inner", "#! /bin/sh -e\necho\n")
    let outer = try executable("outer", "#!\(inner)\n")
    let plan = try plan(outer, "x")
    #expect(plan.executable == outer && plan.arguments == [outer, "x"])
    #expect(plan.image == "/bin/sh" && plan.loader != nil && !plan.isStatic)
  }

  @Test("scripts of scripts are run as deep as the kernel runs them")
  func nestedScripts() throws {
    var paths = [try executable("script1", "#!/bin/sh\n")]
    for number in 2...6 {
      paths.append(try executable("script\(number)", "#!\(paths[number - 2])\n"))
    }
    for path in paths.dropLast() {
      #expect(try plan(path).image == "/bin/sh")
      #expect(try ProgramRun(URL(filePath: path)).status == 0)
    }
    #expect(refusal(paths[5])?.message.contains("too many interpreters") == true)
    #expect(throws: (any Error).self) { try ProgramRun(URL(filePath: paths[5])) }
  }

  @Test("a text without an interpreter is run by the shell")
  func plainText() throws {
    let path = try executable("text", "echo hello\n")
    let plan = try plan(path, "x")
    #expect(plan.executable == "/bin/sh" && plan.arguments == ["/bin/sh", path, "x"])
    #expect(plan.image == "/bin/sh")
  }

  @Test("an interpreter that is not there is named")
  func missingInterpreter() throws {
    let path = try executable("tool", "#!/no/such/python\n")
    #expect(
      refusal(path)
        == .unusable(
          "\"\(path)\" is to be run by \"/no/such/python\", as its first line says, and that does "
            + "not exist"
        )
    )
    let own = folder.path("own")
    _ = try executable("own", "#!\(own)\n")
    #expect(
      refusal(own)
        == .unusable("\"\(own)\" is a script, and too many interpreters of it are scripts, too")
    )
  }

  @Test("a program for another processor is not run")
  func machine() throws {
    var bytes = try Self.program()
    bytes[18] = 243
    let path = try executable("tool", bytes)
    #expect(
      refusal(path)
        == .unusable(
          "\"\(path)\" was built for 64-bit RISC-V, and this kvo-audit records programs for "
            + "\(ElfProgram.Machine.own); run a kvo-audit of that machine"
        )
    )
    #expect(refusal(try executable("script", "#!\(path)\n"))?.message.contains("RISC-V") == true)
  }

  @Test("a program without a loader is linked statically, and run")
  func statically() throws {
    var bytes = try Self.program()
    _ = try loaderName(in: &bytes) { $0[$1] = 0 }
    #expect(try plan(executable("tool", bytes)).isStatic)
    #expect(try !plan("/bin/sh").isStatic)
  }

  @Test("a program whose loader is not here is not run")
  func missingLoader() throws {
    var bytes = try Self.program()
    let name = try loaderName(in: &bytes)
    bytes[name + 1] = UInt8(ascii: "X")
    let path = try executable("tool", bytes)
    let loader = String(decoding: bytes[name...].prefix { $0 != 0 }, as: UTF8.self)
    #expect(
      refusal(path)
        == .unusable(
          "\"\(path)\" needs the loader \"\(loader)\", which is not on this machine: it was built "
            + "for another system"
        )
    )
  }

  @Test("headers that end early or have wrong values are damage, and nothing worse")
  func damage() throws {
    let bytes = try Self.program()
    for count in 4..<256 {
      let path = try executable("tool", Array(bytes[..<count]))
      #expect(refusal(path) == .unusable("\"\(path)\" is an ELF file with damaged headers"))
    }
    for place in 4..<64 {
      for value: UInt8 in [0, 1, 0x7F, 0x80, 0xFF] {
        var changed = bytes
        changed[place] = value
        _ = refusal(try executable("tool", changed))
      }
    }
    var endless = bytes
    _ = try loaderName(in: &endless) { bytes, header in
      for place in header + 32..<header + 40 { bytes[place] = 0xFF }
    }
    let path = try executable("tool", endless)
    #expect(refusal(path) == .unusable("\"\(path)\" is an ELF file with damaged headers"))
  }

  @Test("a file that is neither a program nor text is not passed to a shell")
  func other() throws {
    let path = try executable("tool", [0, 1, 2, 3])
    #expect(refusal(path) == .unusable("\"\(path)\" is neither a program nor a script"))
    let apple = try executable("app", [0xCF, 0xFA, 0xED, 0xFE, 7, 0, 0, 1])
    #expect(
      refusal(apple)?.message.hasPrefix("\"\(apple)\" is a program of Apple's systems") == true
    )
    #expect(try plan(executable("empty", "")).executable == "/bin/sh")
  }

  @Test("a program that takes no orders from the environment is not run")
  func setuid() throws {
    var path = "/usr/bin/passwd"
    if getuid() == 0 {
      path = try executable("tool", Self.program())
      #expect(chown(path, 65534, 65534) == 0 && chmod(path, 0o4755) == 0)
    }
    #expect(
      refusal(path)
        == .unusable(
          "\"\(path)\" is setuid, and such a program takes no orders from the environment; record a "
            + "copy of it, which is not: cp \"\(path)\" ."
        )
    )
    if getuid() == 0 {
      #expect(chmod(path, 0o2755) == 0)
      #expect(refusal(path)?.message.contains("is setgid,") == true)
      #expect(chown(path, 0, 0) == 0 && chmod(path, 0o6755) == 0)
      #expect(refusal(path) == nil)
    }
  }
}
