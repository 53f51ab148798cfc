import Foundation
import KVOFindings
import KVOImport
import KVORules
import TestSupport
import Testing

/// Bare frames of Apple's reports, named from debug information that clang makes here.
///
/// There is no linker for Apple's systems on Linux. An object file has the same headers and DWARF as a dSYM
/// but for two of its load commands, which are changed: the build version becomes a UUID of the same
/// length, and the segment without a name that of the code.
@Suite("Frames named from a dSYM", .enabled(if: Tools.areThere))
struct SymbolizerTests {
  private static let uuid = "00112233-4455-6677-8899-AABBCCDDEEFF"
  private let folder: ScratchFolder

  init() throws { folder = try ScratchFolder() }

  /// A folder that looks like a dSYM of `meter_poll`, which is the second function of its file.
  private func makeBundle() throws -> String {
    let source = try folder.file(
      "Meter.c",
      "int meter_first(int a) { return a * 3; }\nint meter_poll(int a) { return a + 1; }\n"
    )
    let bundle = folder.url.appending(path: "Gauges.app.dSYM/Contents/Resources/DWARF")
    try FileManager.default.createDirectory(at: bundle, withIntermediateDirectories: true)
    let object = bundle.appending(path: "Gauges")
    let command = [
      "clang", "-target", "x86_64-apple-macos11", "-g", "-c", source, "-o", object.path,
    ]
    try #require(ProgramRun(command: command).status == 0)
    var bytes = Array(try Data(contentsOf: object))
    var offset = 32
    for _ in 0..<bytes[16] {
      if bytes[offset] == 0x32 {
        bytes[offset] = 0x1b
        let digits = Self.uuid.filter { $0 != "-" }
        for index in 0..<16 {
          let start = digits.index(digits.startIndex, offsetBy: index * 2)
          bytes[offset + 8 + index] = try #require(UInt8(digits[start...].prefix(2), radix: 16))
        }
      } else if bytes[offset] == 0x19 {
        bytes.replaceSubrange(offset + 8..<offset + 14, with: "__TEXT".utf8)
      }
      offset += Int(bytes[offset + 4]) | Int(bytes[offset + 5]) << 8
    }
    try Data(bytes).write(to: object)
    return folder.path("Gauges.app.dSYM")
  }

  private static func report(uuid: String) -> String {
    """
    Process:             Gauges [1]
    Exception Type:  EXC_BAD_ACCESS (SIGSEGV)
    Thread 0 Crashed:
    0   libobjc.A.dylib   0x000000018e1f2f30 objc_msgSend + 16
    1   Foundation        0x000000019017a8a4 NSKeyValueNotifyObserver + 304
    2   Gauges            0x0000000100030018 0x100030000 + 24

    Binary Images:
    0x100030000 - 0x10006ffff Gauges arm64  <\(uuid.filter { $0 != "-" }.lowercased())> /var/Gauges.app/Gauges
    """
  }

  private func finding(_ text: String, dsyms: [String]) -> (Finding?, [String]) {
    let reader = ReportImporter(dsyms: dsyms).reader(profile: nil, appModules: [])
    reader.read(Array(text.utf8)[...])
    let imported = reader.finish()
    return (imported.findings.first, imported.unnamed)
  }

  @Test(
    "a frame of the image with that UUID gets its function, file and line, and is the first own"
  )
  func named() throws {
    let (finding, complaints) = finding(Self.report(uuid: Self.uuid), dsyms: [try makeBundle()])
    let frame = try #require(finding?.stacks.first?.frames.last)
    #expect(frame.symbol == "meter_poll")
    #expect(frame.file?.hasSuffix("Meter.c") == true)
    #expect(frame.line == 2)
    #expect(frame.isFirstOwn)
    #expect(complaints == [])
  }

  @Test("a frame of another build of the image stays an address")
  func otherBuild() throws {
    let other = "FF112233-4455-6677-8899-AABBCCDDEEFF"
    let (finding, _) = finding(Self.report(uuid: other), dsyms: [try makeBundle()])
    #expect(finding?.code == .deliveryToDead)
    #expect(finding?.stacks.first?.frames.last?.symbol == nil)
  }

  @Test("a symbol store has the file by the UUID")
  func stored() throws {
    let bundle = try makeBundle()
    let images = AppleDebugFiles.images(at: bundle)
    #expect(images.map(\.uuid) == [Self.uuid.filter { $0 != "-" }])
    let file = try #require(images.first?.path)
    let reader = ReportImporter(stored: { $0 == Self.uuid.filter { $0 != "-" } ? file : nil })
      .reader(profile: nil, appModules: [])
    reader.read(Array(Self.report(uuid: Self.uuid).utf8)[...])
    let imported = reader.finish()
    #expect(imported.findings.first?.stacks.first?.frames.last?.symbol == "meter_poll")
    #expect(imported.unnamed == [])
    // A store without it, and one that has another image under its name.
    for path in [nil, file] {
      let other = "FF112233-4455-6677-8899-AABBCCDDEEFF"
      let reader = ReportImporter(stored: { _ in path }).reader(profile: nil, appModules: [])
      reader.read(Array(Self.report(uuid: other).utf8)[...])
      let finding = try #require(reader.finish().findings.first)
      #expect(finding.stacks.first?.frames.last?.symbol == nil)
    }
  }

  @Test("a path without debug information is reported")
  func nothing() throws {
    let (_, complaints) = finding(Self.report(uuid: Self.uuid), dsyms: [folder.path])
    #expect(
      complaints == [
        "\"\(folder.path)\" has no debug information that can be read; name a .dSYM, an ELF file "
          + "with a build-id, or a folder of them"
      ]
    )
  }
}

/// The programs that this needs, which come with the toolchain of Swift.
private enum Tools {
  static let areThere = path(of: "clang") != nil && path(of: "llvm-symbolizer") != nil

  static func path(of name: String) -> String? {
    let folders = ProcessInfo.processInfo.environment["PATH"] ?? ""
    return folders.split(separator: ":").map { "\($0)/\(name)" }
      .first { FileManager.default.isExecutableFile(atPath: $0) }
  }
}
