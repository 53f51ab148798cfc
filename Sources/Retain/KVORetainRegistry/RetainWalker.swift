package import KVOTrace

/// Finds what live objects keep each other alive.
///
/// The module that reads memory and the modules that ask about it do not depend on each other: they meet in
/// this protocol.
package protocol RetainWalker: Sendable {
  /// Walks strong references from `roots` and reports which of the objects that are reached keep
  /// themselves alive.
  ///
  /// No other thread may change the objects meanwhile. Runs no code of the program's.
  ///
  /// - Parameters:
  ///   - roots: where to begin.
  ///   - names: what names the code of closures; nil if nothing does.
  /// - Returns: a cycle for each set of objects that keep each other alive, the shortest.
  func walk(from roots: [AnyObject], names: CodeNames?) -> RetainWalk

  /// Walks strong references from `roots` and reports which observations keep themselves alive.
  ///
  /// ``RetainRegistry`` has the library that knows of observations. As ``walk(from:names:)`` otherwise.
  ///
  /// - Parameters:
  ///   - roots: where to begin.
  ///   - marks: the observations that are meant, among the objects that are reached; nil: all.
  ///   - names: what names the code of closures; nil if nothing does.
  /// - Returns: the shortest cycle through each, one for those that share it.
  func walk(
    from roots: [AnyObject],
    throughObservations marks: [AnyObject]?,
    names: CodeNames?
  ) -> RetainWalk

  /// The shortest chain of strong references that leads from one of `roots` to `object`.
  ///
  /// - Returns: the chain in `paths`, or none if none was found; what could not be looked into.
  func walk(to object: AnyObject, from roots: [AnyObject], names: CodeNames?) -> RetainWalk
}

/// What one walk over live objects found.
package struct RetainWalk: Hashable, Sendable {
  /// An object by its class and by where it is while it lives.
  package struct Object: Hashable, Sendable {
    package var className: String
    /// 0 for what is no instance of a class, such as a closure.
    package var address: UInt64
    package var kind: ObjectRef.Kind

    package init(className: String, address: UInt64, kind: ObjectRef.Kind) {
      self.className = className
      self.address = address
      self.kind = kind
    }
  }

  /// A reference from one object to another, as ``Reference`` has it in a log.
  package struct Edge: Hashable, Sendable {
    package var from: Object
    /// How a programmer calls it: a property, `capture of self`.
    package var label: String
    package var to: Object
    package var strength: Reference.Strength
    package var certainty: Reference.Certainty
    /// Where the closure that `from` is was formed (`Screen.swift:20`), or nil.
    package var site: String?
    /// Where its code begins; 0 if `from` is no closure, or that is not known.
    package var code: UInt64
    /// Where the observation is that the reference leads through; 0 if it leads through none.
    package var observation: UInt64

    package init(
      from: Object,
      label: String,
      to: Object,
      strength: Reference.Strength = .strong,
      certainty: Reference.Certainty = .proven,
      site: String? = nil,
      code: UInt64 = 0,
      observation: UInt64 = 0
    ) {
      self.from = from
      self.label = label
      self.to = to
      self.strength = strength
      self.certainty = certainty
      self.site = site
      self.code = code
      self.observation = observation
    }
  }

  /// Something that may hold references and could not be looked into.
  package struct Opaque: Hashable, Sendable {
    package var className: String
    package var label: String
    /// Why, as a sentence says it.
    package var reason: String
    /// How many objects of the class that is true of.
    package var count: Int

    package init(className: String, label: String, reason: String, count: Int) {
      self.className = className
      self.label = label
      self.reason = reason
      self.count = count
    }
  }

  /// The edges of each cycle, from and back to its first object.
  package var paths: [[Edge]]
  /// Empty if all that was reached was understood: then no cycle means that there is none.
  package var opaque: [Opaque]

  package init(paths: [[Edge]], opaque: [Opaque]) {
    self.paths = paths
    self.opaque = opaque
  }
}
