package import KVOTrace

/// Finds live objects that keep each other alive.
///
/// The target that reads memory and the targets that use it do not depend on each other: they are
/// connected by this protocol.
package protocol RetainWalker: Sendable {
  /// Walks strong references from `roots` and reports which of the reachable objects keep
  /// themselves alive.
  ///
  /// No other thread may change the objects during the walk. Runs no code of the program.
  ///
  /// - Parameters:
  ///   - roots: the objects from which the walk begins.
  ///   - names: symbolicates the code of closures; nil for no names.
  /// - Returns: the shortest cycle of each set of objects that keep each other alive.
  func walk(from roots: [AnyObject], names: CodeNames?) -> RetainWalk

  /// Walks strong references from `roots` and reports which observations keep themselves alive.
  ///
  /// The observations are known to the library in ``RetainRegistry``. Otherwise like
  /// ``walk(from:names:)``.
  ///
  /// - Parameters:
  ///   - roots: the objects from which the walk begins.
  ///   - marks: the observations to search through; nil for all reachable ones.
  ///   - expectsDeallocation: whether the roots should have been deallocated: their cycles count even if they would end
  ///     with a token that something else owns.
  ///   - names: symbolicates the code of closures; nil for no names.
  /// - Returns: the shortest cycle through each observation, once for those that share it.
  func walk(
    from roots: [AnyObject],
    throughObservations marks: [AnyObject]?,
    expectsDeallocation: Bool,
    names: CodeNames?
  ) -> RetainWalk

  /// The shortest chain of strong references that leads from one of `roots` to `object`.
  ///
  /// - Returns: the chain in `paths`, which is empty if none was found; and what could not be
  ///   inspected.
  func walk(to object: AnyObject, from roots: [AnyObject], names: CodeNames?) -> RetainWalk

  /// The waiting tasks of the process that hold `object`, whether or not it leads to them.
  ///
  /// Tasks may continue and end during the call.
  ///
  /// - Returns: a line for the tasks that hold it by the same references.
  func tasks(holding object: AnyObject, names: CodeNames?) -> RetainingTasks
}

/// The waiting tasks that hold an object.
package struct RetainingTasks: Hashable, Sendable {
  /// A line for the tasks that hold it by the same references.
  package var lines: [String]
  /// What could not be inspected.
  package var notLookedInto: [String]

  package init(lines: [String], notLookedInto: [String]) {
    self.lines = lines
    self.notLookedInto = notLookedInto
  }
}

/// The result of a walk over live objects.
package struct RetainWalk: Hashable, Sendable {
  /// An object by its class and its address.
  package struct Object: Hashable, Sendable {
    package var className: String
    /// 0 for an object that is not an instance of a class, such as a closure.
    package var address: UInt64
    package var kind: ObjectRef.Kind

    package init(className: String, address: UInt64, kind: ObjectRef.Kind) {
      self.className = className
      self.address = address
      self.kind = kind
    }
  }

  /// A reference from one object to another, like ``Reference`` in a log.
  package struct Edge: Hashable, Sendable {
    package var from: Object
    /// The name of the reference for a programmer: a property, `capture of self`.
    package var label: String
    package var to: Object
    package var strength: Reference.Strength
    package var certainty: Reference.Certainty
    /// The source location of the closure `from` (`Screen.swift:20`), or nil.
    package var site: String?
    /// The address of its code; 0 if `from` is not a closure, or the address is not known.
    package var code: UInt64
    /// The address of the observation on this edge, or 0.
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

  /// Something that may hold references and could not be inspected.
  package struct Opaque: Hashable, Sendable {
    package var className: String
    package var label: String
    /// The reason as part of a sentence.
    package var reason: String
    /// The number of such objects of the class.
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
  /// What could not be inspected.
  ///
  /// If it is empty, no cycle in `paths` means that there is none.
  package var opaque: [Opaque]

  package init(paths: [[Edge]], opaque: [Opaque]) {
    self.paths = paths
    self.opaque = opaque
  }
}
