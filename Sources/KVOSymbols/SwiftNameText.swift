/// Shortens the text that the demangler of the Swift runtime writes for a stack frame.
///
/// Pure work over bytes: a binary has tens of thousands of names, and text as characters took ten
/// times as long as the demangling itself. The grammar it relies on is that of `NodePrinter.cpp`
/// of the Swift compiler.
enum SwiftNameText {
  /// Drops from a name in the runtime's short form what a reader of a stack does not need.
  ///
  /// - Generic arguments and parameters: `Array<A>.biggest()` is `Array.biggest()`.
  /// - `__deallocating_deinit` is `deinit` and `__allocating_init` is `init`: the two halves stand
  ///   for one declaration.
  /// - The fixity of an operator: `Vec.+ infix(_:_:)` is `Vec.+(_:_:)`.
  /// - The number of the first local function of its name: `local #1 (_:)` is `local(_:)`.
  ///
  /// - Returns: the shorter name, or the name itself where its brackets do not pair.
  /// - Complexity: O(n).
  static func shortened(_ name: [UInt8]) -> String {
    var kept: [UInt8] = []
    kept.reserveCapacity(name.count)
    var depth = 0
    var index = 0
    while index < name.count {
      let byte = name[index]
      if opensList(at: index, in: name, depth: depth) {
        depth += 1
      } else if byte == UInt8(ascii: ">"), depth > 0 {
        if name[index - 1] != UInt8(ascii: "-") { depth -= 1 }
      } else if depth == 0 {
        if byte == UInt8(ascii: " ") || byte == UInt8(ascii: "_"),
          let (long, short) = replacements.first(where: { name.contains($0.0, at: index) })
        {
          kept += short
          index += long.count
          continue
        }
        kept.append(byte)
      }
      index += 1
    }
    return String(decoding: depth == 0 ? kept : name, as: UTF8.self)
  }

  private static let replacements: [([UInt8], [UInt8])] = [
    ("__isolated_deallocating_deinit", "deinit"),
    ("__deallocating_deinit", "deinit"),
    ("__allocating_init", "init"),
    (" infix(", "("),
    (" infix<", "<"),
    (" prefix(", "("),
    (" prefix<", "<"),
    (" postfix(", "("),
    (" postfix<", "<"),
    (" #1 (", "("),
    (" #1 <", "<"),
  ].map { (Array($0.0.utf8), Array($0.1.utf8)) }

  /// Whether an angle bracket opens a generic list, and is not part of an operator: that one stands
  /// behind a space or a dot, or opens the name.
  private static func opensList(at index: Int, in name: [UInt8], depth: Int) -> Bool {
    guard name[index] == UInt8(ascii: "<") else { return false }
    return depth > 0 || index > 0 && name[index - 1].isIdentifierPart
  }
}

extension UInt8 {
  /// Whether the byte can stand in a Swift identifier, or closes one that is quoted.
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
  /// Whether the bytes of `part` stand at `index`.
  func contains(_ part: [UInt8], at index: Int) -> Bool {
    guard count - index >= part.count else { return false }
    for offset in part.indices where self[index + offset] != part[offset] { return false }
    return true
  }
}
