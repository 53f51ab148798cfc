/// An object as an event names it: an id that no other object of the log ever has, and its class.
package struct ObjectRef: Hashable, Sendable {
  /// What an object is to the observation layer.
  package enum Kind: String, Hashable, Sendable, CaseIterable {
    /// Any object of the program.
    case object
    /// What the token form hands out: it ends its registration when it dies.
    case token
    /// The context of a closure.
    case closure
    /// An object that holds registrations for an owner, as the controller form does.
    case registry

    /// What the class of an object says about it: nil for most classes.
    ///
    /// Known are the names that runtimes and libraries give to what they hand out for an observation.
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

  package var id: ObjectID
  package var className: StringID
  package var kind: Kind

  package init(id: ObjectID, className: StringID, kind: Kind = .object) {
    self.id = id
    self.className = className
    self.kind = kind
  }
}
