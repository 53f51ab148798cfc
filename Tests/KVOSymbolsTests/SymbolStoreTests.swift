import Foundation
import KVOTrace
import TestSupport
import Testing

@testable import KVOSymbols

@Suite("A symbol store", .enabled(if: CFixture.isAvailable))
struct SymbolStoreTests {
  private let fixture: CFixture
  private let store: SymbolStore

  init() throws {
    fixture = try CFixture("-g")
    store = SymbolStore(path: fixture.folder.path("store"))
  }

  private var buildID: String { get throws { try ElfFile(path: fixture.path).buildID } }

  private func stripped(_ options: String...) throws -> String {
    let path = fixture.folder.path("stripped\(options.joined()).so")
    try #require(Tool("strip")).run(options + ["-o", path, fixture.path])
    return path
  }

  private func answers(
    of path: String,
    by resolver: DwarfFrameResolver
  ) throws -> [[SourceFrame]] {
    try ["plain", "outer", "hidden"].flatMap {
      try fixture.answers(for: $0, in: fixture.module(path: path), by: resolver)
    }
  }

  @Test("has the frames of an image that is stripped, and of one that is gone")
  func resolves() throws {
    let stripped = try stripped()
    let whole = try answers(of: fixture.path, by: DwarfFrameResolver(debugRoots: []))
    let without = try answers(of: stripped, by: DwarfFrameResolver(debugRoots: []))
    #expect(without != whole)
    guard case .added(try buildID, let byteCount) = store.add(elf: fixture.path) else {
      Issue.record("not added")
      return
    }
    #expect(try Data(contentsOf: URL(filePath: fixture.path)).count == byteCount)
    for path in [stripped, fixture.folder.path("gone.so")] {
      let resolver = DwarfFrameResolver(debugRoots: [], store: store)
      #expect(try answers(of: path, by: resolver) == whole)
      #expect(resolver.problem(with: try fixture.module(path: path)) == nil)
    }
  }

