internal import CKVORetention

/// The argument of a generic parameter.
enum GenericArgument: Hashable {
  case type(UnsafeRawPointer)
  /// The argument of a parameter that is a number: `let count: Int`.
  case value(Int)
  /// The argument of a parameter pack: the types of its elements.
  case pack([UnsafeRawPointer])

  /// The maximum number of elements of a pack that are examined.
  static let packLimit: UInt = 64

  /// The argument as the runtime takes it; packs are not passed to the runtime.
  var word: UnsafeRawPointer? {
    switch self {
    case .type(let pointer): pointer
    case .value(let number): UnsafeRawPointer(bitPattern: number)
    case .pack: nil
    }
  }

  var isPack: Bool {
    if case .pack = self { return true }
    return false
  }

  /// A key that distinguishes it from others.
  var key: [UInt] {
    switch self {
    case .type, .value: [UInt(bitPattern: word)]
    case .pack(let elements): [UInt(elements.count)] + elements.map { UInt(bitPattern: $0) }
    }
  }

  /// The parameter's descriptor in an environment: that there is an argument, and whether it is a
  /// number.
  var description: UInt8 {
    switch self {
    case .type: 0x80
    case .value: 0x82
    case .pack: 0x81
    }
  }
}

/// The arguments of the generic parameters in a mangled name.
enum GenericEnvironment {
  /// No parameters are in scope.
  case none
  /// The arguments of a type.
  case nominal(NominalType)
  /// The arguments of a closure, by depth and index; nil if one is not known.
  case captured([[GenericArgument?]])

  /// The type with a mangled name, or nil if the runtime has none, or would trap.
  func resolve(_ name: MangledTypeName) -> TypeMetadata? {
    // The runtime traps at packs whose parameters it cannot find. For types that contain a block it
    // reads memory that does not exist.
    guard !name.mentionsPack, !name.mentionsBlock else { return nil }
    if name.mentionsMember, !hasArguments { return nil }
    let text = UnsafeRawPointer(name.start).assumingMemoryBound(to: CChar.self)
    let count = UInt(name.count)
    let found: UnsafeRawPointer? =
      switch self {
      case .none: swift_getTypeByMangledNameInContext(text, count, nil, nil)
      case .nominal(let type):
        swift_getTypeByMangledNameInContext(
          text,
          count,
          type.descriptor.pointer,
          type.arguments
        )
      case .captured(let levels): Self.resolve(text, count, levels)
      }
    return found.map { TypeMetadata($0) }
  }

  /// The element types of the tuple of a whole pack, `(repeat each Value)`, if that is the only
  /// parameter.
  func packElements(_ name: MangledTypeName) -> [TypeMetadata]? {
    guard name.mentionsPack, name.isTupleOfFirstPack else { return nil }
    switch self {
    case .none: return nil
    case .captured(let levels):
      guard levels.count == 1, levels[0].count == 1, case .pack(let elements)? = levels[0][0] else {
        return nil
      }
      return elements.map { TypeMetadata($0) }
    case .nominal(let type):
      // The length of the pack and its address, whose lowest bit says who owns the memory.
      guard type.descriptor.genericParameterCount == 1, let arguments = type.arguments,
        case let count = UInt(bitPattern: arguments[0]), count <= GenericArgument.packLimit,
        let start = UnsafeRawPointer(bitPattern: UInt(bitPattern: arguments[1]) & ~1)
      else { return nil }
      return (0..<Int(count)).compactMap {
        start.load(fromByteOffset: $0 * 8, as: UnsafeRawPointer?.self).map { TypeMetadata($0) }
      }
    }
  }

  /// Whether all parameters are known.
  private var hasArguments: Bool {
    switch self {
    case .none: false
    case .nominal(let type): type.arguments != nil
    case .captured(let levels): Self.isUsable(levels.flatMap { $0 }, levels)
    }
  }

  private static func isUsable(
    _ arguments: [GenericArgument?],
    _ levels: [[GenericArgument?]]
  ) -> Bool {
    !arguments.isEmpty && arguments.allSatisfy { !($0?.isPack ?? true) }
      && arguments.count < 256 && levels.count < 256
  }

  /// Builds an environment in the compiler's format: flags, the number of parameters up to and
  /// including each level, a byte for each parameter.
  private static func resolve(
    _ text: UnsafePointer<CChar>,
    _ count: UInt,
    _ levels: [[GenericArgument?]]
  ) -> UnsafeRawPointer? {
    let arguments = levels.flatMap { $0 }
    // The runtime would read an unknown argument. Without arguments it finds the types that depend
    // on none.
    guard isUsable(arguments, levels) else {
      return swift_getTypeByMangledNameInContext(text, count, nil, nil)
    }
    var environment: [UInt8] = [UInt8(levels.count), 0, 0, 0]
    var total = 0
    for level in levels {
      total += level.count
      environment += [UInt8(total), 0]
    }
    environment += arguments.compactMap { $0?.description }
    // Aligned for the runtime, which reads words of four bytes.
    environment += Array(repeating: 0, count: (4 - environment.count % 4) % 4)
    return environment.withUnsafeBytes { bytes in
      arguments.map { $0?.word }.withUnsafeBufferPointer { arguments in
        bytes.baseAddress.flatMap {
          swift_getTypeByMangledNameInEnvironment(text, count, $0, arguments.baseAddress)
        }
      }
    }
  }
}
