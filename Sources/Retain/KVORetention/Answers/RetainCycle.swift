/// An object in a retain path.
public struct RetainedObject: Hashable, Sendable {
  /// The kind of object from a programmer's point of view.
  public enum Kind: Hashable, Sendable {
    /// An instance of a class or an actor.
    case instance
    /// A closure, which keeps its captures alive.
    case closure
    /// A task, which keeps alive what its closure captured, and what its functions use while they
    /// wait.
    case task
    /// Something that the walk cannot inspect.
    case opaque
  }

  /// The class, without module; `closure` for a closure.
  public let className: String
  /// The address of the object; 0 for a closure that captured only one object, which has no address
  /// of its own.
  public let address: UInt
  /// The kind of object.
  public let kind: Kind
}

/// A strong reference from one object to another.
public struct RetainEdge: Hashable, Sendable {
  /// How certain it is that the reference exists and is strong.
  public enum Certainty: Hashable, Sendable {
    /// The type describes a strong reference there, or reference counts prove that the word owns
    /// its target.
    case proven
    /// A word that looks like a reference, in opaque bytes. It may be an unowned reference, or
    /// something else.
    case suspected
  }

  /// The object that holds the reference.
  public let from: RetainedObject
  /// The reference as a programmer names it: a property (`observation`), a path through values
  /// (`handlers[2].action`), or a capture (`capture of self`).
  public let label: String
  /// The target of the reference.
  public let to: RetainedObject
  /// How certain the reference is.
  public let certainty: Certainty
  /// The source location of the closure `from` (`Screen.swift:20`), or where the task `from` waits,
  /// and from which line of its closure if that is another (`Feed.swift:64 from Screen.swift:20`); nil
  /// if it is not known or `from` is neither.
  public let site: String?
  /// The function of that code, if it has a name.
  public let function: String?
  /// The address of that code; 0 if `from` is not a closure.
  package let code: UInt
  /// The address of the observation on this edge, or 0.
  package let observation: UInt
}

extension RetainEdge: CustomStringConvertible {
  /// The edge without its target: `Token.handler`,
  /// `closure capture of self (Screen.swift:20)`, `Task waiting at Screen.swift:22`.
  public var description: String {
    let doubt = certainty == .suspected ? "?" : ""
    if from.kind == .task {
      let location = site.map { " waiting at \($0)" } ?? function.map { " waiting in \($0)" } ?? ""
      return from.className + location + doubt
    }
    guard from.kind == .closure else {
      if label.isEmpty { return from.className + doubt }
      return from.className + (label.hasPrefix("[") ? "" : ".") + label + doubt
    }
    let location = (site ?? function).map { " (\($0))" } ?? ""
    return "closure \(label)\(location)\(doubt)"
  }
}

/// Objects that keep each other alive by a cycle of strong references.
///
/// It describes the present state, and does not prove a leak: the program may break the cycle
/// later.
public struct RetainCycle: Hashable, Sendable {
  /// The edges from an object back to itself; at least one.
  public let edges: [RetainEdge]

  /// Whether every edge is proven.
  public var isProven: Bool { edges.allSatisfy { $0.certainty == .proven } }

  /// Whether a waiting task is part of the cycle, so that the end of the task breaks it.
  ///
  /// It is a leak if nothing resumes the task, such as a `for await` loop over a sequence that would
  /// only end with an object of the cycle.
  public var isHeldByTask: Bool { edges.contains { $0.from.kind == .task } }
}

extension RetainCycle: CustomStringConvertible {
  /// `ViewModel.observation → Token.handler → closure capture of self (Screen.swift:20) → ViewModel`.
  public var description: String { edges.pathDescription }
}

/// A chain of strong references from a root to an object.
public struct RetainPath: Hashable, Sendable {
  /// The edges from a root to the object; empty if the object is a root.
  public let edges: [RetainEdge]
}

extension RetainPath: CustomStringConvertible {
  /// The edges in the form of ``RetainCycle``.
  public var description: String { edges.pathDescription }
}

extension [RetainEdge] {
  fileprivate var pathDescription: String {
    (map(\.description) + [last?.to.className ?? ""]).joined(separator: " → ")
  }
}
