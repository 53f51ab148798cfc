import Foundation
import Glibc
import KVOTrace
import TestSupport
import Testing

@testable import KVOSymbols

/// A cache that is damaged, missing, shared or full never costs an answer.
@Suite("Folders of indices", .enabled(if: CFixture.isAvailable, "gcc and binutils are needed"))
struct SymbolIndexFolderTests {
  private typealias Helper = SymbolIndexTests

  @Test("An index that was cut, lengthened or changed in any byte is not used")
  func damage() throws {
    let fixture = try CFixture("-g")
    let folder = Helper.folder(in: fixture.folder)
    _ = DwarfFrameResolver(indices: folder).makeIndex(of: Helper.module(fixture.path))
    let file = try #require(Helper.files(in: folder).first)
    let original = Array(try Data(contentsOf: URL(filePath: file)))
    let image = try ElfFile(path: fixture.path)
    let key = try #require(SymbolIndexKey(image: image, debugFile: nil))
    #expect(folder.index(for: key) != nil)

    var used: [String] = []
    func use(_ bytes: [UInt8], _ what: String) throws {
      try Data(bytes).write(to: URL(filePath: file))
      if folder.index(for: key) != nil { used.append(what) }
    }
    for count in 0..<original.count { try use(Array(original[..<count]), "cut to \(count)") }
    try use(original + [0], "lengthened")
    try use(original + original, "doubled")
    for index in original.indices {
      var bytes = original
      bytes[index] ^= 1 << UInt8(index % 8)
      try use(bytes, "byte \(index)")
    }
    // Counts and sizes at the ends of their range, with and without a checksum that fits.
    for word in SymbolIndexLayout.Word.allCases where word != .base && word != .reserved {
      for value: UInt64 in [1, 1 << 31, 1 << 32, 1 << 62, 1 << 63, .max - 1, .max] {
        var bytes = original
        withUnsafeBytes(of: value) {
          bytes.replaceSubrange(word.rawValue * 8..<word.rawValue * 8 + 8, with: $0)
        }
        if bytes == original { continue }
        try use(bytes, "\(word) is \(value)")
        if word == .checksum { continue }
        try use(Self.withChecksum(bytes), "\(word) is \(value), with a checksum")
      }
    }
    #expect(used == [])
    try use(original, "original")
    #expect(used == ["original"])
  }

