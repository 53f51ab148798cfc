import KVOTraceJSON

// A value as the kind that a request should have; nil if it is of another.
extension JSONValue {
  var isNull: Bool {
    if case .null = self { true } else { false }
  }

  var text: String? {
    if case .text(let text) = self { text } else { nil }
  }

  var items: [JSONValue]? {
    if case .list(let items) = self { items } else { nil }
  }

  var members: [String: JSONValue]? {
    if case .object(let members) = self { members } else { nil }
  }
}
