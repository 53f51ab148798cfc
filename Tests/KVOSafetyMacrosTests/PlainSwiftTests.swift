#if Macros
import Foundation
import TestSupport
import Testing

/// Random classes, with the macro and without it, compiled and run: `make check` has more of them.
@Suite("Generated classes behave as in plain Swift")
struct PlainSwiftTests {
  private static let python = ["/usr/bin/python3", "/usr/local/bin/python3"].first {
    FileManager.default.isExecutableFile(atPath: $0)
  }

  @Test(
    "states, and calls of observers, observed or not",
    .enabled(if: python != nil, "python3 is missing: install python3-minimal")
  )
  func generated() throws {
    let generator = ProgramRun.package.appending(path: "Tests/PlainSwift/generate.py").path
    let modules = try ProgramRun.bundle.deletingLastPathComponent().path
    let run = try ProgramRun(
      URL(filePath: #require(Self.python)),
      [generator, "--modules", modules, "--classes", "40", "--seed", "1"]
    )
    #expect(run.status == 0, "\(run)")
  }
}
#endif
