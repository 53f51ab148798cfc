internal import CKVORetention

/// The descriptor of a class, struct or enum in an image, independent of generic arguments.
struct NominalDescriptor: Hashable {
  enum Kind: UInt32 {
    case module = 0
    case `class` = 16
    case `struct` = 17
    case `enum` = 18
  }

  let pointer: UnsafeRawPointer

  init(_ pointer: UnsafeRawPointer) { self.pointer = pointer }

  private func record<Record>(_: Record.Type) -> UnsafePointer<Record> {
    pointer.assumingMemoryBound(to: Record.self)
  }

  private var type: UnsafePointer<KVOSTypeDescriptor> { record(KVOSTypeDescriptor.self) }
  private var flags: UInt32 { type.pointee.flags }

  var kind: Kind? { Kind(rawValue: flags & 0x1f) }
  var isGeneric: Bool { flags & 0x80 != 0 }
  private var hasResilientSuperclass: Bool { flags >> 16 & 1 << 13 != 0 }
  private var hasNegativeMembers: Bool { flags >> 16 & 1 << 12 != 0 }

  /// The name without the module and outer types.
  var name: String {
    text(MemoryLayout<KVOSTypeDescriptor>.offset(of: \.name) ?? 0) ?? "?"
  }

  /// The name of the module that contains the type, or nil.
  var module: String? {
    var context = pointer
    // No source nests types deeper than this.
    for _ in 0..<64 {
      let descriptor = NominalDescriptor(context)
      if descriptor.kind == .module {
        // A module's record: flags, parent, name.
        return descriptor.name
      }
      guard let parent = kvos_relative_indirectable(Self.relative(context, 4)) else { return nil }
      context = parent
    }
    return nil
  }

  /// The fields or cases, or nil if the module was built without reflection metadata.
  var fields: FieldList? {
    let offset = MemoryLayout<KVOSTypeDescriptor>.offset(of: \.fields) ?? 0
    return kvos_relative(Self.relative(pointer, offset)).map { FieldList($0) }
  }

  /// Whether a field is not followed, because its library is known.
  func passesOver(_ field: String) -> Bool {
    LibraryReferences.isPassedOver(field, of: name, in: module ?? "")
  }

  // MARK: Classes

  /// The offset of a class's own generic arguments and field offsets, in bytes from the address
  /// point.
  var classMembersOffset: Int {
    let descriptor = record(KVOSClassDescriptor.self).pointee
    if hasResilientSuperclass {
      let offset = MemoryLayout<KVOSClassDescriptor>.offset(of: \.negativeSizeOrBounds) ?? 0
      let bounds = kvos_relative(Self.relative(pointer, offset))
      return bounds?.load(as: Int.self) ?? 0
    }
    let words =
      hasNegativeMembers
      ? -Int(descriptor.negativeSizeOrBounds)
      : Int(descriptor.positiveSizeInWords) - Int(descriptor.immediateMemberCount)
    return words * MemoryLayout<UInt>.size
  }

  /// The offsets of a class's own fields in its instances, or nil if they are not available.
  func fieldOffsets(ofClass metadata: TypeMetadata) -> UnsafePointer<UInt>? {
    let descriptor = record(KVOSClassDescriptor.self).pointee
    // After a resilient superclass it counts from the class's own members, and 0 is the first of
    // them.
    guard hasResilientSuperclass || descriptor.fieldOffsetVector != 0 else { return nil }
    let start = metadata.pointer + (hasResilientSuperclass ? classMembersOffset : 0)
    return start.assumingMemoryBound(to: UInt.self) + Int(descriptor.fieldOffsetVector)
  }

  var classFieldCount: Int { Int(record(KVOSClassDescriptor.self).pointee.fieldCount) }

  /// The number of generic parameters of a type, without those of enclosing types.
  var genericParameterCount: Int {
    guard isGeneric, let kind else { return 0 }
    let header: Int
    switch kind {
    case .class: header = MemoryLayout<KVOSClassDescriptor>.size
    case .struct, .enum: header = MemoryLayout<KVOSStructDescriptor>.size
    case .module: return 0
    }
    // They follow two relative pointers for the instantiation of the type.
    return Int((pointer + header + 8).load(as: UInt16.self))
  }

  // MARK: Structs

  var structFieldCount: Int { Int(record(KVOSStructDescriptor.self).pointee.fieldCount) }

  /// The offsets of a struct's fields, or nil if they are not available.
  func fieldOffsets(ofStruct metadata: TypeMetadata) -> UnsafePointer<UInt32>? {
    let offset = record(KVOSStructDescriptor.self).pointee.fieldOffsetVector
    guard offset != 0 else { return nil }
    return (metadata.pointer + Int(offset) * MemoryLayout<UInt>.size)
      .assumingMemoryBound(to: UInt32.self)
  }

  // MARK: Relative pointers

  private func text(_ offset: Int) -> String? {
    kvos_relative(Self.relative(pointer, offset)).map {
      String(cString: $0.assumingMemoryBound(to: CChar.self))
    }
  }

  private static func relative(
    _ base: UnsafeRawPointer,
    _ offset: Int
  ) -> UnsafePointer<Int32> {
    (base + offset).assumingMemoryBound(to: Int32.self)
  }
}

/// The fields of a class or struct, or the cases of an enum: its own, not those of superclasses.
struct FieldList {
  struct Field {
    let record: UnsafePointer<KVOSFieldRecord>

    /// The mangled name of the type; nil for a case without payload.
    var mangledType: UnsafePointer<UInt8>? {
      pointer(\.mangledTypeName)?.assumingMemoryBound(to: UInt8.self)
    }
    var name: String {
      pointer(\.name).map { String(cString: $0.assumingMemoryBound(to: CChar.self)) } ?? ""
    }
    /// Whether the case's payload is in a box.
    var isIndirect: Bool { record.pointee.flags & 1 != 0 }

    private func pointer(_ field: KeyPath<KVOSFieldRecord, Int32>) -> UnsafeRawPointer? {
      let offset = MemoryLayout<KVOSFieldRecord>.offset(of: field) ?? 0
      return kvos_relative(
        (UnsafeRawPointer(record) + offset).assumingMemoryBound(to: Int32.self)
      )
    }
  }

  private let descriptor: UnsafePointer<KVOSFieldDescriptor>

  init(_ pointer: UnsafeRawPointer) {
    descriptor = pointer.assumingMemoryBound(to: KVOSFieldDescriptor.self)
  }

  var count: Int { Int(descriptor.pointee.fieldCount) }

  subscript(index: Int) -> Field {
    let offset =
      MemoryLayout<KVOSFieldDescriptor>.size + index * Int(descriptor.pointee.recordSize)
    return Field(
      record: (UnsafeRawPointer(descriptor) + offset)
        .assumingMemoryBound(to: KVOSFieldRecord.self)
    )
  }
}
