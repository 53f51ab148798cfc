/// The arguments of a call of a tool.
struct MCPArguments {
  /// A missing or wrong argument, as a sentence for the agent.
  struct Failure: Error {
    var message: String
  }

  private let values: [String: Any]

  init(_ values: [String: Any]) { self.values = values }

  /// A text that must be given.
  func text(_ name: String) throws(Failure) -> String {
    guard let text = values[name] as? String, !text.isEmpty else {
      throw Failure(message: "\"\(name)\" is missing: a text")
    }
    return text
  }

  /// A text that may be left out.
  func optionalText(_ name: String) -> String? { values[name] as? String }

  /// A list of texts that must be given, and not be empty.
  func texts(_ name: String) throws(Failure) -> [String] {
    if let one = values[name] as? String { return [one] }
    guard let texts = values[name] as? [String], !texts.isEmpty else {
      throw Failure(message: "\"\(name)\" is missing: a list of paths")
    }
    return texts
  }

  /// A number from 1 on that may be left out.
  func count(_ name: String, default count: Int) throws(Failure) -> Int {
    guard let value = values[name] else { return count }
    guard let number = value as? Int, number > 0 else {
      throw Failure(message: "\"\(name)\" must be a number above 0")
    }
    return number
  }
}
