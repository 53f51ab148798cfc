internal import CKVORetention

/// What generic parameters in a mangled name stand for.
enum GenericEnvironment {
  /// None are in scope.
  case none
  /// Those of a type.
  case nominal(NominalType)
  /// Those of a closure, by depth and index; nil where one is not known.
  case captured([[UnsafeRawPointer?]])

  /// The type that a name stands for, or nil where the runtime has none, or would trap.
  func resolve(_ name: MangledTypeName) -> TypeMetadata? {
    // The runtime traps at packs whose parameters it cannot find, and reads what is not there for
    // types that have a block in them.
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

  /// Whether all parameters are known.
  private var hasArguments: Bool {
    switch self {
    case .none: false
    case .nominal(let type): type.arguments != nil
    case .captured(let levels): Self.isUsable(levels.flatMap { $0 }, levels)
    }
  }

  private static func isUsable(
    _ arguments: [UnsafeRawPointer?],
    _ levels: [[UnsafeRawPointer?]]
  ) -> Bool {
    !arguments.isEmpty && !arguments.contains(nil) && arguments.count < 256 && levels.count < 256
  }

  /// Makes an environment as the compiler emits it: flags, the count of parameters up to and with
  /// each level, a byte for each parameter.
  private static func resolve(
    _ text: UnsafePointer<CChar>,
    _ count: UInt,
    _ levels: [[UnsafeRawPointer?]]
  ) -> UnsafeRawPointer? {
    let arguments = levels.flatMap { $0 }
    // The runtime would read an argument that is not known. Without any it finds the types that name
    // none.
    guard isUsable(arguments, levels) else {
      return swift_getTypeByMangledNameInContext(text, count, nil, nil)
    }
    var environment: [UInt8] = [UInt8(levels.count), 0, 0, 0]
    var total = 0
    for level in levels {
      total += level.count
      environment += [UInt8(total), 0]
    }
    let hasArgument: UInt8 = 0x80
    environment += Array(repeating: hasArgument, count: total)
    // Aligned as the runtime reads it: by words of four bytes.
    environment += Array(repeating: 0, count: (4 - environment.count % 4) % 4)
    return environment.withUnsafeBytes { bytes in
      arguments.withUnsafeBufferPointer { arguments in
        bytes.baseAddress.flatMap {
          swift_getTypeByMangledNameInEnvironment(text, count, $0, arguments.baseAddress)
        }
      }
    }
  }
}
