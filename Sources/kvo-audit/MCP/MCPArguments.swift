import KVOTraceJSON

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// The arguments of a call of a tool.
struct MCPArguments {
  /// A missing or wrong argument, as a sentence for the agent.
  struct Failure: Error {
    var message: String
  }

  private let values: [String: JSONValue]

  init(_ values: [String: JSONValue]) { self.values = values }

  /// A text that must be given.
  func text(_ name: String) throws(Failure) -> String {
    guard let text = values[name]?.text, !text.isEmpty else {
      throw Failure(message: "\"\(name)\" is missing: a text")
    }
    return text
  }

  /// A path that must be given.
  func path(_ name: String) throws(Failure) -> String {
    let path = try text(name)
    try Self.check(path)
    return path
  }

  /// A path that may be left out.
  func optionalPath(_ name: String) throws(Failure) -> String? {
    guard let path = values[name]?.text else { return nil }
    try Self.check(path)
    return path
  }

  /// A list of paths that must be given, and not be empty.
  func paths(_ name: String) throws(Failure) -> [String] {
    let items = values[name].map { $0.items ?? [$0] } ?? []
    let paths = items.compactMap(\.text)
    guard !paths.isEmpty, paths.count == items.count else {
      throw Failure(message: "\"\(name)\" is missing: a list of paths")
    }
    for path in paths { try Self.check(path) }
    return paths
  }

  /// Refuses standard input, under any name: to read it would wait for the next requests, and take them away.
  private static func check(_ path: String) throws(Failure) {
    var (file, input) = (stat(), stat())
    let isInput =
      stat(path, &file) == 0 && fstat(STDIN_FILENO, &input) == 0 && file.st_dev == input.st_dev
      && file.st_ino == input.st_ino
    guard path == "-" || isInput else { return }
    throw Failure(message: "\"\(path)\" is standard input, from which requests come: name a file")
  }

  /// A number from 1 on that may be left out.
  func count(_ name: String, default count: Int) throws(Failure) -> Int {
    guard let value = values[name] else { return count }
    guard case .whole(let number) = value, number > 0, let count = Int(exactly: number) else {
      throw Failure(message: "\"\(name)\" must be a number above 0")
    }
    return count
  }
}
