/// An object as a retain path names it.
public struct RetainedObject: Hashable, Sendable {
  /// What an object is to a programmer.
  public enum Kind: Hashable, Sendable {
    /// An instance of a class or an actor.
    case instance
    /// A closure: what it captured it keeps.
    case closure
    /// Something that the walk cannot look into, such as a task.
    case opaque
  }

  /// The class, without module; `closure` for a closure.
  public let className: String
  /// Where the object is while it lives; 0 for a closure that captured one object alone, which has no
  /// address of its own.
  public let address: UInt
  /// What it is to a programmer.
  public let kind: Kind
}

/// A strong reference from one object to another.
public struct RetainEdge: Hashable, Sendable {
  /// How sure it is that the reference is there, and strong.
  public enum Certainty: Hashable, Sendable {
    /// Read where the type says that a strong reference is, or a word that owns what it leads to, as reference
    /// counts prove.
    case proven
    /// A word that looks like a reference, in bytes that are not understood. It may be an unowned
    /// reference, or something else.
    case suspected
  }

  /// The object that holds.
  public let from: RetainedObject
  /// How a programmer calls the reference: a property (`observation`), a way through values
  /// (`handlers[2].action`), or a capture (`capture of self`).
  public let label: String
  /// The object that is held.
  public let to: RetainedObject
  /// How sure the reference is.
  public let certainty: Certainty
  /// Where the closure that `from` is was written (`Screen.swift:20`), or nil where that is not known.
  public let site: String?
  /// The function that the closure's code is, as far as it has a name.
  public let function: String?
  /// Where that code begins; 0 where `from` is no closure.
  package let code: UInt
  /// Where the observation is that the reference leads through; 0 where it leads through none.
  package let observation: UInt
}

extension RetainEdge: CustomStringConvertible {
  /// The edge without the object that it leads to: `Token.handler`,
  /// `closure capture of self (Screen.swift:20)`.
  public var description: String {
    let doubt = certainty == .suspected ? "?" : ""
    guard from.kind == .closure else {
      if label.isEmpty { return from.className + doubt }
      return from.className + (label.hasPrefix("[") ? "" : ".") + label + doubt
    }
    let location = (site ?? function).map { " (\($0))" } ?? ""
    return "closure \(label)\(location)\(doubt)"
  }
}

/// Objects that keep each other alive, in a circle of strong references.
///
/// It is what is true now. That it is a leak it does not say: the program may break it later.
public struct RetainCycle: Hashable, Sendable {
  /// From an object and back to it; at least one.
  public let edges: [RetainEdge]

  /// Whether every edge is proven.
  public var isProven: Bool { edges.allSatisfy { $0.certainty == .proven } }
}

extension RetainCycle: CustomStringConvertible {
  /// `ViewModel.observation → Token.handler → closure capture of self (Screen.swift:20) → ViewModel`.
  public var description: String { edges.pathDescription }
}

/// A chain of strong references from a root to an object.
public struct RetainPath: Hashable, Sendable {
  /// From a root to the object; empty where the object is a root.
  public let edges: [RetainEdge]
}

extension RetainPath: CustomStringConvertible {
  /// As that of ``RetainCycle``.
  public var description: String { edges.pathDescription }
}

extension [RetainEdge] {
  fileprivate var pathDescription: String {
    (map(\.description) + [last?.to.className ?? ""]).joined(separator: " → ")
  }
}
