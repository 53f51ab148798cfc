import Foundation
import Glibc
import KVOTrace
import TestSupport
import Testing

@testable import KVOSymbols

/// What is the same with an index and without, held against libdw's answers.
@Suite("Indices of symbols", .enabled(if: CFixture.isAvailable, "gcc and binutils are needed"))
struct SymbolIndexTests {
  /// Asks for each byte of the code, and for some around it, and prints all that an answer says.
  static func answers(
    of file: String,
    for buildID: String = "",
    by resolver: DwarfFrameResolver
  ) throws -> [String] {
    let module = Module(path: file, buildID: buildID, loadBias: 0, textStart: 0, textEnd: .max)
    let ranges = CodeRanges(ranges: try ElfFile(path: file).codeRanges).merged
    let addresses =
      ranges.flatMap { ($0.lowerBound &- 3)...($0.upperBound + 3) } + [0, 1, .max - 1, .max]
    return addresses.map { Self.text(of: resolver.frames(at: $0, in: module), at: $0) }
  }

  /// Bytes and not strings: those may be equal without being the same.
  static func text(of frames: [SourceFrame], at address: UInt64) -> String {
    let frames = frames.map {
      "\(Array($0.function.utf8)) \($0.swiftModule ?? "-") \(Array(($0.file ?? "-").utf8)):\($0.line) "
        + "\($0.isInlined)"
    }
    return "\(address) \(frames)"
  }

  static func folder(in scratch: ScratchFolder, program: String = "1") -> SymbolIndexFolder {
    SymbolIndexFolder(path: scratch.path("cache/indices"), program: program)
  }

  static func module(_ path: String) -> Module {
    Module(path: path, buildID: "", loadBias: 0, textStart: 0, textEnd: .max)
  }

  @Test(
    "Each byte of a library has the same frames with an index and without",
    arguments: [
      ["-g"], ["-g", "-gdwarf-4"], ["-g", "-gdwarf-5", "-DUNLINED"], ["-g", "-O0"], ["-g1"],
      ["-g", "-ffunction-sections", "-Wl,--gc-sections"],
      ["-g", "-Wl,--compress-debug-sections=zlib"],
    ]
  )
  func everyByte(options: [String]) throws {
    let fixture = try CFixture("-g")
    let path = fixture.folder.path("other.so")
    // The second file has no debug information: only the symbol table names its function.
    let bare = try fixture.folder.file("bare.c", "int bare(int x) { return x * 3; }\n")
    let object = fixture.folder.path("bare.o")
    let gcc = try #require(Tool("gcc"))
    try gcc.run(["-c", "-fPIC", "-o", object, bare])
    try gcc.run(
      [
        "-shared", "-fPIC", "-nostdlib", "-O1", "-Wl,--build-id=sha1", "-o", path,
        fixture.sourcePath,
      ]
        + options + [object]
    )
    let folder = Self.folder(in: fixture.folder)
    let expected = try Self.answers(of: path, by: DwarfFrameResolver())
    #expect(Set(expected.map { $0.split(separator: " ").dropFirst().joined() }).count > 8)

    let maker = DwarfFrameResolver(indices: folder)
    guard case .made = maker.makeIndex(of: Self.module(path)) else {
      Issue.record("no index was made")
      return
    }
    #expect(try Self.answers(of: path, by: maker) == expected)
    let reader = DwarfFrameResolver(indices: folder)
    #expect(reader.makeIndex(of: Self.module(path)) == .existed)
    #expect(try Self.answers(of: path, by: reader) == expected)
    #expect(reader.problem(with: Self.module(path)) == nil)
  }

  @Test("A function with many names begins and ends once")
  func aliases() throws {
    let scratch = try ScratchFolder()
    let aliases = (0..<100).map { "int alias\($0)(void) __attribute__((alias(\"target\")));\n" }
    let source = try scratch.file(
      "aliases.c",
      "int target(void) { return 1; }\n" + aliases.joined()
    )
    let path = scratch.path("aliases.so")
    try #require(Tool("gcc")).run(["-shared", "-fPIC", "-nostdlib", "-o", path, source])
    let table = SymbolTable(of: try ElfFile(path: path), type: SHT_SYMTAB)
    #expect(table.functions.count == 101)
    #expect(table.bounds.count == 2)
  }

