internal import CKVORetention

/// Whether a word that was read from memory is the address of metadata.
///
/// In order, and why:
/// 1. The word is aligned and can be read: it may be anything.
/// 2. The kind is one that is known: newer runtimes and Objective-C have others.
/// 3. What says the shape, a descriptor, lies in an executable or a library: those are written by the
///    compiler, and what they point to is taken as it is.
/// 4. Sizes are ones that a type can have.
///
/// A word that was not read from an object may be anything. If `words` are given, what is read was there a moment
/// ago, and more is asked for: code that destroys the objects, and an image that the metadata is in if the
/// compiler makes all of its kind.
struct MetadataCheck {
  let memory: MemoryMap
  var words: CopiedMemory?

  /// The metadata of a heap object: what the first word of the object points to.
  func heapMetadata(at address: UInt) -> TypeMetadata? {
    guard let metadata = aligned(address) else { return nil }
    switch metadata.kind {
    case .class?: return isClassOfObjects(metadata, at: address) ? metadata : nil
    case .context?:
      guard isReadable(address, size(KVOSContextMetadata.self)),
        words == nil || memory.isInImage(address, 8) && hasDestroyer(metadata)
      else { return nil }
      guard let captures = metadata.record(KVOSContextMetadata.self).pointee.captures else {
        return metadata
      }
      return isInImage(captures, size(KVOSCaptureDescriptor.self)) ? metadata : nil
    case .box?:
      guard isReadable(address, size(KVOSBoxMetadata.self)),
        words == nil || hasDestroyer(metadata),
        let type = metadata.record(KVOSBoxMetadata.self).pointee.boxedType
      else { return nil }
      return valueMetadata(at: UInt(bitPattern: type)) == nil ? nil : metadata
    case .errorBox?, .task?, .job?: return memory.isInImage(address, 8) ? metadata : nil
    default: return nil
    }
  }

  /// The metadata of the type of a value, as an existential names it.
  func valueMetadata(at address: UInt) -> TypeMetadata? {
    guard let metadata = aligned(address) else { return nil }
    switch metadata.kind {
    case .class?: return isClass(metadata, at: address) ? metadata : nil
    case .struct?: return isNominal(metadata, .struct, at: address) ? metadata : nil
    case .enum?, .optional?: return isNominal(metadata, .enum, at: address) ? metadata : nil
    case .foreignClass?, .foreignReferenceType?, .opaque?, .tuple?, .function?, .existential?,
      .metatype?, .existentialMetatype?, .extendedExistential?, .fixedArray?:
      return isReadable(address, 32) && hasWitnesses(metadata) ? metadata : nil
    default: return nil
    }
  }

  private func aligned(_ address: UInt) -> TypeMetadata? {
    // The word in front belongs to it.
    guard address > 4096, address & 7 == 0, isReadable(address - 8, 16),
      let pointer = UnsafeRawPointer(bitPattern: address)
    else { return nil }
    return TypeMetadata(pointer)
  }

  private func isClass(_ metadata: TypeMetadata, at address: UInt) -> Bool {
    guard isReadable(address, size(KVOSClassMetadata.self)) else { return false }
    return isClass(metadata.record(KVOSClassMetadata.self).pointee)
  }

  /// Whether metadata is a class's, with its superclasses: what a word in bytes that are not understood leads
  /// to may be a part of a class, or what is left of one.
  private func isClassOfObjects(_ metadata: TypeMetadata, at address: UInt) -> Bool {
    // In front of it are its destroyer and its value witnesses.
    guard isClass(metadata, at: address), hasDestroyer(metadata),
      memory.isInImage((metadata.pointer - 8).load(as: UInt.self), 8)
    else { return false }
    var superclass = metadata.record(KVOSClassMetadata.self).pointee.superclass
    for _ in 0..<256 {
      guard let next = superclass else { return true }
      guard let type = aligned(UInt(bitPattern: next)), isClass(type, at: UInt(bitPattern: next))
      else { return false }
      superclass = type.record(KVOSClassMetadata.self).pointee.superclass
    }
    return false
  }

  /// Whether a record is that of a class: nothing is read but what its descriptor says.
  func isClass(_ record: KVOSClassMetadata) -> Bool {
    guard record.kind == TypeMetadata.Kind.class.rawValue, let descriptor = record.descriptor,
      isInImage(descriptor, size(KVOSClassDescriptor.self)),
      NominalDescriptor(descriptor).kind == .class
    else { return false }
    return record.instanceSize >= 16 && record.instanceSize < 1 << 30
  }

  private func isNominal(
    _ metadata: TypeMetadata,
    _ kind: NominalDescriptor.Kind,
    at address: UInt
  ) -> Bool {
    guard isReadable(address, size(KVOSValueMetadata.self)),
      let descriptor = metadata.record(KVOSValueMetadata.self).pointee.descriptor,
      isInImage(descriptor, size(KVOSStructDescriptor.self)),
      NominalDescriptor(descriptor).kind == kind
    else { return false }
    return hasWitnesses(metadata)
  }

  private func hasWitnesses(_ metadata: TypeMetadata) -> Bool {
    guard let witnesses = metadata.witnesses else { return true }
    // Only enums have those behind the size.
    let enumWitnesses = MemoryLayout<KVOSValueWitnesses>.offset(of: \.enumTag) ?? 0
    return isReadable(UInt(bitPattern: witnesses), UInt(enumWitnesses))
      && memory.isCode(UInt(bitPattern: witnesses.pointee.operations.0))
  }

  /// Whether in front of the metadata of objects there is what destroys them.
  private func hasDestroyer(_ metadata: TypeMetadata) -> Bool {
    isReadable(UInt(bitPattern: metadata.pointer) - 16, 16)
      && memory.isCode((metadata.pointer - 16).load(as: UInt.self))
  }

  private func isReadable(_ address: UInt, _ count: UInt) -> Bool {
    memory.isReadable(address, count) && words?.isReadable(address, count) != false
  }

  private func isInImage(_ pointer: UnsafeRawPointer, _ count: UInt) -> Bool {
    memory.isInImage(UInt(bitPattern: pointer), count)
  }

  private func size<Record>(_: Record.Type) -> UInt { UInt(MemoryLayout<Record>.size) }
}
