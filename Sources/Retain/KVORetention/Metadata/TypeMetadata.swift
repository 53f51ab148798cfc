internal import CKVORetention

/// A type as described by the runtime's metadata.
///
/// An address that was read from memory must be checked by `MetadataCheck` before a `TypeMetadata`
/// is created from it; one that the runtime returned needs no check.
struct TypeMetadata: Hashable {
  enum Kind: UInt {
    case `class` = 0
    case `struct` = 0x200
    case `enum` = 0x201
    case optional = 0x202
    case foreignClass = 0x203
    case foreignReferenceType = 0x204
    case opaque = 0x300
    case tuple = 0x301
    case function = 0x302
    case existential = 0x303
    case metatype = 0x304
    case existentialMetatype = 0x306
    case extendedExistential = 0x307
    case fixedArray = 0x308
    /// A heap object that is not an instance of a type: a closure's context.
    case context = 0x400
    case box = 0x500
    case errorBox = 0x501
    case task = 0x502
    case job = 0x503
  }

  let pointer: UnsafeRawPointer

  init(_ pointer: UnsafeRawPointer) { self.pointer = pointer }

  init(_ type: Any.Type) { pointer = unsafeBitCast(type, to: UnsafeRawPointer.self) }

  /// Nil for a kind of another runtime, or for an Objective-C class.
  var kind: Kind? { Kind(rawValue: record(KVOSTypeMetadata.self).pointee.kind) }

  /// The name as a programmer writes it, without modules.
  var name: String { _typeName(unsafeBitCast(pointer, to: Any.Type.self), qualified: false) }

  func record<Record>(_: Record.Type) -> UnsafePointer<Record> {
    pointer.assumingMemoryBound(to: Record.self)
  }

  /// The words after a record of `type`.
  func trailing<Record, Element>(_: Record.Type, _: Element.Type) -> UnsafePointer<Element> {
    (pointer + MemoryLayout<Record>.size).assumingMemoryBound(to: Element.self)
  }

  // MARK: Values

  /// The value witnesses, or nil if the runtime has none for the type.
  ///
  /// Blocks have none on Linux: the word exists, but its content is undefined.
  var witnesses: UnsafePointer<KVOSValueWitnesses>? {
    isBlock ? nil : kvos_value_witnesses(pointer)
  }

  private var isBlock: Bool {
    kind == .function && Self.isBlock(record(KVOSFunctionMetadata.self).pointee)
  }

  /// Whether a function type is that of blocks.
  static func isBlock(_ function: KVOSFunctionMetadata) -> Bool {
    function.flags >> 16 & 0xff == 1
  }

  /// The descriptor of a class, struct or enum, and its generic arguments in the metadata.
  var nominal: NominalType? {
    switch kind {
    case .class?:
      return record(KVOSClassMetadata.self).pointee.descriptor.map {
        let descriptor = NominalDescriptor($0)
        let offset = descriptor.classMembersOffset
        return NominalType(descriptor: descriptor, arguments: pointer + offset)
      }
    case .struct?, .enum?, .optional?:
      return record(KVOSValueMetadata.self).pointee.descriptor.map {
        NominalType(
          descriptor: NominalDescriptor($0),
          arguments: pointer + MemoryLayout<KVOSValueMetadata>.size
        )
      }
    default: return nil
    }
  }
}

extension UnsafePointer<KVOSValueWitnesses> {
  var size: Int { Int(pointee.size) }
  var stride: Int { Int(pointee.stride) }
  var alignmentMask: Int { Int(pointee.flags & 0xff) }
  /// Whether destroying a value does nothing: it holds no reference.
  var isTrivial: Bool { pointee.flags & 0x1_0000 == 0 }
  /// Whether an existential holds values of the type in a box.
  var isBoxedInExistentials: Bool { pointee.flags & 0x2_0000 != 0 }
}

/// A class, struct or enum with its generic arguments.
struct NominalType {
  let descriptor: NominalDescriptor
  private let argumentWords: UnsafeRawPointer

  init(descriptor: NominalDescriptor, arguments: UnsafeRawPointer) {
    self.descriptor = descriptor
    argumentWords = arguments
  }

  /// The generic arguments, or nil for a type that is not generic.
  var arguments: UnsafePointer<UnsafeRawPointer?>? {
    descriptor.isGeneric ? argumentWords.assumingMemoryBound(to: UnsafeRawPointer?.self) : nil
  }
}