  @Test("Addresses all over a large Swift program have the same frames with an index and without")
  func largeProgram() throws {
    let scratch = try ScratchFolder()
    let module = try ToolImage.unloadedModule()
    let functions = SymbolTable(of: try ElfFile(path: module.path), type: SHT_SYMTAB).functions
    var random = SplitMix64(seed: 11)
    let addresses = (0..<20_000).map { _ in
      let function = functions[Int.random(in: functions.indices, using: &random)]
      return function.start + .random(in: 0...function.byteCount + 1, using: &random)
    }
    let folder = Self.folder(in: scratch)
    // After this many addresses the index is created automatically.
    let made = DwarfFrameResolver(indices: folder).frames(at: addresses, in: module)
    let reader = DwarfFrameResolver(indices: folder)
    #expect(reader.makeIndex(of: module) == .existed)
    let read = reader.frames(at: addresses, in: module)
    let expected = DwarfFrameResolver().frames(at: addresses, in: module)
    #expect(expected.filter { !$0.isEmpty }.count > 15_000)
    var differences = 0
    for index in addresses.indices {
      let text = Self.text(of: expected[index], at: addresses[index])
      if Self.text(of: made[index], at: addresses[index]) != text { differences += 1 }
      if Self.text(of: read[index], at: addresses[index]) != text { differences += 1 }
    }
    #expect(differences == 0)
  }

  @Test("An image that was stripped of its debug information shares no index with the whole one")
  func separateDebugFile() throws {
    let fixture = try CFixture("-g")
    let stripped = fixture.folder.path("stripped.so")
    let debug = fixture.folder.path("fixture.debug")
    let objcopy = try #require(Tool("objcopy"))
    try objcopy.run(["--only-keep-debug", fixture.path, debug])
    try objcopy.run(["--strip-all", fixture.path, stripped])
    let folder = Self.folder(in: fixture.folder)
    let whole = try Self.answers(of: fixture.path, by: DwarfFrameResolver(indices: folder))

    // Without its debug file, only exported names are known, index or not.
    let bare = DwarfFrameResolver(indices: folder)
    #expect(bare.makeIndex(of: Self.module(stripped)) == .nothingToIndex)
    #expect(
      try Self.answers(of: stripped, by: bare)
        == Self.answers(of: stripped, by: DwarfFrameResolver())
    )
    #expect(bare.problem(with: Self.module(stripped)) != nil)

    // With it, there is an index of both.
    let files = DebugFiles([debug])
    let maker = DwarfFrameResolver(debugFiles: files, indices: folder)
    guard case .made = maker.makeIndex(of: Self.module(stripped)) else {
      Issue.record("no index was made")
      return
    }
    let reader = DwarfFrameResolver(debugFiles: files, indices: folder)
    #expect(reader.makeIndex(of: Self.module(stripped)) == .existed)
    #expect(try Self.answers(of: stripped, by: reader) == whole)
    #expect(
      try Self.answers(of: stripped, by: DwarfFrameResolver(indices: folder))
        == Self.answers(of: stripped, by: DwarfFrameResolver())
    )
  }

  @Test("An index of another build or of another version of the program is not used")
  func otherBuild() throws {
    let fixture = try CFixture("-g")
    let other = try CFixture("-g", "-O0")
    let folder = Self.folder(in: fixture.folder)
    _ = DwarfFrameResolver(indices: folder).makeIndex(of: Self.module(fixture.path))
    let file = try #require(Self.files(in: folder).first)

    let newer = Self.folder(in: fixture.folder, program: "2")
    guard case .made = DwarfFrameResolver(indices: newer).makeIndex(of: Self.module(fixture.path))
    else {
      Issue.record("the index of another version was used")
      return
    }

    // The index of one build under the name of another.
    _ = DwarfFrameResolver(indices: folder).makeIndex(of: Self.module(other.path))
    let otherID = try ElfFile(path: other.path).buildID
    let otherFile = try #require(Self.files(in: folder).first { $0.contains(otherID) })
    try Data(contentsOf: URL(filePath: file)).write(to: URL(filePath: otherFile))
    let reader = DwarfFrameResolver(indices: folder)
    #expect(
      try Self.answers(of: other.path, by: reader)
        == Self.answers(of: other.path, by: DwarfFrameResolver())
    )
    guard case .made = DwarfFrameResolver(indices: folder).makeIndex(of: Self.module(other.path))
    else {
      Issue.record("the index of another build was used")
      return
    }
  }

  static func files(in folder: SymbolIndexFolder) -> [String] {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
    return names.sorted().map { "\(folder.path)/\($0)" }
  }
}
