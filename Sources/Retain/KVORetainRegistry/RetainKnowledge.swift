/// What a module knows of its own objects that their memory does not say.
///
/// Registrations are behind locks and atomics, which the compiler does not describe, and some of them
/// in tables of the library. A walk asks here for what such objects keep alive.
///
/// What is said must be true of memory: what is named as kept lives as long as its keeper.
package protocol RetainKnowledge: Sendable {
  /// The classes that are asked about, and how.
  var classes: [RetainKnownClass] { get }

  /// Where the objects are that the one at `address`, of a class that is ``RetainKnownClass/Reading/asked``,
  /// keeps alive.
  ///
  /// Called in the middle of a walk: it runs no code of the program's, releases nothing for the last
  /// time, and asks for no walk.
  func references(ofObjectAt address: UInt) -> [UInt]

  /// What a programmer calls such a reference; empty if it says nothing to one.
  func label(ofReferenceFrom keeper: UInt, to kept: UInt) -> String

  /// What is kept for objects as long as they live, and not by them.
  ///
  /// Asked for once a walk, before it begins.
  var attachments: [RetainAttachment] { get }
}

/// A class that a walk need not understand by itself.
package struct RetainKnownClass: Sendable {
  package enum Reading: Sendable {
    /// Ask for each object, and read none of its memory.
    case asked
    /// Read this property and no other: the rest keeps nothing alive that a program would notice.
    case property(String)
  }

  /// The class; of a generic one any, which stands for all.
  package var type: any AnyObject.Type
  package var reading: Reading
  /// Whether a programmer knows objects of the class; others become part of an edge's label.
  package var isShown: Bool
  /// Whether an object of the class is an observation: what cycles are looked for through.
  package var isObservation: Bool

  package init(
    _ type: any AnyObject.Type,
    _ reading: Reading,
    isShown: Bool,
    isObservation: Bool = false
  ) {
    self.type = type
    self.reading = reading
    self.isShown = isShown
    self.isObservation = isObservation
  }
}

/// Something that is kept as long as an object lives, by a table.
package struct RetainAttachment: Hashable, Sendable {
  /// Where the object is.
  package var owner: UInt
  /// Where that is which is kept for it.
  package var kept: UInt
  package var label: String

  package init(owner: UInt, kept: UInt, label: String) {
    self.owner = owner
    self.kept = kept
    self.label = label
  }
}
