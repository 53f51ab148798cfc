internal import CKVORetention

/// Whether a word that was read from memory is the address of metadata.
///
/// In order, and why:
/// 1. The word is aligned and can be read: it may be anything.
/// 2. The kind is one that is known: newer runtimes and Objective-C have others.
/// 3. What says the shape, a descriptor, lies in an executable or a library: those are written by the
///    compiler, and what they point to is taken as it is.
/// 4. Sizes are ones that a type can have.
struct MetadataCheck {
  let memory: MemoryMap

  /// The metadata of a heap object: what the first word of the object points to.
  func heapMetadata(at address: UInt) -> TypeMetadata? {
    guard let metadata = aligned(address) else { return nil }
    switch metadata.kind {
    case .class?: return isClass(metadata, at: address) ? metadata : nil
    case .context?:
      guard memory.isReadable(address, size(KVOSContextMetadata.self)) else { return nil }
      guard let captures = metadata.record(KVOSContextMetadata.self).pointee.captures else {
        return metadata
      }
      return isInImage(captures, size(KVOSCaptureDescriptor.self)) ? metadata : nil
    case .box?:
      guard memory.isReadable(address, size(KVOSBoxMetadata.self)),
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
      return memory.isReadable(address, 32) && hasWitnesses(metadata) ? metadata : nil
    default: return nil
    }
  }

  private func aligned(_ address: UInt) -> TypeMetadata? {
    // The word in front belongs to it.
    guard address > 4096, address & 7 == 0, memory.isReadable(address - 8, 16),
      let pointer = UnsafeRawPointer(bitPattern: address)
    else { return nil }
    return TypeMetadata(pointer)
  }

  private func isClass(_ metadata: TypeMetadata, at address: UInt) -> Bool {
    guard memory.isReadable(address, size(KVOSClassMetadata.self)) else { return false }
    return isClass(metadata.record(KVOSClassMetadata.self).pointee)
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
    guard memory.isReadable(address, size(KVOSValueMetadata.self)),
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
    return memory.isReadable(UInt(bitPattern: witnesses), UInt(enumWitnesses))
  }

  private func isInImage(_ pointer: UnsafeRawPointer, _ count: UInt) -> Bool {
    memory.isInImage(UInt(bitPattern: pointer), count)
  }

  private func size<Record>(_: Record.Type) -> UInt { UInt(MemoryLayout<Record>.size) }
}
