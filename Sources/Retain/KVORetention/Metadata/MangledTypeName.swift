/// The mangled name of the type of a field or capture, parsed as far as necessary.
///
/// Names contain binary references: a byte from 1 to 0x17 and four bytes, or from 0x18 to 0x1f and
/// eight bytes. A zero byte ends a name. Source: docs/ABI/Mangling.rst of swiftlang/swift.
struct MangledTypeName {
  enum Ownership {
    case strong
    case weak
    case unowned
    /// `unowned(unsafe)`.
    case unmanaged
  }

  let start: UnsafePointer<UInt8>
  /// The number of bytes of the type's name, without a suffix for ownership.
  private(set) var count: Int
  private(set) var ownership = Ownership.strong
  /// Whether the stored value is a reference to a box with the value.
  private(set) var isBox = false
  /// Whether the stored value is a metatype.
  ///
  /// A metatype that is known at compile time is not stored.
  private(set) var metatype = Metatype.none
  /// The representation of a SIL function type, as in capture descriptors.
  private(set) var loweredFunction: LoweredFunction?
  /// A function type for which the runtime creates no metadata, because it contains a block.
  private(set) var function: Function?
  /// Whether it contains a pack: the runtime traps at some of these.
  private(set) var mentionsPack = false
  /// Whether it contains an associated type of a generic parameter: the runtime traps if the
  /// parameter is not known.
  private(set) var mentionsMember = false
  /// Whether it contains a block: the runtime computes the layout from witnesses that blocks do not
  /// have on Linux.
  private(set) var mentionsBlock = false
  /// Whether it is a reference to the descriptor of a generic type with the type's arguments, or an
  /// Optional of that.
  private(set) var isBoundReference = false

  enum Metatype {
    case none
    case thin
    case stored
  }

  /// The representation of a function, or of an Optional of one.
  enum Function {
    /// A reference to a block.
    case block
    /// Code and context.
    case closure
  }

  /// The representation of a SIL function.
  enum LoweredFunction {
    /// Code and a retained context.
    case escaping
    /// Code and a context that is not retained: the closure does not outlive the call.
    case nonescaping
    /// Code only.
    case thin
    /// A reference to a block.
    case block
    /// Another representation that is not Swift's.
    case foreign
  }

  init(_ start: UnsafePointer<UInt8>) {
    self.start = start
    var index = 0
    // The position after the latest binary reference, at which text begins.
    var textStart = 0
    while start[index] != 0 {
      switch start[index] {
      case 0x01...0x17:
        index += 5
        textStart = index
      case 0x18...0x1f:
        index += 9
        textStart = index
      case UInt8(ascii: "Q"):
        // Expansions, packs and their elements: Qp, QP, Qe.
        mentionsPack = mentionsPack || [0x70, 0x50, 0x65].contains(start[index + 1])
        // Qz, Qy, Qx, and the same of several names: QZ, QY, QX.
        mentionsMember = mentionsMember || (0x78...0x7a).contains(start[index + 1] | 0x20)
        index += 1
      case UInt8(ascii: "X"):
        mentionsBlock = mentionsBlock || start[index + 1] == UInt8(ascii: "B")
        index += 1
      default:
        index += 1
      }
    }
    count = index
    let text = UnsafeBufferPointer(start: start + textStart, count: index - textStart)
    readSuffix(text)
    if mentionsBlock, ownership == .strong, !isBox { readFunction(text) }
    if ownership == .strong, !isBox { loweredFunction = Self.function(text) }
    isBoundReference =
      index > 6 && (start[0] == 1 || start[0] == 2) && start[5] == UInt8(ascii: "y")
      && Self.endsArguments(text)
  }

  /// Whether it is `(repeat each Value)` for the first parameter.
  var isTupleOfFirstPack: Bool {
    let text: StaticString = "xxQp_t"
    return count == text.utf8CodeUnitCount
      && text.withUTF8Buffer { $0.elementsEqual(UnsafeBufferPointer(start: start, count: count)) }
  }

  /// Whether it contains another name, such as that of a generic parameter.
  func contains(_ name: UnsafePointer<UInt8>) -> Bool {
    var index = 0
    while index < count {
      switch start[index] {
      case 0x01...0x17: index += 5
      case 0x18...0x1f: index += 9
      default:
        var length = 0
        while name[length] != 0, start[index + length] == name[length] { length += 1 }
        if name[length] == 0 { return true }
        index += 1
      }
    }
    return false
  }