  @Test("Random content with a checksum that fits names something wrong at worst")
  func wrongContent() throws {
    let fixture = try CFixture("-g")
    let folder = Helper.folder(in: fixture.folder)
    _ = DwarfFrameResolver(indices: folder).makeIndex(of: Helper.module(fixture.path))
    let file = try #require(Helper.files(in: folder).first)
    let original = Array(try Data(contentsOf: URL(filePath: file)))
    let key = try #require(
      SymbolIndexKey(image: try ElfFile(path: fixture.path), debugFile: nil)
    )
    var random = SplitMix64(seed: 29)
    for _ in 0..<2_000 {
      var bytes = original
      for _ in 0..<Int.random(in: 1...40, using: &random) {
        let position = Int.random(
          in: SymbolIndexLayout.headerByteCount..<bytes.count,
          using: &random
        )
        bytes[position] = [0, 1, 0x7f, 0x80, 0xff, .random(in: 0...255, using: &random)]
          .randomElement(using: &random)!
      }
      try Data(Self.withChecksum(bytes)).write(to: URL(filePath: file))
      let index = try #require(folder.index(for: key))
      for _ in 0..<200 { _ = index.frames(at: .random(in: 0...0x4000, using: &random)) }
      _ = [0, 1, UInt64(UInt32.max), .max - 1, .max].map { index.frames(at: $0) }
    }
  }

  private static func withChecksum(_ bytes: [UInt8]) -> [UInt8] {
    var bytes = bytes
    let checksum = bytes.withUnsafeBytes {
      SymbolIndexLayout.checksum(
        UnsafeRawBufferPointer(rebasing: $0[SymbolIndexLayout.checksumEnd...])
      )
    }
    withUnsafeBytes(of: checksum) { bytes.replaceSubrange(8..<16, with: $0) }
    return bytes
  }

  @Test("A folder that cannot be made or written is not an index, and costs no answer")
  func unusableFolder() throws {
    let fixture = try CFixture("-g")
    let expected = try Helper.answers(of: fixture.path, by: DwarfFrameResolver())
    // A regular file instead of a folder, and a folder of the kernel.
    let file = try fixture.folder.file("file", [])
    for path in ["\(file)/indices", "/proc/self/indices"] {
      let folder = SymbolIndexFolder(path: path, program: "1")
      let resolver = DwarfFrameResolver(indices: folder)
      #expect(try Helper.answers(of: fixture.path, by: resolver) == expected)
      let maker = DwarfFrameResolver(indices: folder)
      #expect(maker.makeIndex(of: Helper.module(fixture.path)) == .notKept)
      #expect(try Helper.answers(of: fixture.path, by: maker) == expected)
    }
    // A folder under the name of the index.
    let folder = Helper.folder(in: fixture.folder)
    _ = DwarfFrameResolver(indices: folder).makeIndex(of: Helper.module(fixture.path))
    let index = try #require(Helper.files(in: folder).first)
    try FileManager.default.removeItem(atPath: index)
    try FileManager.default.createDirectory(
      atPath: "\(index)/in",
      withIntermediateDirectories: true
    )
    let resolver = DwarfFrameResolver(indices: folder)
    #expect(try Helper.answers(of: fixture.path, by: resolver) == expected)
    #expect(Helper.files(in: folder) == [index])
  }

  @Test("Several that make and read one index at once all get the answers")
  func concurrentMakers() async throws {
    let fixture = try CFixture("-g")
    let folder = Helper.folder(in: fixture.folder)
    let path = fixture.path
    let expected = try Helper.answers(of: path, by: DwarfFrameResolver())
    let wrong = await withTaskGroup(of: Int.self) { group in
      for _ in 0..<8 {
        group.addTask {
          var wrong = 0
          for round in 0..<20 {
            let resolver = DwarfFrameResolver(indices: folder)
            _ = resolver.makeIndex(of: Helper.module(path))
            let answers = try? Helper.answers(of: path, by: resolver)
            if answers != expected { wrong += 1 }
            if round % 5 == 4 { _ = folder.removeAll() }
          }
          return wrong
        }
      }
      return await group.reduce(0, +)
    }
    #expect(wrong == 0)
    // None leaves a partial file.
    #expect(Helper.files(in: folder).count <= 1)
  }

  @Test("The indices that were not used for the longest time go when there are too many bytes")
  func bound() throws {
    let scratch = try ScratchFolder()
    var folder = Helper.folder(in: scratch)
    let fixtures = try [CFixture("-g"), CFixture("-g", "-O0"), CFixture("-g", "-O2")]
    var files: [String] = []
    for (age, fixture) in fixtures.enumerated().reversed() {
      // What the newest one pushes out is decided at the last writing.
      if age == 0 { folder.byteLimit = try files.map(Self.size).reduce(0, +) }
      _ = DwarfFrameResolver(indices: folder).makeIndex(of: Helper.module(fixture.path))
      let made = Helper.files(in: folder).filter { !files.contains($0) }
      files += made
      for file in made where age > 0 {
        let date = Date(timeIntervalSinceNow: -Double(age) * 200_000)
        try FileManager.default.setAttributes([.modificationDate: date], ofItemAtPath: file)
      }
      if age == 1 {
        // A use of the oldest one makes it the newest.
        _ = DwarfFrameResolver(indices: folder).frames(at: 1, in: Helper.module(fixtures[2].path))
      }
    }
    #expect(files.count == 3)
    #expect(Helper.files(in: folder).sorted() == [files[0], files[2]].sorted())
    #expect(folder.removeAll().count == 2)
    #expect(Helper.files(in: folder) == [])
    #expect(folder.removeAll().count == 0)
  }

  @Test("An index that exceeds the bound alone is kept until another one is made")
  func largeIndex() throws {
    let scratch = try ScratchFolder()
    var folder = Helper.folder(in: scratch)
    folder.byteLimit = 1
    for fixture in try [CFixture("-g"), CFixture("-g", "-O2")] {
      let outcome = DwarfFrameResolver(indices: folder).makeIndex(of: Helper.module(fixture.path))
      let files = Helper.files(in: folder)
      let file = try #require(files.first)
      let byteCount = try Self.size(of: file)
      let buildID = try ElfFile(path: fixture.path).buildID
      #expect(outcome == .made(byteCount: byteCount))
      #expect(files.count == 1 && file.contains(buildID))
      let reader = DwarfFrameResolver(indices: folder)
      #expect(reader.makeIndex(of: Helper.module(fixture.path)) == .existed)
    }
  }

  private static func size(of file: String) throws -> Int {
    try #require(FileManager.default.attributesOfItem(atPath: file)[.size] as? Int)
  }

  @Test("The folder follows the environment, and relative paths are ignored")
  func environment() {
    func path(_ variables: [String: String]) -> String? {
      SymbolIndexFolder(environment: { variables[$0] }, program: "1")?.path
    }
    #expect(path(["HOME": "/home/a"]) == "/home/a/.cache/kvo-audit")
    #expect(path(["HOME": "/home/a", "XDG_CACHE_HOME": "/c"]) == "/c/kvo-audit")
    #expect(path(["HOME": "/home/a", "XDG_CACHE_HOME": "c"]) == "/home/a/.cache/kvo-audit")
    #expect(path(["HOME": "/home/a", "XDG_CACHE_HOME": ""]) == "/home/a/.cache/kvo-audit")
    #expect(path(["HOME": "a"]) == nil)
    #expect(path([:]) == nil)
    #expect(path(["HOME": "/home/a", "KVO_SAFETY_INDEX": "off"]) == nil)
    #expect(path(["HOME": "/home/a", "KVO_SAFETY_INDEX": "on"]) == "/home/a/.cache/kvo-audit")
  }
}
