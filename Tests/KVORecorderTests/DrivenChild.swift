import Foundation

/// A probe that executes the commands of a test one after the other.
final class DrivenChild {
  let child: Child

  /// Starts the probe, and its log if `path` is given.
  init(log path: String? = nil, limit: Int? = nil) throws {
    // Swift's handler of crashes lets a program go on that was sent the signal.
    child = try Child("RecorderProbe", ["driven"], environment: ["SWIFT_BACKTRACE": "enable=no"])
    if let path { try tell("start \(path) \(limit.map(String.init) ?? "")") }
  }

  /// Has it do something; returns its answer.
  @discardableResult
  func tell(_ command: String) throws -> String {
    try child.send(command + "\n")
    return try child.line() ?? "(ended)"
  }

  /// Lets it end, and returns what it complained of on the way.
  func end() throws -> Child.Outcome { try child.end() }
}
