/// Finds the module of a Swift function.
enum SwiftModuleName {
  /// The module in a name in the demangler's full form, or nil.
  ///
  /// - A closure, a local function, an accessor, a specialization or an async piece belongs to the
  ///   function that it comes from.
  /// - A member of a type that is local to a function belongs to that function's module.
  /// - A member of an extension belongs to the module of the extension.
  /// - A protocol witness belongs to the module of the conformance.
  /// - A thunk that only converts calling conventions, and code that the importer created from C, belong to none.
  ///
  /// - Complexity: O(n).
  static func inFullName(_ name: [UInt8]) -> String? {
    let words = topLevelWords(of: name)
    // A member of a local type is named without a module; its type's function follows the type.
    var index =
      words.indices.first {
        $0 >= 2 && isOrdinal(name[words[$0]]) && name[words[$0 - 2]].elementsEqual(inWord)
      } ?? 0
    while index < words.count {
      let word = name[words[index]]
      if word.elementsEqual(reabstraction) { return nil }
      if name.contains(witness, at: word.startIndex),
        let last = words.lastIndex(where: { name[$0].elementsEqual(inWord) }),
        last + 1 < words.count
      {
        return module(name[words[last + 1]])
      }
      if isOrdinal(word),
        let next = words[index...].firstIndex(where: { name[$0].elementsEqual(inWord) })
      {
        // The signature of a closure or local function is between its number and its context.
        index = next + 1
        continue
      }
      if name.contains(extensionOpening, at: word.startIndex) {
        let rest = word.dropFirst(extensionOpening.count)
        return module(rest.prefix { $0 != UInt8(ascii: ")") })
      }
      let first = word.prefix { $0.isIdentifierPart }
      if !first.isEmpty, first.endIndex < word.endIndex, word[first.endIndex] == UInt8(ascii: ".") {
        return module(first)
      }
      index += 1
    }
    return nil
  }

  /// The module that a mangled name starts with, for names whose text does not contain it, such as that of a global's
  /// initializer.
  static func leading(mangled name: [UInt8]) -> String? {
    guard let dollar = name.firstIndex(of: UInt8(ascii: "$")) else { return nil }
    let rest = name[dollar...].dropFirst(2)
    let digits = rest.prefix { UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 }
    guard digits.first != UInt8(ascii: "0"),
      let length = Int(String(decoding: digits, as: UTF8.self)), length > 0,
      length <= rest.count - digits.count
    else { return nil }
    return String(decoding: rest.dropFirst(digits.count).prefix(length), as: UTF8.self)
  }

  private static let witness = Array("protocol witness for ".utf8)
  private static let extensionOpening = Array("(extension in ".utf8)
  private static let reabstraction = Array("reabstraction".utf8)
  private static let inWord = Array("in".utf8)
  /// The compiler's names for the modules of Clang imports, and of its own primitives.
  private static let pseudoModules: Set<String> = ["__C", "__C_Synthesized", "__ObjC", "Builtin"]

  private static func module(_ bytes: ArraySlice<UInt8>) -> String? {
    let name = String(decoding: bytes, as: UTF8.self)
    return name.isEmpty || pseudoModules.contains(name) ? nil : name
  }

  /// The name's words; text in brackets is part of the surrounding word.
  private static func topLevelWords(of name: [UInt8]) -> [Range<Int>] {
    var words: [Range<Int>] = []
    var depth = 0
    var start = 0
    var previous = UInt8(ascii: " ")
    for (index, byte) in name.enumerated() {
      switch byte {
      case UInt8(ascii: "("), UInt8(ascii: "["):
        depth += 1
      case UInt8(ascii: "<")
      where depth > 0 || previous.isIdentifierPart || previous == UInt8(ascii: " "):
        depth += 1
      case UInt8(ascii: ">") where previous != UInt8(ascii: "-"):
        depth = max(0, depth - 1)
      case UInt8(ascii: ")"), UInt8(ascii: "]"):
        depth = max(0, depth - 1)
      case UInt8(ascii: " ") where depth == 0:
        if start < index { words.append(start..<index) }
        start = index + 1
      default:
        break
      }
      previous = byte
    }
    if start < name.count { words.append(start..<name.count) }
    return words
  }

  private static func isOrdinal(_ word: ArraySlice<UInt8>) -> Bool {
    word.first == UInt8(ascii: "#") && word.count > 1
      && word.dropFirst().allSatisfy { UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 }
  }
}
