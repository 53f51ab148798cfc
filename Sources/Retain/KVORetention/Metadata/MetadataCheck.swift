internal import CKVORetention

/// Checks whether a word that was read from memory is the address of type metadata.
///
/// The checks, in order:
/// 1. The word is aligned and can be read: it may be anything.
/// 2. The kind is known: newer runtimes and Objective-C have others.
/// 3. The descriptor, which defines the shape, is in an executable or a library: it was written by
///    the compiler, and is trusted together with everything that it points to.
/// 4. Sizes are possible for a type.
///
/// A word that was not read from an object may be anything. If `words` is given, everything is read
/// from copies, because the owner of the memory may free it at any time, and two more properties
/// are checked: there must be code that destroys the objects, and metadata of kinds that only the
/// compiler creates must be in an image. Images and metadata are never unmapped, so an address that
/// passed may be read directly.
struct MetadataCheck {
  let memory: MemoryMap
  var words: CopiedMemory?

  /// The metadata of a heap object, to which its first word points.
  func heapMetadata(at address: UInt) -> TypeMetadata? {
    isHeapMetadata(address) ? metadata(at: address) : nil
  }

  /// The metadata of the type of a value, as an existential stores it.
  func valueMetadata(at address: UInt) -> TypeMetadata? {
    isValueMetadata(address) ? metadata(at: address) : nil
  }

  private func metadata(at address: UInt) -> TypeMetadata? {
    UnsafeRawPointer(bitPattern: address).map { TypeMetadata($0) }
  }

  private func isHeapMetadata(_ address: UInt) -> Bool {
    switch kind(at: address) {
    case .class?: return isClassOfObjects(address)
    case .context?:
      guard words == nil || memory.isInImage(address, 8) && hasDestroyer(address),
        let record = record(KVOSContextMetadata.self, at: address)
      else { return false }
      return record.captures.map { isInImage($0, KVOSCaptureDescriptor.self) } ?? true
    case .box?:
      guard words == nil || hasDestroyer(address),
        let type = record(KVOSBoxMetadata.self, at: address)?.boxedType
      else { return false }
      return isValueMetadata(UInt(bitPattern: type))
    case .errorBox?, .task?, .job?: return memory.isInImage(address, 8)
    default: return false
    }
  }

  private func isValueMetadata(_ address: UInt) -> Bool {
    let kind = kind(at: address)
    switch kind {
    case .class?: return isClass(address)
    case .struct?: return isNominal(.struct, at: address)
    case .enum?, .optional?: return isNominal(.enum, at: address)
    case .function?:
      guard let function = record(KVOSFunctionMetadata.self, at: address) else { return false }
      return isReadable(address, 32) && (TypeMetadata.isBlock(function) || hasWitnesses(address))
    case .foreignClass?, .foreignReferenceType?, .opaque?, .tuple?, .existential?, .metatype?,
      .existentialMetatype?, .extendedExistential?, .fixedArray?:
      return isReadable(address, 32) && hasWitnesses(address)
    default: return false
    }
  }

  private func isClass(_ address: UInt) -> Bool {
    record(KVOSClassMetadata.self, at: address).map { isClass($0) } ?? false
  }

  /// Whether metadata and that of its superclasses is that of classes: a word in opaque bytes may
  /// lead to a part of a class, or to the remains of one.
  private func isClassOfObjects(_ address: UInt) -> Bool {
    // It is preceded by its destroyer and its value witnesses.
    guard let record = record(KVOSClassMetadata.self, at: address), isClass(record),
      hasDestroyer(address), let witnesses = word(at: address - 8), memory.isInImage(witnesses, 8)
    else { return false }
    var superclass = record.superclass
    for _ in 0..<256 {
      guard let next = superclass else { return true }
      let address = UInt(bitPattern: next)
      guard kind(at: address) == .class,
        let record = self.record(KVOSClassMetadata.self, at: address), isClass(record)
      else { return false }
      superclass = record.superclass
    }
    return false
  }

  /// Whether a record is that of a class.
  ///
  /// Reads only its descriptor.
  func isClass(_ record: KVOSClassMetadata) -> Bool {
    guard record.kind == TypeMetadata.Kind.class.rawValue, let descriptor = record.descriptor,
      isInImage(descriptor, KVOSClassDescriptor.self),
      NominalDescriptor(descriptor).kind == .class
    else { return false }
    return record.instanceSize >= 16 && record.instanceSize < 1 << 30
  }

  private func isNominal(_ kind: NominalDescriptor.Kind, at address: UInt) -> Bool {
    guard let descriptor = record(KVOSValueMetadata.self, at: address)?.descriptor,
      isInImage(descriptor, KVOSStructDescriptor.self),
      NominalDescriptor(descriptor).kind == kind
    else { return false }
    return hasWitnesses(address)
  }

  /// Whether the word before metadata points to value witnesses, or is null.
  private func hasWitnesses(_ address: UInt) -> Bool {
    guard let witnesses = word(at: address - 8) else { return false }
    // Zeros are everywhere.
    if witnesses == 0 { return words == nil }
    // Only enums have witnesses after the size.
    let enumWitnesses = MemoryLayout<KVOSValueWitnesses>.offset(of: \.enumTag) ?? 0
    guard witnesses & 7 == 0, isReadable(witnesses, UInt(enumWitnesses)),
      let first = word(at: witnesses)
    else { return false }
    return memory.isCode(first)
  }

  /// Whether metadata of objects is preceded by a function that destroys them.
  private func hasDestroyer(_ address: UInt) -> Bool {
    word(at: address - 16).map { memory.isCode($0) } ?? false
  }

  // MARK: Memory

  /// The kind of the metadata at an arbitrary address; nil if there is none of a known kind.
  private func kind(at address: UInt) -> TypeMetadata.Kind? {
    // The preceding word is part of the metadata.
    guard address > 4096, address & 7 == 0, isReadable(address - 8, 16) else { return nil }
    return word(at: address).flatMap { TypeMetadata.Kind(rawValue: $0) }
  }

  /// A copy of the record at an address, which is a multiple of 8; nil if it cannot be read.
  private func record<Record: BitwiseCopyable>(_: Record.Type, at address: UInt) -> Record? {
    let wordCount = (MemoryLayout<Record>.size + 7) / 8
    return withUnsafeTemporaryAllocation(of: UInt.self, capacity: wordCount) { copy in
      for index in 0..<wordCount {
        guard let word = word(at: address + UInt(index) * 8) else { return nil }
        copy.initializeElement(at: index, to: word)
      }
      return UnsafeRawBufferPointer(copy).loadUnaligned(as: Record.self)
    }
  }

  /// The word at an address, which is a multiple of 8; nil if it cannot be read.
  private func word(at address: UInt) -> UInt? {
    guard memory.isReadable(address, 8) else { return nil }
    if let words { return words.word(at: address) }
    return UnsafeRawPointer(bitPattern: address)?.load(as: UInt.self)
  }

  private func isReadable(_ address: UInt, _ count: UInt) -> Bool {
    memory.isReadable(address, count) && words?.isReadable(address, count) != false
  }

  private func isInImage<Record>(_ pointer: UnsafeRawPointer, _: Record.Type) -> Bool {
    memory.isInImage(UInt(bitPattern: pointer), UInt(MemoryLayout<Record>.size))
  }
}
