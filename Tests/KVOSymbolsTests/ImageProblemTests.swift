import Foundation
import Glibc
import KVORules
import KVOTrace
import TestSupport
import Testing

@testable import KVOSymbols

@Suite("Images that cannot be read, or not in full")
struct ImageProblemTests {
  private func problem(_ path: String, buildID: String = "") -> String? {
    DwarfFrameResolver().problem(with: module(path, buildID: buildID))
  }

  private func module(_ path: String, buildID: String = "") -> Module {
    Module(path: path, buildID: buildID, loadBias: 0, textStart: 0, textEnd: .max)
  }

  @Test("A missing file, a folder, a pipe, a device and an invalid name are distinguished")
  func notAFile() throws {
    let folder = try ScratchFolder()
    try #require(mkfifo(folder.path("pipe"), 0o600) == 0)
    let root = folder.path("")
    #expect(
      [
        folder.path("gone"), "", folder.path("pipe/x"), root, folder.path("pipe"), "/dev/null",
      ].map { problem($0) } == [
        "\"\(folder.path("gone"))\" does not exist on this machine: its frames stay addresses",
        "\"\" does not exist on this machine: its frames stay addresses",
        "\"\(folder.path("pipe/x"))\" does not exist on this machine: its frames stay addresses",
        "\"\(root)\" is not a regular file: its frames stay addresses",
        "\"\(folder.path("pipe"))\" is not a regular file: its frames stay addresses",
        "\"/dev/null\" is not a regular file: its frames stay addresses",
      ]
    )
  }

  @Test("A loop of links cannot be read, and the system says why")
  func unreadable() throws {
    let folder = try ScratchFolder()
    let path = folder.path("loop")
    try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: path)
    #expect(
      problem(path)
        == "\"\(path)\" cannot be read (Too many levels of symbolic links): "
        + "its frames stay addresses"
    )
  }

  @Test(
    "A file without the magic number is not ELF",
    arguments: ["", "x", "#!/bin/sh\n", "\u{7F}EL"]
  )
  func notELF(text: String) throws {
    let folder = try ScratchFolder()
    let path = try folder.file("text", text)
    #expect(problem(path) == "\"\(path)\" is not an ELF file: its frames stay addresses")
  }

  @Test("A header that is cut short says so")
  func cutHeader() throws {
    let folder = try ScratchFolder()
    let path = try folder.file("cut", [0x7F, 0x45, 0x4C, 0x46, 2, 1, 1, 0, 0])
    #expect(
      problem(path)
        == "\"\(path)\" is damaged (it ends within its header, after 9 bytes): "
        + "its frames stay addresses"
    )
  }

  @Test("A file with another build-id is not used, and the ids are distinguished")
  func rebuilt() throws {
    let own = try OwnImage.unloadedModule()
    let tail = String(own.buildID.dropFirst(10))
    let recorded = "\(own.buildID.prefix(10))\(tail.first == "0" ? "1" : "0")\(tail.dropFirst())"
    let sentences = [
      problem(own.path, buildID: "00112233445566778899aabbccddeeff00112233"),
      problem(own.path, buildID: "ff"),
      problem(own.path, buildID: recorded),
      problem(own.path, buildID: own.buildID.uppercased()),
    ]
    func sentence(_ there: String, _ here: String) -> String {
      "\"\(own.path)\" was rebuilt since the recording (build-id \(there) there, \(here) here): "
        + "its frames stay addresses"
    }
    let here = own.buildID.prefix(8)
    #expect(
      sentences == [
        sentence("00112233…", "\(here)…"),
        sentence("ff", "\(here)…"),
        sentence("\(recorded.prefix(11))…", "\(own.buildID.prefix(11))…"),
        nil,
      ]
    )
    let file = try ElfFile(path: own.path)
    let start = try #require(SymbolTable(of: file, type: SHT_SYMTAB).functions.first).start
    let resolver = DwarfFrameResolver()
    #expect(resolver.frames(at: start + 1, in: module(own.path, buildID: "ff")) == [])
    #expect(resolver.frames(at: start + 1, in: module(own.path)) != [])
  }
}

