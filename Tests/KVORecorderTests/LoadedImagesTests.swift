import Foundation
import KVOTrace
import TestSupport
import Testing

@testable import KVORecorder

// One after the other: a library that is closed may leave its addresses to one of another test.
@Suite("The images of the process", .serialized)
struct LoadedImagesTests {
  /// The build-id that readelf finds, or nil if the file has none.
  private func buildID(of path: String) throws -> String? {
    let listing = try Tool.run("/usr/bin/readelf", ["--notes", "--wide", path])
    return listing.split(separator: "\n").first { $0.contains("Build ID: ") }
      .flatMap { $0.split(separator: " ").last.map(String.init) }
  }

  /// The address at which a file is mapped first, according to the kernel: the bias of a shared library.
  private func base(of path: String) throws -> UInt64 {
    let file = URL(fileURLWithPath: path).resolvingSymlinksInPath().path
    let line = try text(of: "/proc/self/maps").split(separator: "\n").first { $0.hasSuffix(file) }
    return try #require(UInt64(line?.prefix { $0 != "-" } ?? "", radix: 16))
  }

  @Test(
    "has the test program and the C library, with their build-ids",
    .enabled(if: Tool.hasReadelf, "needs readelf")
  )
  func knownImages() throws {
    let images = LoadedImages.all
    #expect(images.map(\.textStart) == images.map(\.textStart).sorted())
    let program = try #require(images.first { $0.path.hasSuffix("KVOSafetyPackageTests.xctest") })
    #expect(try program.path == ProgramRun.bundle.path)
    #expect(program.contains(try #require(CapturedStack.ofCaller().first)))
    let libc = try #require(images.first { $0.path.hasSuffix("/libc.so.6") })
    let function = try #require(dlsym(nil, "gnu_get_libc_version"))
    #expect(libc.contains(UInt64(UInt(bitPattern: function))))
    #expect(libc.loadBias == (try base(of: libc.path)))
    for image in [program, libc] {
      #expect(image.buildID == (try buildID(of: image.path) ?? ""))
      #expect(image.loadBias <= image.textStart && image.textStart < image.textEnd)
    }
    #expect(libc.buildID.count == 40)
  }

  @Test("agrees with the kernel on the address of the code")
  func mappings() throws {
    let images = LoadedImages.all
    for line in try text(of: "/proc/self/maps").split(separator: "\n") {
      let fields = line.split(separator: " ", maxSplits: 5, omittingEmptySubsequences: true)
      guard fields.count == 6, fields[1].hasPrefix("r-x"), fields[5].hasPrefix("/") else {
        continue
      }
      let bounds = fields[0].split(separator: "-").compactMap { UInt64($0, radix: 16) }
      let image = try #require(images.first { $0.contains(bounds[0]) }, "\(line)")
      #expect(image.path.hasSuffix((String(fields[5]) as NSString).lastPathComponent))
      #expect(image.textEnd <= bounds[1])
    }
  }

  @Test(
    "has a library that was loaded since, with its build-id",
    .enabled(if: Tool.hasCompiler && Tool.hasReadelf, "needs gcc and readelf"),
    arguments: ["sha1", "md5", "0xabcdef01", "none"]
  )
  func loadedLibrary(style: String) throws {
    let folder = try ScratchFolder()
    let before = Set(LoadedImages.all)
    let source = try folder.file("late.c", "int late(void) { return 7; }")
    let path = folder.path("late.so")
    try Tool.run(
      "/usr/bin/gcc",
      ["-shared", "-fPIC", "-nostdlib", "-Wl,--build-id=\(style)", "-o", path, source]
    )
    let library = try #require(dlopen(path, RTLD_NOW | RTLD_LOCAL))
    defer { dlclose(library) }
    let function = try #require(dlsym(library, "late"))
    let address = UInt64(UInt(bitPattern: function))
    let added = LoadedImages.all.filter { $0.contains(address) && !before.contains($0) }
    try #require(added.count == 1)
    #expect(added[0].path == path)
    #expect(added[0].loadBias == (try base(of: path)))
    #expect(added[0].buildID == (try buildID(of: path) ?? ""))
    #expect(added[0].buildID.isEmpty == (style == "none"))
  }

  @Test(
    "has the absolute path of a library that was opened by a relative one",
    .enabled(if: Tool.hasCompiler, "needs gcc")
  )
  func relativePath() throws {
    let folder = try ScratchFolder()
    let source = try folder.file("near.c", "int near(void) { return 7; }")
    let path = folder.path("near.so")
    try Tool.run("/usr/bin/gcc", ["-shared", "-fPIC", "-nostdlib", "-o", path, source])
    let here = FileManager.default.currentDirectoryPath
    let root = String(repeating: "../", count: here.split(separator: "/").count)
    let library = try #require(dlopen(root + path.dropFirst(), RTLD_NOW | RTLD_LOCAL))
    defer { dlclose(library) }
    let function = try #require(dlsym(library, "near"))
    let address = UInt64(UInt(bitPattern: function))
    let image = try #require(LoadedImages.all.first { $0.contains(address) })
    #expect(image.path == URL(fileURLWithPath: path).resolvingSymlinksInPath().path)
  }
}
