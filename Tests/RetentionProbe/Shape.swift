import KVORetention

/// A way in which an object can hold another.
///
/// It makes two programs that differ in one reference: the object holds itself, or one of its kind
/// that holds nothing.
struct Shape: Sendable, CustomStringConvertible {
  let name: String
  /// The cycle as it must be drawn; nil if the reference is not strong.
  let path: String?
  /// What a walk may meet and cannot inspect.
  let opaque: OpaqueReason?
  private let make: @Sendable (_ isCyclic: Bool) -> AnyObject

  /// - Parameters:
  ///   - name: what is held how.
  ///   - path: the cycle as it is to be drawn.
  ///   - opaque: the parts that cannot be inspected.
  ///   - new: makes an object.
  ///   - tie: has the first object hold the second.
  init<Root: AnyObject>(
    _ name: String,
    _ path: String?,
    opaque: OpaqueReason? = nil,
    _ new: @escaping @Sendable () -> Root,
    _ tie: @escaping @Sendable (Root, Root) -> Void
  ) {
    self.name = name
    self.path = path
    self.opaque = opaque
    make = { isCyclic in
      let root = new()
      let other = isCyclic ? root : new()
      tie(root, other)
      return root
    }
  }

  var description: String { name }

  func cyclic() -> AnyObject { make(true) }
  func acyclic() -> AnyObject { make(false) }
}
