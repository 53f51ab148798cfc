internal import CKVORetention

/// Types of the standard library that are read in a way of their own.
struct KnownTypes {
  private static func descriptor(_ type: Any.Type) -> NominalDescriptor? {
    TypeMetadata(type).nominal?.descriptor
  }

  /// Storage of strings holds no references.
  let string = descriptor(String.self)
  /// Pointers to memory that may have references in it; for the first two, where the pointee's type
  /// has.
  let mutablePointer = descriptor(UnsafeMutablePointer<Int>.self)
  let mutableBufferPointer = descriptor(UnsafeMutableBufferPointer<Int>.self)
  let unmanaged = descriptor(Unmanaged<AnyObject>.self)
  let opaquePointer = descriptor(OpaquePointer.self)

  let managedBuffer = descriptor(ManagedBuffer<Int, Int>.self)
  let anyKeyPath = descriptor(AnyKeyPath.self)
  let arrayStorage = NominalDescriptor(kvos_array_storage())
  let dictionaryStorage = NominalDescriptor(kvos_dictionary_storage())
  let setStorage = NominalDescriptor(kvos_set_storage())

  let nativeObject = TypeMetadata(kvos_native_object())
  let bridgeObject = TypeMetadata(kvos_bridge_object())
  let unknownObject = TypeMetadata(kvos_unknown_object())
}
