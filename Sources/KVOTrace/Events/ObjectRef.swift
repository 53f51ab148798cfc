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
