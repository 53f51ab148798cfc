/// What the paths of logs state about their origin: `{version}/{day}/{device}-*.kvolog`.
///
/// A pattern is compared with the last components of a path, as many as it has itself. `{version}`, `{os}`, `{day}` and
/// `{device}` stand for a text without a slash, which is the value; `*` stands for any text without one.
package struct PathPattern: Hashable, Sendable {
  /// A property of the origin of a log.
  package enum Field: String, Hashable, Sendable, CaseIterable {
    case version
    case os
    case day
    case device
  }

  private enum Part: Hashable, Sendable {
    case text([UInt8])
    case any
    case field(Field)
  }

  /// The parts of each component.
  private let components: [[Part]]

  /// The reason why a text is not a pattern.
  package struct Refusal: Error, Hashable, Sendable {
    /// A sentence without a capital and a full stop.
    package var reason: String
  }

  /// Reads a pattern.
  ///
  /// - Throws: ``Refusal`` if a name in braces is unknown or used twice, if a brace is not closed, or if there is none.
  package init(_ text: String) throws(Refusal) {
    var fields: Set<Field> = []
    var components: [[Part]] = []
    for component in text.split(separator: "/", omittingEmptySubsequences: true) {
      var parts: [Part] = []
      var literal: [UInt8] = []
      var rest = component[...]
      func flush() {
        if !literal.isEmpty { parts.append(.text(literal)) }
        literal = []
      }
      while let character = rest.first {
        rest.removeFirst()
        switch character {
        case "*":
          flush()
          parts.append(.any)
        case "{":
          flush()
          guard let end = rest.firstIndex(of: "}") else {
            throw Refusal(reason: "\"{\(rest)\" has no closing brace")
          }
          let name = rest[..<end]
          rest = rest[rest.index(after: end)...]
          guard let field = Field(rawValue: String(name)) else {
            let known = Field.allCases.map { "{\($0.rawValue)}" }.joined(separator: ", ")
            throw Refusal(reason: "\"{\(name)}\" is not known; known are \(known)")
          }
          guard fields.insert(field).inserted else {
            throw Refusal(reason: "\"{\(name)}\" is there twice")
          }
          parts.append(.field(field))
        default: literal.append(contentsOf: String(character).utf8)
        }
      }
      flush()
      components.append(parts)
    }
    guard !fields.isEmpty else {
      throw Refusal(reason: "\"\(text)\" has none of {version}, {os}, {day} and {device}")
    }
    self.components = components
  }

  /// The values that `path` states; none if it does not match.
  ///
  /// A value is as short as possible. Complexity: O(length × fields and stars), of each component.
  package func values(in path: String) -> [Field: String] {
    let names = path.split(separator: "/").suffix(components.count).map { Array($0.utf8) }
    guard names.count == components.count else { return [:] }
    var values: [Field: String] = [:]
    for (name, parts) in zip(names, components) {
      guard Self.match(name[...], parts[...], &values) else { return [:] }
    }
    return values
  }

  /// Compares `name` with `parts`, and stores the values of fields.
  private static func match(
    _ name: ArraySlice<UInt8>,
    _ parts: ArraySlice<Part>,
    _ values: inout [Field: String]
  ) -> Bool {
    guard let part = parts.first else { return name.isEmpty }
    let rest = parts.dropFirst()
    switch part {
    case .text(let text):
      return name.starts(with: text) && match(name.dropFirst(text.count), rest, &values)
    case .any, .field:
      let least = part == .any ? 0 : 1
      guard name.count >= least else { return false }
      for length in least...name.count where match(name.dropFirst(length), rest, &values) {
        if case .field(let field) = part {
          values[field] = String(decoding: name.prefix(length), as: UTF8.self)
        }
        return true
      }
      return false
    }
  }
}
