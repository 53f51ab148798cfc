import Foundation
import Testing

/// A program that a test needs and that not every machine has.
struct Tool {
  let path: String

  /// The program of that name in the toolchain, beside `swift`, or else in `PATH`.
  init?(_ name: String) {
    let folders = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
    let toolchains = folders.map { "\($0)/swift" }
      .filter { FileManager.default.isExecutableFile(atPath: $0) }
      .map { URL(fileURLWithPath: $0).resolvingSymlinksInPath().deletingLastPathComponent().path }
    let candidates = (toolchains + folders.map(String.init)).map { "\($0)/\(name)" }
    guard
      let found = candidates.first(where: { FileManager.default.isExecutableFile(atPath: $0) })
    else { return nil }
    path = found
  }

  static func exists(_ name: String) -> Bool { Tool(name) != nil }

  /// Runs the program to its end and gives what it printed; a status other than 0 fails the test.
  @discardableResult
  func run(_ arguments: [String], input: Data = Data()) throws -> String {
    let folder = try TemporaryFolder()
    let inputPath = folder.path("input")
    try input.write(to: URL(fileURLWithPath: inputPath))
    let process = Process()
    process.executableURL = URL(fileURLWithPath: path)
    process.arguments = arguments
    process.standardInput = try FileHandle(forReadingFrom: URL(fileURLWithPath: inputPath))
    let output = Pipe()
    process.standardOutput = output
    try process.run()
    let data = try output.fileHandleForReading.readToEnd() ?? Data()
    process.waitUntilExit()
    try #require(process.terminationStatus == 0, "\(path) \(arguments)")
    return String(decoding: data, as: UTF8.self)
  }
}

/// A folder that goes when the object does.
final class TemporaryFolder {
  private let root: String

  init() throws {
    root = "\(NSTemporaryDirectory())kvo-symbols-\(UUID().uuidString)"
    try FileManager.default.createDirectory(atPath: root, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(atPath: root) }

  func path(_ name: String) -> String { "\(root)/\(name)" }

  @discardableResult
  func write(_ bytes: some Sequence<UInt8>, to name: String) throws -> String {
    try Data(bytes).write(to: URL(fileURLWithPath: path(name)))
    return path(name)
  }
}
