import Foundation
import KVORules
import KVOTrace
import TestSupport
import Testing

@testable import KVOSymbols

@Suite("Resolving frames")
struct DwarfFrameResolverTests {
  final class Recorder {
    let returnAddresses: [UInt64]
    let line: Int
    let initLine: Int

    @inline(never)
    init(label: String) {
      initLine = #line + 1
      (returnAddresses, line) = Self.capture()
    }

    @inline(never)
    static func capture() -> ([UInt64], Int) {
      (Thread.callStackReturnAddresses.map { $0.uint64Value }, #line)
    }
  }

  @Test("A return address of this program is the line of its call, in the function that called")
  func ownFrames() throws {
    let module = try OwnImage.module()
    let resolver = DwarfFrameResolver()
    let recorder = Recorder(label: "x")
    let frames = recorder.returnAddresses.map { resolver.frames(at: $0, in: module) }
    let own = frames.filter { $0.last?.swiftModule == "KVOSymbolsTests" }.prefix(2)
    #expect(
      Array(own) == [
        [
          SourceFrame(
            function: "static DwarfFrameResolverTests.Recorder.capture()",
            swiftModule: "KVOSymbolsTests",
            file: #filePath,
            line: recorder.line,
            isInlined: false
          )
        ],
        [
          SourceFrame(
            function: "DwarfFrameResolverTests.Recorder.init(label:)",
            swiftModule: "KVOSymbolsTests",
            file: #filePath,
            line: recorder.initLine,
            isInlined: false
          )
        ],
      ]
    )
    #expect(resolver.problem(with: module) == nil)
  }

  @Test(
    "The byte before the return address is looked up, and a repeated question is answered alike"
  )
  func returnAddressBelongsToCall() throws {
    let module = try OwnImage.unloadedModule()
    let file = try ElfFile(path: module.path)
    let functions = SymbolTable(of: file, type: SHT_SYMTAB).functions
    let resolver = DwarfFrameResolver()
    // A call that never returns may be the last instruction of a function.
    let pair = try #require(
      zip(functions, functions.dropFirst()).first {
        $0.byteCount > 8 && $0.start + $0.byteCount == $1.start
          && String(cString: $0.name).hasPrefix("$s15KVOSymbolsTests")
          && String(cString: $1.name).hasPrefix("$s15KVOSymbolsTests")
      }
    )
    let first = resolver.frames(at: pair.1.start, in: module)
    #expect(first.last?.function == FunctionName(mangled: pair.0.name).text)
    #expect(resolver.frames(at: pair.1.start, in: module) == first)
    #expect(
      resolver.frames(at: pair.1.start + 1, in: module).last?.function
        == FunctionName(mangled: pair.1.name).text
    )
  }

  @Test(
    "Addresses below, above and at the ends of the number range have no frames",
    arguments: [0, 1, 0x1000, 0x7FFF_FFFF_FFFF_FFFF, UInt64.max]
  )
  func addressesOutside(address: UInt64) throws {
    var module = try OwnImage.module()
    let resolver = DwarfFrameResolver()
    #expect(resolver.frames(at: address, in: module) == [])
    module.loadBias = .max
    #expect(resolver.frames(at: address, in: module) == [])
  }

  @Test("Two recordings of one file at different addresses share the data that was read of it")
  func loadBias() throws {
    let resolver = DwarfFrameResolver()
    let unloaded = try OwnImage.unloadedModule()
    let file = try ElfFile(path: unloaded.path)
    let functions = SymbolTable(of: file, type: SHT_SYMTAB).functions
    let start = try #require(
      functions.first { String(cString: $0.name).hasPrefix("$s15KVOSymbolsTests") }
    ).start
    let expected = resolver.frames(at: start + 1, in: unloaded)
    #expect(!expected.isEmpty)
    for bias: UInt64 in [0x1000, 0x5555_5555_0000, 0x7FFF_0000_0000] {
      var module = unloaded
      module.loadBias = bias
      #expect(resolver.frames(at: start + 1 + bias, in: module) == expected)
    }
  }
}

@Suite("Inlined frames", .enabled(if: CFixture.isAvailable, "gcc and binutils are needed"))
struct InlinedFramesTests {
  @Test(
    "An inlined call gives its own line, then the line of each call around it",
    arguments: [4, 5]
  )
  func chain(version: Int) throws {
    let fixture = try CFixture("-g", "-gdwarf-\(version)")
    let file = fixture.sourcePath
    func frame(_ name: String, _ line: Int, isInlined: Bool = false) -> SourceFrame {
      SourceFrame(function: name, swiftModule: nil, file: file, line: line, isInlined: isInlined)
    }
    let answers = try fixture.answers(for: "outer", in: fixture.module())
    #expect(
      Set(answers) == [
        [frame("outer", 8)],
        [frame("outer", 9)],
        [frame("outer", 10)],
        [
          frame("inner", 3, isInlined: true), frame("middle", 6, isInlined: true),
          frame("outer", 9),
        ],
      ]
    )
  }

  @Test(
    "An instruction of line 0 has the line before it in its function",
    .enabled(if: Tool.exists("clang"), "GNU's assembler leaves out rows of line 0")
  )
  func lineZero() throws {
    let fixture = try CFixture("-g", "-gdwarf-4", "-DUNLINED", compiler: "clang")
    let answers = try fixture.answers(for: "unlined", in: fixture.module())
    #expect(
      answers
        == [18, 19, 20, 21].map {
          [
            SourceFrame(
              function: "unlined",
              swiftModule: nil,
              file: fixture.sourcePath,
              line: $0,
              isInlined: false
            )
          ]
        }
    )
  }

  @Test("The units before one of GNU's assembler, whose entry does not end in a zero, are read")
  func assembler() throws {
    let folder = try ScratchFolder()
    let assembly = try folder.file(
      "end.s",
      ".text\n.globl end\nend:\nret\n.section .note.GNU-stack, \"\", @progbits\n"
    )
    let fixture = try CFixture("-g", assembly)
    let bytes = try Data(contentsOf: URL(fileURLWithPath: fixture.path))
    let end = try fixture.section(".debug_info").upperBound
    try #require(bytes[end - 1] != 0)
    let resolver = DwarfFrameResolver()
    let module = try fixture.module()
    #expect(resolver.problem(with: module) == nil)
    #expect(
      try fixture.answers(for: "plain", in: module, by: resolver)
        == [11, 12, 13].map {
          [
            SourceFrame(
              function: "plain",
              swiftModule: nil,
              file: fixture.sourcePath,
              line: $0,
              isInlined: false
            )
          ]
        }
    )
  }
}