@Suite("Stripped images", .enabled(if: CFixture.isAvailable, "gcc and binutils are needed"))
struct StrippedImageTests {
  private func frame(_ name: String, file: String? = nil, line: Int = 0) -> SourceFrame {
    SourceFrame(function: name, swiftModule: nil, file: file, line: line, isInlined: false)
  }

  @Test("Without debug information functions have names and no lines")
  func symbolTableOnly() throws {
    let fixture = try CFixture()
    let module = try fixture.module()
    #expect(
      DwarfFrameResolver().problem(with: module)
        == "\"\(module.path)\" has no debug information: its frames have functions but no lines; "
        + "build with -g"
    )
    #expect(try fixture.answers(for: "outer", in: module) == [[frame("outer")]])
    #expect(try fixture.answers(for: "hidden", in: module) == [[frame("hidden")]])
  }

  @Test("Without a symbol table only exported functions have names")
  func exportedSymbolsOnly() throws {
    let fixture = try CFixture("-g")
    let path = fixture.folder.path("stripped.so")
    try #require(Tool("strip")).run(["-o", path, fixture.path])
    let module = try fixture.module(path: path)
    #expect(
      DwarfFrameResolver().problem(with: module)
        == "\"\(path)\" has no debug information and no symbol table: only the functions that it "
        + "exports have names; build with -g"
    )
    #expect(try fixture.answers(for: "outer", in: module) == [[frame("outer")]])
    #expect(try fixture.answers(for: "hidden", in: module) == [[]])
  }

  @Test("Without any symbol nothing has a name")
  func nothing() throws {
    let fixture = try CFixture("-g", "-fvisibility=hidden")
    let path = fixture.folder.path("stripped.so")
    try #require(Tool("strip")).run(["-o", path, fixture.path])
    let module = try fixture.module(path: path)
    #expect(
      DwarfFrameResolver().problem(with: module)
        == "\"\(path)\" has no debug information and no symbol table: its frames stay addresses; "
        + "build with -g"
    )
    #expect(try fixture.answers(for: "outer", in: module) == [[]])
  }

  @Test("An object file is refused")
  func objectFile() throws {
    let fixture = try CFixture("-g")
    let path = fixture.folder.path("fixture.o")
    try #require(Tool("gcc")).run(["-c", "-g", "-o", path, fixture.sourcePath])
    #expect(
      try DwarfFrameResolver().problem(with: fixture.module(path: path, buildID: ""))
        == "\"\(path)\" is neither an executable nor a shared library: its frames stay addresses"
    )
  }

  @Test("A log with a build-id does not take a file without one; a log without takes any")
  func noBuildID() throws {
    let fixture = try CFixture("-g", "-Wl,--build-id=none")
    let resolver = DwarfFrameResolver()
    #expect(
      try resolver.problem(with: fixture.module(buildID: "0123456789abcdef"))
        == "\"\(fixture.path)\" was rebuilt since the recording (build-id 01234567… there, none "
        + "here): its frames stay addresses"
    )
    #expect(try resolver.problem(with: fixture.module()) == nil)
  }

  /// The paths for a separate debug file: by build-id, beside the image, and under `.debug`.
  enum Place: CaseIterable {
    case buildID
    case beside
    case debugFolder
  }

  @Test(
    "Debug information is found in a separate file, and only in the right one",
    arguments: Place.allCases
  )
  func separateFile(place: Place) throws {
    let fixture = try CFixture("-g")
    let objcopy = try #require(Tool("objcopy"))
    let folder = fixture.folder
    let buildID = try ElfFile(path: fixture.path).buildID
    let target =
      switch place {
      case .buildID: "root/.build-id/\(buildID.prefix(2))/\(buildID.dropFirst(2)).debug"
      case .beside: "fixture.debug"
      case .debugFolder: ".debug/fixture.debug"
      }
    let debug = folder.path(target)
    let image = folder.path("stripped.so")
    try FileManager.default.createDirectory(
      at: URL(fileURLWithPath: debug).deletingLastPathComponent(),
      withIntermediateDirectories: true
    )
    try objcopy.run(["--only-keep-debug", fixture.path, debug])
    try #require(Tool("strip")).run(["-o", image, fixture.path])
    if place != .buildID { try objcopy.run(["--add-gnu-debuglink=\(debug)", image]) }

    let resolver = DwarfFrameResolver(debugRoots: [folder.path("root")])
    let module = try fixture.module(path: image)
    #expect(resolver.problem(with: module) == nil)
    #expect(
      try fixture.answers(for: "plain", in: module, by: resolver)
        == [11, 12, 13].map { [frame("plain", file: fixture.sourcePath, line: $0)] }
    )
    #expect(
      try fixture.answers(for: "hidden", in: module, by: resolver)
        == fixture.answers(for: "hidden", in: fixture.module())
    )

    // The same name and path, built from another source.
    let other = try CFixture("-g", "-DOTHER", "-O2")
    try FileManager.default.removeItem(atPath: debug)
    try objcopy.run(["--only-keep-debug", other.path, debug])
    let second = DwarfFrameResolver(debugRoots: [folder.path("root")])
    #expect(
      second.problem(with: module)
        == "\"\(image)\" has no debug information and no symbol table: only the functions that it "
        + "exports have names; build with -g"
    )
  }

  @Test("A named file has the debug information of an image that is stripped, or not there at all")
  func namedFile() throws {
    let fixture = try CFixture("-g")
    let objcopy = try #require(Tool("objcopy"))
    let folder = fixture.folder
    let stripped = folder.path("stripped.so")
    try FileManager.default.createDirectory(
      at: URL(fileURLWithPath: folder.path("named/deeper")),
      withIntermediateDirectories: true
    )
    let debug = folder.path("named/deeper/any.debug")
    try objcopy.run(["--only-keep-debug", fixture.path, debug])
    try #require(Tool("strip")).run(["-o", stripped, fixture.path])
    let other = try CFixture("-g", "-DOTHER", "-O2")
    let text = try folder.file("named/readme.txt", "no ELF")

    let expected = [11, 12, 13].map { [frame("plain", file: fixture.sourcePath, line: $0)] }
    for name in [debug, folder.path("named")] {
      for image in [stripped, folder.path("gone.so")] {
        var module = try fixture.module(path: stripped)
        module.path = image
        let files = DebugFiles([name, other.path, text])
        #expect(files.others == [text])
        let resolver = DwarfFrameResolver(debugRoots: [], debugFiles: files)
        #expect(resolver.unusedDebugFiles == [debug, other.path].sorted())
        #expect(resolver.problem(with: module) == nil)
        #expect(try fixture.answers(for: "plain", in: module, by: resolver) == expected)
        #expect(resolver.unusedDebugFiles == [other.path])
      }
    }
    // The build-id decides, not the name.
    var module = try fixture.module(path: stripped)
    module.path = folder.path("gone.so")
    let wrong = DwarfFrameResolver(debugRoots: [], debugFiles: DebugFiles([other.path]))
    #expect(wrong.problem(with: module)?.contains("does not exist on this machine") == true)
  }

  @Test("A folder with links to itself is searched once, however deep the files are")
  func linkedFolder() throws {
    let fixture = try CFixture("-g")
    let manager = FileManager.default
    let root = fixture.folder.path("root")
    let deep = root + String(repeating: "/deeper", count: 20)
    try manager.createDirectory(atPath: deep, withIntermediateDirectories: true)
    try manager.createSymbolicLink(atPath: root + "/above", withDestinationPath: ".")
    try manager.createSymbolicLink(atPath: deep + "/above", withDestinationPath: root)
    try manager.copyItem(atPath: fixture.path, toPath: deep + "/fixture.so")
    let files = DebugFiles([root])
    #expect(files.all == [deep + "/fixture.so"])
    #expect(files.others == [])
  }
}
