import Foundation

/// The arguments of `swift package kvo-audit test`: which tests, and how to audit.
struct TestLine {
  /// The arguments for the audit.
  var auditArguments: [String] = []
  /// Regular expressions for the tests that run; empty: all.
  private var filters: [String] = []
  private var skips: [String] = []

  /// Takes `--filter` and `--skip`, as `swift test` has them; what remains is for the audit.
  init(_ arguments: [String]) {
    var rest = arguments[...]
    while let argument = rest.popFirst() {
      switch argument {
      case "--filter": if let value = rest.popFirst() { filters.append(value) }
      case "--skip": if let value = rest.popFirst() { skips.append(value) }
      default: auditArguments.append(argument)
      }
    }
  }

  /// The arguments that make a bundle run the selected tests of a library; nil: it has none of them.
  func selection(of bundle: URL, _ library: String) throws -> [String]? {
    let options =
      filters.flatMap { ["--filter", $0] } + skips.flatMap { ["--skip", $0] }
    if library == "swift-testing" { return options }
    // The test runner of XCTest knows only names.
    let names = try xctests(of: bundle)
    let selected = try names.filter { name in
      try (filters.isEmpty || filters.contains { try matches(name, $0) })
        && !skips.contains { try matches(name, $0) }
    }
    if selected.isEmpty { return nil }
    return selected.count == names.count ? [] : [selected.joined(separator: ",")]
  }

  private func matches(_ name: String, _ pattern: String) throws -> Bool {
    try name.contains(Regex(pattern))
  }

  /// The names of the tests of XCTest, as `Module.Class/test`.
  private func xctests(of bundle: URL) throws -> [String] {
    let process = Process()
    let output = Pipe()
    process.executableURL = bundle
    process.arguments = ["--testing-library", "xctest", "--list-tests"]
    process.standardOutput = output
    try process.run()
    let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    return text.split(separator: "\n").map(String.init)
      .filter { $0.contains("/") && !$0.contains(" ") }
  }
}
