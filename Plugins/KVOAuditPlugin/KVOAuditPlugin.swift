import Foundation
import PackagePlugin

/// `swift package kvo-audit`: runs kvo-audit, in this package and in those that depend on it.
///
/// `swift package kvo-audit test` runs the tests of the package, each process recorded, and audits the logs.
@main
struct KVOAuditPlugin: CommandPlugin {
  func performCommand(context: PluginContext, arguments: [String]) async throws {
    let tool = try context.tool(named: "kvo-audit").url
    guard arguments.first == "test" else {
      return end(with: try run(tool, arguments))
    }
    let line = TestLine(Array(arguments.dropFirst()))
    let bundle = try build(context)
    let logs = context.pluginWorkDirectoryURL.appending(path: "logs")
    try? FileManager.default.removeItem(at: logs)
    try FileManager.default.createDirectory(at: logs, withIntermediateDirectories: true)

    var status: Int32 = 0
    for library in ["xctest", "swift-testing"] {
      guard let selected = try line.selection(of: bundle, library) else { continue }
      let ended = try run(bundle, ["--testing-library", library] + selected, logs: logs)
      // Swift Testing: there is no such test.
      if ended != 0, ended != EX_UNAVAILABLE { status = ended }
    }
    guard try !FileManager.default.contentsOfDirectory(atPath: logs.path).isEmpty else {
      print(
        "kvo-audit: no KVO was seen: no process of the tests wrote a log, so none uses KVOSafety"
      )
      return end(with: status == 0 ? EX_DATAERR : status)
    }
    print("kvo-audit: the logs are in \"\(logs.path)\"")
    let audited = try run(tool, ["audit"] + line.auditArguments + [logs.path])
    end(with: status == 0 ? audited : status)
  }

  /// Builds the tests of the package.
  private func build(_ context: PluginContext) throws -> URL {
    let result = try packageManager.build(
      .all(includingTests: true),
      parameters: .init(configuration: .inherit, logging: .concise)
    )
    guard result.succeeded else {
      print(result.logText)
      Diagnostics.error("The tests of \(context.package.displayName) do not build.")
      exit(1)
    }
    // SwiftPM lists the executables that it builds, but not the bundle of tests beside them.
    let name = "\(context.package.displayName)PackageTests.xctest"
    let folders =
      result.builtArtifacts.map { $0.url.deletingLastPathComponent() }
      + [try context.tool(named: "kvo-audit").url.deletingLastPathComponent()]
    for folder in folders {
      let bundle = folder.appending(path: name)
      if FileManager.default.fileExists(atPath: bundle.path) { return bundle }
    }
    Diagnostics.error("\(context.package.displayName) has no tests: there is no \(name).")
    exit(1)
  }

  /// Runs a program to its end.
  private func run(_ program: URL, _ arguments: [String], logs: URL? = nil) throws -> Int32 {
    let process = Process()
    process.executableURL = program
    process.arguments = arguments
    if let logs {
      process.environment = ProcessInfo.processInfo.environment
        .merging(["KVO_SAFETY_LOG": logs.path + "/"]) { $1 }
    }
    try process.run()
    process.waitUntilExit()
    // As a shell does: SwiftPM has its own statuses, and shows no signal.
    return process.terminationReason == .uncaughtSignal
      ? 128 + process.terminationStatus : process.terminationStatus
  }

  /// Ends the plugin; SwiftPM ends with status 1 for every other status than 0.
  private func end(with status: Int32) {
    if status != 0 { exit(status) }
  }
}
