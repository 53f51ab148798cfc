/// Shortens the text that the demangler of the Swift runtime writes for a stack frame.
///
/// Pure work over bytes, which are written directly into the new text: a binary has tens of thousands of names, and
/// text as characters took ten times as long as the demangling itself. The grammar it relies on is that of
/// `NodePrinter.cpp` of the Swift compiler.
enum SwiftNameText {
  /// Removes the parts of a name in the runtime's short form that a reader of a stack does not need.
  ///
  /// - Generic arguments and parameters: `Array<A>.biggest()` is `Array.biggest()`.
  /// - `__deallocating_deinit` is `deinit` and `__allocating_init` is `init`: the two halves stand
  ///   for one declaration.
  /// - The fixity of an operator: `Vec.+ infix(_:_:)` is `Vec.+(_:_:)`.
  /// - The number of the first local function of its name: `local #1 (_:)` is `local(_:)`.
  ///
  /// - Returns: the shorter name, or the name itself if its brackets do not pair.
  /// - Complexity: O(n).
  static func shortened(_ name: UnsafeBufferPointer<UInt8>) -> String {
    var isBalanced = true
    let text = String(unsafeUninitializedCapacity: name.count) { kept in
      let count = shorten(name, into: kept)
      isBalanced = count != nil
      return count ?? 0
    }
    return isBalanced ? text : String(decoding: name, as: UTF8.self)
  }

  /// Writes the shorter name to `kept`, which has as many bytes as `name`.
  ///
  /// - Returns: the number of bytes written, or nil if the brackets do not pair.
  private static func shorten(
    _ name: UnsafeBufferPointer<UInt8>,
    into kept: UnsafeMutableBufferPointer<UInt8>
  ) -> Int? {
    var count = 0
    var depth = 0
    var index = 0
    var replacedEnd = 0
    while index < name.count {
      let byte = name[index]
      if byte == UInt8(ascii: "<"), depth > 0 || opensList(at: index, in: name, replacedEnd) {
        depth += 1
      } else if byte == UInt8(ascii: ">"), depth > 0 {
        if name[index - 1] != UInt8(ascii: "-") { depth -= 1 }
      } else if depth == 0 {
        if let replacement = replacement(at: index, in: name) {
          for short in replacement.short {
            kept[count] = short
            count += 1
          }
          index += replacement.long.count
          replacedEnd = index
          continue
        }
        kept[count] = byte
        count += 1
      }
      index += 1
    }
    return depth == 0 ? count : nil
  }

  @inline(__always)
  private static func replacement(
    at index: Int,
    in name: UnsafeBufferPointer<UInt8>
  ) -> Replacement? {
    let byte = name[index]
    guard byte == UInt8(ascii: " ") || byte == UInt8(ascii: "_"), index + 1 < name.count else {
      return nil
    }
    // Most spaces are before none of them: the second byte is checked before the list is.
    switch name[index + 1] {
    case UInt8(ascii: "_"), UInt8(ascii: "i"), UInt8(ascii: "p"), UInt8(ascii: "#"):
      return replacements.first { $0.matches(name, at: index) }
    default:
      return nil
    }
  }

  private struct Replacement {
    let long: [UInt8]
    /// Not longer than `long`.
    let short: [UInt8]
    /// Whether it applies only before an argument or generic list.
    let isBeforeList: Bool

    init(_ long: String, _ short: String, isBeforeList: Bool = false) {
      self.long = Array(long.utf8)
      self.short = Array(short.utf8)
      self.isBeforeList = isBeforeList
    }

    func matches(_ name: UnsafeBufferPointer<UInt8>, at index: Int) -> Bool {
      let end = index + long.count
      guard end <= name.count else { return false }
      for offset in long.indices where name[index + offset] != long[offset] { return false }
      guard isBeforeList else { return true }
      return end < name.count
        && (name[end] == UInt8(ascii: "(") || name[end] == UInt8(ascii: "<"))
    }
  }

  private static let replacements = [
    Replacement("__isolated_deallocating_deinit", "deinit"),
    Replacement("__deallocating_deinit", "deinit"),
    Replacement("__allocating_init", "init"),
    Replacement(" infix", "", isBeforeList: true),
    Replacement(" prefix", "", isBeforeList: true),
    Replacement(" postfix", "", isBeforeList: true),
    Replacement(" #1 ", "", isBeforeList: true),
  ]

  /// Whether an angle bracket opens a generic list, and is not part of an operator: an operator follows a space or a
  /// dot, or begins the name.
  private static func opensList(
    at index: Int,
    in name: UnsafeBufferPointer<UInt8>,
    _ replacedEnd: Int
  ) -> Bool {
    index > 0 && (index == replacedEnd || name[index - 1].isIdentifierPart)
  }
}

extension UInt8 {
  /// Whether the byte can be in a Swift identifier, or closes one that is quoted.
  var isIdentifierPart: Bool {
    switch self {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "`"), 0x80...:
      true
    default:
      false
    }
  }
}

extension Array where Element == UInt8 {
  /// Whether the bytes of `part` are at `index`.
  func contains(_ part: [UInt8], at index: Int) -> Bool {
    guard count - index >= part.count else { return false }
    for offset in part.indices where self[index + offset] != part[offset] { return false }
    return true
  }
}
