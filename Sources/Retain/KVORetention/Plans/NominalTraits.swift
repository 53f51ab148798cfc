/// Properties of a struct or enum that its fields do not show.
struct NominalTraits {
  enum Role {
    case ordinary
    /// No references, regardless of the fields.
    case leaf
    /// A pointer to values of its first generic argument.
    case pointer
    /// A pointer to anything.
    case handle
    /// A C struct or union, whose fields Swift may not know.
    case foreign
    /// A reference to an object that has values of the generic arguments after its fields.
    case buffer
  }

  var role: Role
  var isStandardLibrary: Bool
  /// Whether an adjacent reference keeps alive what pointers in the fields point to.
  let keepsPointees: Bool
  /// For handles: the reason why their targets are opaque.
  var reason = OpaqueReason.unmanagedMemory

  init(_ descriptor: NominalDescriptor, known: KnownTypes) {
    let module = descriptor.module
    isStandardLibrary = module == "Swift"
    keepsPointees = isStandardLibrary && descriptor.name == "_SliceBuffer"
    switch descriptor {
    case known.string: role = .leaf
    case known.continuation: (role, reason) = (.handle, .task)
    case known.managedBufferPointer: role = .buffer
    case _ where known.pointers.contains(descriptor): role = .pointer
    case _ where known.handles.contains(descriptor): role = .handle
    case _ where module == "__C": role = .foreign
    default: role = .ordinary
    }
  }
}
