#if Macros
import Foundation
import Testing

/// Random classes, with the macro and without it, compiled and run: `make check` has more of them.
@Suite("Generated classes do what they do in plain Swift")
struct PlainSwiftTests {
  private static let python = ["/usr/bin/python3", "/usr/local/bin/python3"].first {
    FileManager.default.isExecutableFile(atPath: $0)
  }

  @Test(
    "states, and calls of observers, observed or not",
    .enabled(if: python != nil, "python3 is missing: install python3-minimal")
  )
  func generated() throws {
    let generator = URL(filePath: #filePath).deletingLastPathComponent()
      .deletingLastPathComponent().appending(path: "PlainSwift/generate.py")
    let bundle = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
    let process = Process()
    process.executableURL = URL(filePath: try #require(Self.python))
    process.arguments = [
      generator.path, "--modules", URL(filePath: bundle).deletingLastPathComponent().path,
      "--classes", "40", "--seed", "1",
    ]
    let output = Pipe()
    process.standardOutput = output
    try process.run()
    let text = try output.fileHandleForReading.readToEnd() ?? Data()
    process.waitUntilExit()
    #expect(process.terminationStatus == 0, "\(String(decoding: text, as: UTF8.self))")
  }
}
#endif
