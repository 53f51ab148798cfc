import Foundation
import TestSupport
import Testing

@testable import KVOReports

@Suite("The root of source files")
struct SourceRootTests {
  private let folder: ScratchFolder

  init() throws { folder = try ScratchFolder() }

  @Test("gives files below it their path in it, and others none")
  func below() throws {
    let root = try #require(SourceRoot(path: folder.path))
    let cases: [(String, String?)] = [
      ("\(folder.path)/Sources/A.swift", "Sources/A.swift"),
      ("\(folder.path)/Sources/../B.swift", "B.swift"),
      ("\(folder.path)/./x//y.swift", "x/y.swift"),
      ("\(folder.path)/../other/B.swift", nil), ("\(folder.path)-2/B.swift", nil),
      (folder.path, nil), ("/usr/include/zlib.h", nil), ("A.swift", nil),
    ]
    for (file, path) in cases { #expect(root.path(of: file) == path) }
  }

  @Test("resolves symbolic links, as forges want it")
  func links() throws {
    let files = FileManager.default
    for name in ["repository", "outside"] {
      try files.createDirectory(
        at: folder.url.appending(path: name),
        withIntermediateDirectories: true
      )
    }
    _ = try folder.file("repository/A.swift", "a")
    _ = try folder.file("outside/B.swift", "b")
    for (link, target) in [
      ("checkout", "repository"), ("repository/B.swift", "../outside/B.swift"),
      ("repository/C.swift", "A.swift"),
    ] {
      try files.createSymbolicLink(atPath: folder.path(link), withDestinationPath: target)
    }
    let root = try #require(SourceRoot(path: folder.path("checkout")))
    #expect(root.path.hasSuffix("/repository"))
    #expect(root.path(of: folder.path("checkout/A.swift")) == "A.swift")
    #expect(root.path(of: folder.path("repository/C.swift")) == "A.swift")
    #expect(root.path(of: folder.path("repository/B.swift")) == nil)
    // No such file is at hand.
    #expect(root.path(of: folder.path("checkout/None.swift")) == "None.swift")
    #expect(root.path(of: folder.path("repository/None.swift")) == "None.swift")
  }

  @Test(
    "gives files outside none, however it is named",
    arguments: [".", "./", "..", "Tests/..", "/tmp/..", "/"]
  )
  func relative(path: String) throws {
    // No such file is at hand, and it is not below the current folder.
    let root = try #require(SourceRoot(path: path))
    let isAll = root.path == "/"
    #expect(root.path(of: "/none/A.swift") == (isAll ? "none/A.swift" : nil))
    let file = root.file(at: "none/B.swift")
    #expect(root.path(of: file) == "none/B.swift")
  }

  @Test("is a folder")
  func folders() throws {
    #expect(SourceRoot(path: try folder.file("file", "")) == nil)
    #expect(SourceRoot(path: folder.path("none")) == nil)
  }
}
