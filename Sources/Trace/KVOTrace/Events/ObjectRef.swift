/// An object as an event names it: an id that is unique in the log, and its class.
@usableFromInline
package struct ObjectRef: Hashable, Sendable {
  /// The role of an object in observing.
  @usableFromInline
  package enum Kind: String, Hashable, Sendable, CaseIterable {
    /// Any object of the program.
    case object
    /// The token of a token registration: it ends its registration when it is deallocated.
    case token
    /// The context of a closure.
    case closure
    /// An object that holds registrations for an owner, as the controller form does.
    case registry

    /// The kind that follows from an object's class; nil for most classes.
    ///
    /// It knows the class names of the tokens that runtimes and libraries return for an observation.
    ///
    /// Complexity: O(length).
    package init?(className: some StringProtocol) {
      switch className {
      case "ObservationToken", "NSKeyValueObservation", "AnyCancellable", "RACDisposable":
        self = .token
      case "ObservationController", "FBKVOController", "_FBKVOSharedController", "KVOController":
        self = .registry
      case "__NSMallocBlock__", "__NSStackBlock__", "__NSGlobalBlock__", "NSBlock":
        self = .closure
      default:
        let name = className.lowercased()
        guard
          name.hasPrefix("closure") || name.hasPrefix("(closure") || name.hasPrefix("block #")
            || name.hasPrefix("closure #")
        else { return nil }
        self = .closure
      }
    }
  }

  @usableFromInline package var id: ObjectID
  @usableFromInline package var className: StringID
  @usableFromInline package var kind: Kind

  @inlinable
  package init(id: ObjectID, className: StringID, kind: Kind = .object) {
    self.id = id
    self.className = className
    self.kind = kind
  }
}
