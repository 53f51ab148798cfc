import Foundation
import Glibc
import KVORules
import KVOTrace
import TestSupport
import Testing

@testable import KVOSymbols

@Suite("Damaged images", .enabled(if: CFixture.isAvailable, "gcc and binutils are needed"))
struct DamagedImageTests {
  private func withoutNumbers(_ text: String) -> String {
    text.split(separator: " ").map { $0.allSatisfy(\.isNumber) ? "N" : String($0) }
      .joined(separator: " ")
  }

  /// Looks up every function of the fixture, from one byte before it to one after it.
  private func resolveAll(_ fixture: CFixture, path: String, functions: [Range<UInt64>]) -> Int {
    let resolver = DwarfFrameResolver()
    let module = Module(path: path, buildID: "", loadBias: 0, textStart: 0, textEnd: .max)
    var count = 0
    for function in functions {
      for address in (function.lowerBound - 1)...function.upperBound {
        count += resolver.frames(at: address + 1, in: module).count
      }
    }
    return count + (resolver.problem(with: module) == nil ? 1 : 0)
  }

  @Test("A file that is cut short at any byte is damaged, and has no frames")
  func truncation() throws {
    let fixture = try CFixture("-g")
    let functions = [try fixture.function("outer"), try fixture.function("hidden")]
    let bytes = try Data(contentsOf: URL(fileURLWithPath: fixture.path))
    let path = try fixture.folder.file("cut.so", Array(bytes))
    var kinds: Set<String> = []
    var resolved: [Int] = []
    for size in stride(from: bytes.count - 1, through: 0, by: -1) {
      try #require(truncate(path, size) == 0)
      if resolveAll(fixture, path: path, functions: functions) != 0 { resolved.append(size) }
      let problem = DwarfFrameResolver().problem(
        with: Module(path: path, buildID: "", loadBias: 0, textStart: 0, textEnd: .max)
      )
      kinds.insert(withoutNumbers(try #require(problem)))
    }
    #expect(resolved == [])
    let name = withoutNumbers(path)
    #expect(
      kinds == [
        "\"\(name)\" is not an ELF file: its frames stay addresses",
        "\"\(name)\" is damaged (it ends within its header, after N bytes): its frames stay addresses",
        "\"\(name)\" is damaged (its segment table ends after the file's N bytes): "
          + "its frames stay addresses",
        "\"\(name)\" is damaged (its section table ends after the file's N bytes): "
          + "its frames stay addresses",
      ]
    )
  }

  @Test("Flipped bytes cost names, never the program", arguments: [4, 5])
  func flippedBytes(version: Int) throws {
    let fixture = try CFixture("-g", "-gdwarf-\(version)")
    let functions = [try fixture.function("outer"), try fixture.function("hidden")]
    let original = [UInt8](try Data(contentsOf: URL(fileURLWithPath: fixture.path)))
    var random = SplitMix64(seed: UInt64(version))
    var intact = 0
    for _ in 0..<1_000 {
      var bytes = original
      for _ in 0..<Int.random(in: 1...8, using: &random) {
        bytes[Int.random(in: bytes.indices, using: &random)] = .random(in: 0...255, using: &random)
      }
      let path = try fixture.folder.file("flipped.so", bytes)
      intact += resolveAll(fixture, path: path, functions: functions) > 0 ? 1 : 0
    }
    // Most bytes of a file are padding: were none resolved, the test would look at nothing.
    #expect(intact > 0)
  }

  @Test("Every byte of the debug information set to 0 and to 255 costs names at most")
  func everyByteOfDebugInformation() throws {
    let fixture = try CFixture("-g")
    let functions = [try fixture.function("outer")]
    let original = [UInt8](try Data(contentsOf: URL(fileURLWithPath: fixture.path)))
    var resolved = 0
    let sections = [
      ".debug_info", ".debug_abbrev", ".debug_line", ".debug_str", ".debug_line_str",
    ]
    for name in sections {
      for index in try fixture.section(name) {
        for value: UInt8 in [0, 255] {
          var bytes = original
          bytes[index] = value
          let path = try fixture.folder.file("flipped.so", bytes)
          resolved += resolveAll(fixture, path: path, functions: functions)
        }
      }
    }
    #expect(resolved > 0)
  }

  @Test(
    "A name that the debug information does not end is not used, compressed or not",
    arguments: ["\t.fill 4096, 1, 'x'", ""],
    [[], ["--compress-debug-sections=zlib"], ["--compress-debug-sections=zlib-gnu"]]
  )
  func endlessName(text: String, compression: [String]) throws {
    let folder = try ScratchFolder()
    let assembly = try folder.file("endless.s", Self.endlessName(text))
    let path = folder.path("endless.so")
    try #require(Tool("gcc")).run(["-shared", "-nostdlib", "-o", path, assembly])
    if !compression.isEmpty { try #require(Tool("objcopy")).run(compression + [path]) }
    let file = try ElfFile(path: path)
    let functions = SymbolTable(of: file, type: SHT_SYMTAB).functions
    let function = try #require(functions.first { String(cString: $0.name) == "outer" })
    // The names are in it.
    withExtendedLifetime(file) {}
    let module = Module(path: path, buildID: "", loadBias: 0, textStart: 0, textEnd: .max)
    let name = SourceFrame(
      function: "outer",
      swiftModule: nil,
      file: nil,
      line: 0,
      isInlined: false
    )
    #expect(DwarfFrameResolver().frames(at: function.start + 1, in: module) == [name])
  }

  /// A unit with one function, whose name is `text`, at the end of its section.
  private static func endlessName(_ text: String) -> String {
    """
    \t.text
    \t.globl outer
    \t.type outer, @function
    outer:
    \tret
    .Lend:
    \t.size outer, .-outer
    \t.section .debug_abbrev, "", @progbits
    .Labbreviations:
    \t.uleb128 1, 0x11
    \t.byte 1
    \t.uleb128 0x11, 0x01, 0x12, 0x07, 0, 0
    \t.uleb128 2, 0x2e
    \t.byte 0
    \t.uleb128 0x11, 0x01, 0x12, 0x07, 0x03, 0x08, 0, 0, 0
    \t.section .debug_info, "", @progbits
    \t.4byte .Lstop-.Lstart
    .Lstart:
    \t.2byte 4
    \t.4byte .Labbreviations
    \t.byte 8
    \t.uleb128 1
    \t.8byte outer, .Lend-outer
    \t.uleb128 2
    \t.8byte outer, .Lend-outer
    \(text)
    .Lstop:
    \t.section .note.GNU-stack, "", @progbits

    """
  }
}
