import KVOTraceJSON

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

  /// A text that may be left out.
  func optionalText(_ name: String) -> String? { values[name]?.text }

  /// A list of texts that must be given, and not be empty.
  func texts(_ name: String) throws(Failure) -> [String] {
    if let one = values[name]?.text { return [one] }
    let items = values[name]?.items ?? []
    let texts = items.compactMap(\.text)
    guard !texts.isEmpty, texts.count == items.count else {
      throw Failure(message: "\"\(name)\" is missing: a list of paths")
    }
    return texts
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
