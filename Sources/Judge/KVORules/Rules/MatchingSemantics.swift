package import KVOTrace

/// How a runtime keeps the registrations of one object.
package enum MatchingSemantics: Hashable, Sendable {
  /// Equal registrations coexist, and each removal removes one: this library, Apple's runtimes, and GNUstep since 1.31.
  case stacking
  /// A registration replaces the one that the observer has for the key path, whatever the
  /// contexts are, and one removal clears both: GNUstep 1.28.
  case overwriting

  /// How the runtime of `profile` keeps its registrations.
  package init(_ profile: Profile) {
    self = profile == .gnustep128 ? .overwriting : .stacking
  }
}

extension Profile {
  /// The profile of the runtime that a log was recorded on.
  ///
  /// An Apple log counts as modern: no log has more detail, and the older systems cannot be recorded any longer.
  package init(recordedOn runtime: ProcessInfo.Runtime?) {
    switch runtime {
    case nil, .swift: self = .swift
    case .apple: self = .appleModern
    case .gnustep128: self = .gnustep128
    case .gnustepModern: self = .gnustepModern
    }
  }
}

extension Context {
  /// The context as an addition interprets it: no context is the NULL context.
  package var asAdded: Context { self == .unspecified ? .null : self }
}