  /// Turns the name of a box into that of its value.
  mutating func takeOutOfBox() {
    guard isBox else { return }
    isBox = false
    count -= 2
  }

  /// Turns the name of a metatype into that of its instances' type.
  mutating func takeOutOfMetatype() {
    guard metatype != .none else { return }
    metatype = .none
    count -= 3
  }

  private mutating func readSuffix(_ text: UnsafeBufferPointer<UInt8>) {
    guard text.count >= 2 else { return }
    let last = text[text.count - 1]
    if text[text.count - 2] == UInt8(ascii: "X") {
      switch last {
      case UInt8(ascii: "w"): ownership = .weak
      case UInt8(ascii: "o"): ownership = .unowned
      case UInt8(ascii: "u"): ownership = .unmanaged
      case UInt8(ascii: "x"), UInt8(ascii: "X"): isBox = true
      default: break
      }
      if ownership != .strong { count -= 2 }
    } else if text.count >= 3, text[text.count - 3] == UInt8(ascii: "X"),
      text[text.count - 2] == UInt8(ascii: "M")
    {
      metatype = last == UInt8(ascii: "t") ? .thin : .stored
    }
  }

  /// Recognizes `…G`, also in an Optional.
  private static func endsArguments(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
    var end = text.count
    if end >= 2, text[end - 2] == UInt8(ascii: "S"), text[end - 1] == UInt8(ascii: "g") { end -= 2 }
    return end >= 1 && text[end - 1] == UInt8(ascii: "G")
  }

  /// Recognizes `…XB` and `…c`, also in an Optional.
  private mutating func readFunction(_ text: UnsafeBufferPointer<UInt8>) {
    var end = text.count
    if end >= 2, text[end - 2] == UInt8(ascii: "S"), text[end - 1] == UInt8(ascii: "g") { end -= 2 }
    guard end >= 2 else { return }
    if text[end - 2] == UInt8(ascii: "X"), text[end - 1] == UInt8(ascii: "B") {
      function = .block
    } else if text[end - 1] == UInt8(ascii: "c"), text[end - 2] != UInt8(ascii: "B") {
      function = .closure
    }
  }

  /// Recognizes `…I<attributes>_`, also in an Optional.
  ///
  /// The attributes have letters for parameters, among them `I` for an isolated one, and names of types
  /// may precede them: the function begins with the first `I` that only attributes follow.
  private static func function(_ text: UnsafeBufferPointer<UInt8>) -> LoweredFunction? {
    var end = text.count
    if end >= 2, text[end - 2] == UInt8(ascii: "S"), text[end - 1] == UInt8(ascii: "g") { end -= 2 }
    guard end >= 3, text[end - 1] == UInt8(ascii: "_") else { return nil }
    let letters = UInt8(ascii: "a")...UInt8(ascii: "z")
    var begin = end - 1
    while begin > 0, letters.contains(text[begin - 1] | 0x20) { begin -= 1 }
    for index in begin..<(end - 1) where text[index] == UInt8(ascii: "I") {
      if let found = function(attributes: text[(index + 1)..<(end - 1)]) { return found }
    }
    return nil
  }

  /// The representation by the attributes; nil if they are none.
  private static func function(
    attributes all: Slice<UnsafeBufferPointer<UInt8>>
  ) -> LoweredFunction? {
    var attributes = all
    func take(_ letters: StaticString) -> UInt8? {
      guard let first = attributes.first else { return nil }
      let isThere = letters.withUTF8Buffer { $0.contains(first) }
      guard isThere else { return nil }
      attributes.removeFirst()
      return first
    }
    _ = take("s")
    _ = take("I")
    _ = take("P")
    let escapes = take("e") != nil
    _ = take("A")
    _ = take("dlfr")
    guard let convention = take("ygxt") else { return nil }
    let representation = take("BCMJKWz")
    // What it is besides, and its parameters and results.
    let others: StaticString = "AIGhHTiclbnXxgeyvpmwLroduakztYf"
    let areKnown = others.withUTF8Buffer { known in attributes.allSatisfy { known.contains($0) } }
    guard areKnown else { return nil }
    if convention == UInt8(ascii: "t") { return .thin }
    guard let representation else { return escapes ? .escaping : .nonescaping }
    if representation == UInt8(ascii: "B") { return .block }
    // A pointer to a C function keeps nothing alive.
    return representation == UInt8(ascii: "C") ? .thin : .foreign
  }
}