  @Test("has a file of another build for no image")
  func otherBuild() throws {
    let other = try CFixture("-g", "-O2", "-DOTHER")
    guard case .added = store.add(elf: other.path) else {
      Issue.record("not added")
      return
    }
    let stripped = try stripped()
    #expect(
      try answers(of: stripped, by: DwarfFrameResolver(debugRoots: [], store: store))
        == answers(of: stripped, by: DwarfFrameResolver(debugRoots: []))
    )
    // One that was put under the name of this one.
    let location = try #require(store.location(ofBuildID: buildID))
    try FileManager.default.createDirectory(
      at: URL(filePath: location).deletingLastPathComponent(),
      withIntermediateDirectories: true
    )
    try FileManager.default.copyItem(atPath: other.path, toPath: location)
    #expect(
      try answers(of: stripped, by: DwarfFrameResolver(debugRoots: [], store: store))
        == answers(of: stripped, by: DwarfFrameResolver(debugRoots: []))
    )
  }

  @Test("keeps the file that says most about a build-id")
  func replaces() throws {
    #expect(store.add(elf: try stripped()) == .useless)
    #expect(store.file(forBuildID: try buildID) == nil)
    let symbols = try stripped("-g")
    guard case .added = store.add(elf: symbols) else {
      Issue.record("symbols were not added")
      return
    }
    #expect(store.add(elf: symbols) == .existed(buildID: try buildID))
    guard case .added = store.add(elf: fixture.path) else {
      Issue.record("debug information did not replace symbols")
      return
    }
    #expect(store.add(elf: symbols) == .existed(buildID: try buildID))
    #expect(store.add(elf: fixture.path) == .existed(buildID: try buildID))
    let file = try #require(store.file(forBuildID: try buildID.uppercased()))
    #expect(
      try Data(contentsOf: URL(filePath: file)) == Data(contentsOf: URL(filePath: fixture.path))
    )
    let folder = URL(filePath: file).deletingLastPathComponent().path
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder).count == 1)
  }

  @Test("does not replace what another process has added meanwhile by symbols alone")
  func concurrentSymbols() throws {
    let symbols = try stripped("-g")
    let location = try #require(store.location(ofBuildID: try buildID))
    guard case .added = store.add(elf: fixture.path) else {
      Issue.record("not added")
      return
    }
    let added = try Data(contentsOf: URL(filePath: location))
    // As if it had not been there when the symbols were looked at.
    let outcome = store.copy(symbols, to: location, buildID: try buildID, replaces: false)
    #expect(try outcome == .existed(buildID: buildID))
    #expect(try Data(contentsOf: URL(filePath: location)) == added)
    let folder = URL(filePath: location).deletingLastPathComponent().path
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder).count == 1)
  }

  @Test("takes the separate debug file of an image that is stripped")
  func separate() throws {
    let debug = fixture.folder.path("fixture.debug")
    let stripped = try stripped()
    let objcopy = try #require(Tool("objcopy"))
    try objcopy.run(["--only-keep-debug", fixture.path, debug])
    try objcopy.run(["--add-gnu-debuglink=\(debug)", stripped])
    let whole = try answers(of: fixture.path, by: DwarfFrameResolver(debugRoots: []))
    guard case .added = store.add(elf: stripped) else {
      Issue.record("not added")
      return
    }
    try FileManager.default.removeItem(atPath: debug)
    for path in [stripped, fixture.folder.path("gone.so")] {
      let resolver = DwarfFrameResolver(debugRoots: [], store: store)
      #expect(try answers(of: path, by: resolver) == whole)
    }
  }

  @Test(
    "takes the file that says most of those with one build-id in a folder, whatever their names",
    arguments: [["1", "2", "3"], ["3", "2", "1"], ["2", "3", "1"]]
  )
  func folder(names: [String]) throws {
    let folder = fixture.folder.path("folder")
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    let stripped = try self.stripped()
    let symbols = try self.stripped("-g")
    let debug = fixture.folder.path("fixture.debug")
    try #require(Tool("objcopy")).run(["--only-keep-debug", fixture.path, debug])
    var expected = ""
    for (name, file) in zip(names, [stripped, symbols, debug]) {
      expected = "\(folder)/\(name)"
      try FileManager.default.copyItem(atPath: file, toPath: expected)
    }
    let files = DebugFiles([folder])
    #expect(files.all == [expected])
    guard case .added = store.add(elf: files.all[0]) else {
      Issue.record("not added")
      return
    }
    let whole = try answers(of: fixture.path, by: DwarfFrameResolver(debugRoots: []))
    for path in [stripped, fixture.folder.path("gone.so")] {
      for resolver in [
        DwarfFrameResolver(debugRoots: [], debugFiles: files),
        DwarfFrameResolver(debugRoots: [], store: store),
      ] {
        #expect(try answers(of: path, by: resolver) == whole)
      }
    }
    // Without debug information, the one with all symbols is left.
    try FileManager.default.removeItem(atPath: expected)
    #expect(DebugFiles([folder]).all == ["\(folder)/\(names[1])"])
  }

  @Test("does not take a named copy of a stripped image instead of its debug file")
  func strippedCopy() throws {
    let stripped = try stripped()
    let copy = fixture.folder.path("copy.so")
    try FileManager.default.copyItem(atPath: stripped, toPath: copy)
    let buildID = try buildID
    let name = "\(buildID.prefix(2))/\(buildID.dropFirst(2)).debug"
    let debug = fixture.folder.path("root/.build-id/\(name)")
    try FileManager.default.createDirectory(
      at: URL(filePath: debug).deletingLastPathComponent(),
      withIntermediateDirectories: true
    )
    try #require(Tool("objcopy")).run(["--only-keep-debug", fixture.path, debug])
    let roots = [fixture.folder.path("root")]
    #expect(
      try answers(
        of: stripped,
        by: DwarfFrameResolver(debugRoots: roots, debugFiles: DebugFiles([copy]))
      ) == answers(of: fixture.path, by: DwarfFrameResolver(debugRoots: []))
    )
  }

  @Test("has one index for all images with a build-id, stripped or not there")
  func index() throws {
    guard case .added = store.add(elf: fixture.path) else {
      Issue.record("not added")
      return
    }
    let shared = SymbolIndexFolder(path: store.indexPath, program: "1")
    let file = try #require(store.file(forBuildID: try buildID))
    let module = try fixture.module(path: file)
    guard case .made = DwarfFrameResolver(indices: shared).makeIndex(of: module) else {
      Issue.record("no index")
      return
    }
    var own = SymbolIndexFolder(path: fixture.folder.path("own"), program: "1")
    own.other = store.indexPath
    let whole = try answers(of: fixture.path, by: DwarfFrameResolver(debugRoots: []))
    for path in [try stripped(), fixture.folder.path("gone.so"), fixture.path] {
      let resolver = DwarfFrameResolver(debugRoots: [], store: store, indices: own)
      #expect(resolver.makeIndex(of: try fixture.module(path: path)) == .existed)
      #expect(try answers(of: path, by: resolver) == whole)
    }
    #expect(!FileManager.default.fileExists(atPath: own.path))
  }

  @Test(
    "is one for llvm-symbolizer, too",
    .enabled(if: Tool.exists("llvm-symbolizer"))
  )
  func otherTool() throws {
    guard case .added = store.add(elf: fixture.path) else {
      Issue.record("not added")
      return
    }
    let start = try fixture.function("plain").lowerBound
    let output = try #require(Tool("llvm-symbolizer")).run([
      "--debug-file-directory=\(store.path)", "--obj=\(try stripped())",
      "0x\(String(start, radix: 16))",
    ])
    #expect(output.hasPrefix("plain\n\(fixture.sourcePath):11"), "\(output)")
  }

  @Test("has no file for what is not a build-id")
  func names() throws {
    for name in ["", "a", "ab", "../../etc/passwd", "ab/cdef", "xyz123"] {
      #expect(store.location(ofBuildID: name) == nil)
    }
    #expect(
      store.location(ofBuildID: "00112233-4455-6677-8899-AABBCCDDEEFF")
        == "\(store.path)/.build-id/00/112233445566778899aabbccddeeff.debug"
    )
  }
}
