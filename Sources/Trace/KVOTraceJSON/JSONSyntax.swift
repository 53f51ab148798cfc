import Foundation

/// Foundation's JSON parser, wrapped in a type of this module.
///
/// This is the only file of the reader that imports Foundation.
enum JSONSyntax {
  /// Parses one line.
  ///
  /// - Parameter line: UTF-8 without a line end.
  /// - Returns: the value.
  /// - Throws: ``JSONSyntaxError`` if the line is not one JSON value. Nesting over 512 levels
  ///   counts as an error.
  /// - Complexity: O(length).
  static func parse(_ line: ArraySlice<UInt8>) throws(JSONSyntaxError) -> JSONValue {
    // Foundation interprets NUL bytes as UTF-16, and then reads something entirely different.
    if let nul = line.firstIndex(of: 0) {
      throw JSONSyntaxError(offset: nul - line.startIndex, message: "not JSON: a NUL byte")
    }
    do {
      return value(try JSONSerialization.jsonObject(with: Data(line), options: .fragmentsAllowed))
    } catch {
      throw syntaxError((error as NSError).userInfo[NSDebugDescriptionErrorKey], in: line)
    }
  }

  /// Turns Foundation's sentence into an offset and a message.
  ///
  /// The sentence ends in "around character 12." or "starting from character 12." (a byte, 0-based)
  /// if Foundation knows the position. If it does not, mostly because the line ends too early,
  /// the position is the end of the line.
  private static func syntaxError(
    _ description: Any?,
    in line: ArraySlice<UInt8>
  ) -> JSONSyntaxError {
    var message = (description as? String) ?? "Not JSON"
    if message.hasSuffix(".") { message.removeLast() }
    var offset = line.count
    if let range = message.range(of: "character ", options: .backwards),
      let number = Int(message[range.upperBound...])
    {
      offset = min(number, line.count)
      message = String(message[..<range.lowerBound])
      for ending in [" around ", " starting from "] where message.hasSuffix(ending) {
        message.removeLast(ending.count)
      }
    }
    // Foundation calls these an end of file too, and gives no position.
    if message.contains("surrogate") {
      let escape =
        line.indices.first { line[$0...].starts(with: #"\ud"#.utf8) }
        ?? line.indices.first { line[$0...].starts(with: #"\uD"#.utf8) }
      return JSONSyntaxError(
        offset: (escape ?? line.startIndex) - line.startIndex,
        message: "not JSON: half of a surrogate pair"
      )
    }
    if message.hasPrefix("Unexpected end of file") { message = "the line ends too early" }
    return JSONSyntaxError(
      offset: offset,
      message: "not JSON: " + message.prefix(1).lowercased() + message.dropFirst()
    )
  }

  private static func value(_ any: Any) -> JSONValue {
    switch any {
    case let text as String: .text(text)
    case let object as [String: Any]: .object(object.mapValues(value))
    case let list as [Any]: .list(list.map(value))
    case let number as NSNumber: value(number)
    default: .null
    }
  }

  /// A Swift cast cannot distinguish 1 from `true` here; the number's own type can.
  private static func value(_ number: NSNumber) -> JSONValue {
    switch UInt8(bitPattern: number.objCType.pointee) {
    case UInt8(ascii: "c"), UInt8(ascii: "B"): return .flag(number.boolValue)
    case UInt8(ascii: "d"), UInt8(ascii: "f"):
      let value = number.doubleValue
      // 2^53: up to here a Double holds every whole number.
      if value.rounded() == value, value.magnitude <= 9_007_199_254_740_992 {
        return value < 0 ? .negative(Int64(value)) : .whole(UInt64(value))
      }
      return .number(value)
    case UInt8(ascii: "Q"): return .whole(number.uint64Value)
    default:
      let value = number.int64Value
      return value < 0 ? .negative(value) : .whole(UInt64(value))
    }
  }
}
