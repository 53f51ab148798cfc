/// Reads the module of a function from its mangled name, if nothing in the name can indicate another.
///
/// The demangled text contains the module of every name, but it costs a second run of the demangler, which was a fifth
/// of what resolving new addresses cost. The grammar is that of `Mangling.rst` of the Swift compiler. Only the
/// operators that most functions are made of are known here; a name with any other one, or with one that changes the
/// function's module, is left to ``SwiftModuleName/inFullName(_:)``.
struct SwiftMangledModule {
  private let name: UnsafeBufferPointer<UInt8>
  private var index = 2

  /// The module that `name` surely belongs to, or nil if its demangled text is needed.
  ///
  /// A name that does not demangle may have a result, too.
  ///
  /// - Complexity: O(n).
  static func certain(in name: UnsafeBufferPointer<UInt8>) -> String? {
    guard name.count > 2, name[0] == UInt8(ascii: "$"), name[1] == UInt8(ascii: "s") else {
      return nil
    }
    var scan = SwiftMangledModule(name: name)
    guard let module = scan.module(), isDigit(scan.next) else { return nil }
    // The last of several dots only distinguishes pieces of one function.
    while scan.index < name.count, scan.next != UInt8(ascii: ".") {
      guard scan.passOperator() else { return nil }
    }
    return module
  }

  /// The module that the name starts with: an identifier, or one of the short forms of Swift's own.
  private mutating func module() -> String? {
    switch next {
    case UInt8(ascii: "s"):
      index += 1
      return "Swift"
    case UInt8(ascii: "S"):
      index += 1
      // `So` is C's, `SC` the importer's, `Sc` another list, and `Sg` ends a type.
      let type = take()
      let isType = Self.isLetter(type) && !Array("oCcg".utf8).contains(type)
      return isType ? "Swift" : nil
    case UInt8(ascii: "1")...UInt8(ascii: "9"):
      return identifier().map { String(decoding: $0, as: UTF8.self) }
    default:
      return nil
    }
  }

  private init(name: UnsafeBufferPointer<UInt8>) { self.name = name }

  private static func isDigit(_ byte: UInt8) -> Bool {
    UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte
  }

  private static func isLetter(_ byte: UInt8) -> Bool {
    UInt8(ascii: "a")...UInt8(ascii: "z") ~= byte | 0x20
  }

  /// The next byte, or 0 after the end.
  private var next: UInt8 { index < name.count ? name[index] : 0 }

  private mutating func take() -> UInt8 {
    let byte = next
    index += 1
    return byte
  }

  /// A decimal number, or nil if there is none or it is longer than any name.
  private mutating func natural() -> Int? {
    var value = 0
    let start = index
    while Self.isDigit(next) {
      value = value * 10 + Int(next - UInt8(ascii: "0"))
      index += 1
      guard value <= name.count else { return nil }
    }
    return index > start ? value : nil
  }

  /// `_`, or a number and `_`.
  private mutating func passIndex() -> Bool {
    if Self.isDigit(next), natural() == nil { return false }
    return take() == UInt8(ascii: "_")
  }

  /// Which generic parameter: `z` for the first, an index for another of the same list, `d` and two
  /// for one of an inner list.
  private mutating func passParameter() -> Bool {
    switch next {
    case UInt8(ascii: "z"):
      index += 1
      return true
    case UInt8(ascii: "d"):
      index += 1
      return passIndex() && passIndex()
    default:
      return passIndex()
    }
  }

  /// An identifier, which may be made of words that were in earlier ones; the last piece of it.
  private mutating func identifier() -> UnsafeBufferPointer<UInt8>? {
    var hasWords = false
    if next == UInt8(ascii: "0") {
      index += 1
      // Non-ASCII names are rare enough to be left to the demangler.
      guard next != UInt8(ascii: "0") else { return nil }
      hasWords = true
    }
    while true {
      while hasWords, Self.isLetter(next) { hasWords = take() & 0x20 != 0 }
      if next == UInt8(ascii: "0") {
        index += 1
        return UnsafeBufferPointer(rebasing: name[index..<index])
      }
      guard let length = natural(), length > 0, length <= name.count - index else { return nil }
      index += length
      if !hasWords { return UnsafeBufferPointer(rebasing: name[index - length..<index]) }
    }
  }

