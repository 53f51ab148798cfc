/// What is to be known of a struct or enum beside its fields.
struct NominalTraits {
  enum Role {
    case ordinary
    /// No references, whatever the fields look like.
    case leaf
    /// A pointer to values of its first generic argument.
    case pointer
    /// A pointer to anything.
    case handle
    /// A struct or union of C, whose fields Swift may not know.
    case foreign
  }

  var role: Role
  var isStandardLibrary: Bool
  /// Whether what pointers in the fields point to is kept alive by a reference beside them.
  let keepsPointees: Bool
  /// Of handles: what is behind them.
  var reason = OpaqueReason.unmanagedMemory

  init(_ descriptor: NominalDescriptor, known: KnownTypes) {
    let module = descriptor.module
    isStandardLibrary = module == "Swift"
    keepsPointees = isStandardLibrary && descriptor.name == "_SliceBuffer"
    switch descriptor {
    case known.string: role = .leaf
    case known.continuation: (role, reason) = (.handle, .task)
    case _ where known.pointers.contains(descriptor): role = .pointer
    case _ where known.handles.contains(descriptor): role = .handle
    case _ where module == "__C": role = .foreign
    default: role = .ordinary
    }
  }
}
