/// What a target knows about its own objects that their memory does not show.
///
/// Registrations are behind locks and atomics, which the compiler does not describe, and some are
/// in tables of the library. A walk asks here which objects they keep alive.
///
/// The answers must be accurate: each object that is listed as kept must stay alive as long as its
/// keeper does.
package protocol RetainKnowledge: Sendable {
  /// The classes to ask about, and how.
  var classes: [RetainKnownClass] { get }

  /// The addresses of the objects that the object at `address` keeps alive; its class has
  /// ``RetainKnownClass/Reading/asked``.
  ///
  /// Called during a walk. The implementation must not run code of the program, release the last
  /// reference to an object, or start a walk.
  func references(ofObjectAt address: UInt) -> [UInt]

  /// Whether the observation at `address` ends with its ``RetainKnownClass/isKeeper``, whatever else refers to it.
  ///
  /// The same rules apply to the implementation.
  func hasKeeper(ofObservationAt address: UInt) -> Bool

  /// The name of such a reference for a programmer; empty if it has none.
  func label(ofReferenceFrom keeper: UInt, to kept: UInt) -> String

  /// The objects that tables keep alive on behalf of others, as long as these live.
  ///
  /// Read once per walk, before it begins.
  var attachments: [RetainAttachment] { get }

  /// The living objects that logs of this process name, with their numbers there.
  ///
  /// Also called in a copy of the process that `fork` made, where a lock that another thread held is never released: the
  /// implementation must not wait for one.
  var numbered: RetainNumberedObjects { get }
}

/// Objects by the numbers that the logs of their process give them.
///
/// A number belongs to one object for the life of the process, even if the object's address is used again.
package struct RetainNumberedObjects: Sendable {
  package struct Object: Hashable, Sendable {
    package var address: UInt
    package var number: UInt64
    /// The class as logs name it.
    package var className: String

    package init(address: UInt, number: UInt64, className: String) {
      self.address = address
      self.number = number
      self.className = className
    }
  }

  package var objects: [Object]
  /// Whether these are all; otherwise another thread was using a table of the library.
  package var isComplete: Bool

  package init(objects: [Object], isComplete: Bool) {
    self.objects = objects
    self.isComplete = isComplete
  }
}

/// A class whose references this protocol describes.
package struct RetainKnownClass: Sendable {
  package enum Reading: Sendable {
    /// Call ``RetainKnowledge/references(ofObjectAt:)`` for each object, and do not read its
    /// memory.
    case asked
    /// Read only this property: the rest keeps nothing alive that matters to a program.
    case property(String)
  }

  /// The class; for a generic class, any specialization, which stands for all.
  package var type: any AnyObject.Type
  package var reading: Reading
  /// Whether objects of the class are shown in paths; others become part of an edge's label.
  package var isShown: Bool
  /// Whether objects of the class are observations, through which cycles are searched for.
  package var isObservation: Bool
  /// Whether the deallocation of an object of the class ends the observations that it refers to.
  package var isKeeper: Bool

  package init(
    _ type: any AnyObject.Type,
    _ reading: Reading,
    isShown: Bool,
    isObservation: Bool = false,
    isKeeper: Bool = false
  ) {
    self.type = type
    self.reading = reading
    self.isShown = isShown
    self.isObservation = isObservation
    self.isKeeper = isKeeper
  }
}

/// An object that a table keeps alive as long as another one lives.
package struct RetainAttachment: Hashable, Sendable {
  /// The address of the object that must live.
  package var owner: UInt
  /// The address of the object that is kept alive.
  package var kept: UInt
  package var label: String

  package init(owner: UInt, kept: UInt, label: String) {
    self.owner = owner
    self.kept = kept
    self.label = label
  }
}