  /// Skips an operator, or returns false if it may change the module.
  private mutating func passOperator() -> Bool {
    if Self.isDigit(next) { return identifier() != nil }
    switch take() {
    case UInt8(ascii: "A"): return passSubstitutions()
    case UInt8(ascii: "S"):
      if Self.isDigit(next), natural() == nil { return false }
      if next == UInt8(ascii: "c") { index += 1 }
      return Self.isLetter(take())
    case UInt8(ascii: "T"): return passThunk()
    case UInt8(ascii: "f"):
      let kind = take()
      let isNumbered =
        kind == UInt8(ascii: "A") || kind == UInt8(ascii: "U") || kind == UInt8(ascii: "u")
      return isNumbered ? passIndex() : Self.isLetter(kind)
    case UInt8(ascii: "L"):
      if next != UInt8(ascii: "L") { return passIndex() }
      index += 1
      return true
    case UInt8(ascii: "q"):
      return passParameter()
    case UInt8(ascii: "R"):
      if next == UInt8(ascii: "t") || next == UInt8(ascii: "s") { index += 1 }
      return passParameter()
    case UInt8(ascii: "Q"):
      if next == UInt8(ascii: "y") { index += 1 }
      return passParameter()
    case UInt8(ascii: "r"): return take() == UInt8(ascii: "l")
    case UInt8(ascii: "B"):
      let kind = take()
      return kind == UInt8(ascii: "b") || kind == UInt8(ascii: "o") || kind == UInt8(ascii: "p")
    case UInt8(ascii: "X"), UInt8(ascii: "Y"): return Self.isLetter(take())
    case UInt8(ascii: "M"): return followsNominalType && Self.isLetter(take())
    case UInt8(ascii: "v"), UInt8(ascii: "i"):
      let accessor = take()
      let isAddressor = accessor == UInt8(ascii: "a") || accessor == UInt8(ascii: "l")
      return isAddressor ? Self.isLetter(take()) : Self.isLetter(accessor)
    case UInt8(ascii: "o"): return Self.isLetter(take())
    case UInt8(ascii: "w"):
      return followsNominalType && Self.isLetter(take()) && Self.isLetter(take())
    case UInt8(ascii: "W"):
      let followsNominalType = followsNominalType
      let kind = take()
      if kind == UInt8(ascii: "O"), followsNominalType { return Self.isLetter(take()) }
      return kind == UInt8(ascii: "Z")
    case UInt8(ascii: "C"), UInt8(ascii: "F"), UInt8(ascii: "G"), UInt8(ascii: "K"),
      UInt8(ascii: "O"), UInt8(ascii: "P"),
      UInt8(ascii: "V"), UInt8(ascii: "Z"), UInt8(ascii: "a"), UInt8(ascii: "c"), UInt8(ascii: "d"),
      UInt8(ascii: "h"), UInt8(ascii: "l"), UInt8(ascii: "m"), UInt8(ascii: "n"),
      UInt8(ascii: "p"), UInt8(ascii: "s"), UInt8(ascii: "t"), UInt8(ascii: "x"),
      UInt8(ascii: "y"), UInt8(ascii: "z"), UInt8(ascii: "_"):
      return true
    default: return false
    }
  }

  /// Whether the operator just taken concerns a class, structure or enumeration; for any other type it is the code of
  /// that type's module, such as `Swift.Optional`.
  private var followsNominalType: Bool {
    let kind = name[index - 2]
    return kind == UInt8(ascii: "C") || kind == UInt8(ascii: "V") || kind == UInt8(ascii: "O")
  }

  /// References to earlier parts: letters, of which the last is a capital, with how often before it.
  private mutating func passSubstitutions() -> Bool {
    while index < name.count {
      if Self.isDigit(next), natural() == nil { return false }
      let letter = take()
      if letter == UInt8(ascii: "_") { return true }
      guard Self.isLetter(letter) else { return false }
      if letter & 0x20 == 0 { return true }
    }
    return false
  }

  /// Code that the compiler made from that of the function before it, which still belongs to that function.
  private mutating func passThunk() -> Bool {
    switch take() {
    case UInt8(ascii: "A"), UInt8(ascii: "u"): return true
    case UInt8(ascii: "Q"), UInt8(ascii: "Y"): return passIndex()
    case UInt8(ascii: "g"), UInt8(ascii: "G"), UInt8(ascii: "f"), UInt8(ascii: "t"):
      // The parts of a specialization have their own grammar, up to the end.
      for byte in name[index...] where Self.changingLetters.contains(byte) { return false }
      index = name.count
      return true
    default: return false
    }
  }

  /// Those of extensions, of witnesses and conversions, and of code that is merged with other code.
  private static let changingLetters = Array("ERWm".utf8)
}
