internal import CKVORetention

/// Types of the standard library that are read in special ways.
struct KnownTypes {
  private static func descriptor(_ type: Any.Type) -> NominalDescriptor? {
    TypeMetadata(type).nominal?.descriptor
  }

  private static func descriptors(_ types: Any.Type...) -> Set<NominalDescriptor> {
    Set(types.compactMap { descriptor($0) })
  }

  /// Storage of strings holds no references.
  let string = descriptor(String.self)
  /// Pointers to values of a type.
  let pointers: Set<NominalDescriptor> = descriptors(
    UnsafePointer<Int>.self,
    UnsafeMutablePointer<Int>.self,
    UnsafeBufferPointer<Int>.self,
    UnsafeMutableBufferPointer<Int>.self
  )
  /// Pointers to anything.
  let handles: Set<NominalDescriptor> = descriptors(
    UnsafeRawPointer.self,
    UnsafeMutableRawPointer.self,
    UnsafeRawBufferPointer.self,
    UnsafeMutableRawBufferPointer.self,
    OpaquePointer.self,
    Unmanaged<AnyObject>.self
  )
  /// A waiting task, which the code that resumes it keeps without retaining it.
  let continuation = descriptor(UnsafeContinuation<Void, Never>.self)

  let managedBuffer = descriptor(ManagedBuffer<Int, Int>.self)
  /// Its object may be of a class without properties.
  let managedBufferPointer = descriptor(ManagedBufferPointer<Int, Int>.self)
  let anyKeyPath = descriptor(AnyKeyPath.self)
  let arrayStorage = NominalDescriptor(kvos_array_storage())
  let dictionaryStorage = NominalDescriptor(kvos_dictionary_storage())
  let setStorage = NominalDescriptor(kvos_set_storage())

  let nativeObject = TypeMetadata(kvos_native_object())
  let bridgeObject = TypeMetadata(kvos_bridge_object())
  let unknownObject = TypeMetadata(kvos_unknown_object())
  let rawPointer = TypeMetadata(kvos_raw_pointer())
  let rawContinuation = TypeMetadata(kvos_raw_continuation())

  /// The first words of blocks; empty in a program without blocks.
  let blockClasses: Set<UInt> = Set(
    (0..<3).compactMap { kvos_block_class($0) }.map { UInt(bitPattern: $0) }
  )
}
