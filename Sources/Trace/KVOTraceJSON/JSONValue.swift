/// A JSON value, with whole numbers kept apart so that an `order` keeps all its bits.
package enum JSONValue {
  case null
  case flag(Bool)
  /// A whole number from 0 to 2^64 - 1.
  case whole(UInt64)
  /// A whole number below 0.
  case negative(Int64)
  /// Any other number.
  case number(Double)
  case text(String)
  case list([JSONValue])
  case object([String: JSONValue])

  /// The value as a message shows it, in quotes if it is a text, and shortened.
  var shown: String {
    switch self {
    case .null: "null"
    case .flag(let value): "\(value)"
    case .whole(let value): "\(value)"
    case .negative(let value): "\(value)"
    case .number(let value): "\(value)"
    case .text(let value): "\"\(value.count > 60 ? value.prefix(60) + "…" : value[...])\""
    case .list: "a list"
    case .object: "an object"
    }
  }
}

/// Why a line is not JSON.
package struct JSONSyntaxError: Error {
  /// The byte in the line, 0-based.
  package var offset: Int
  /// The error, without a full stop.
  package var message: String
}
