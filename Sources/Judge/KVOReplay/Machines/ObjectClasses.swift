import KVORules
import KVOTrace

/// The classes that objects were changed to (KVO030).
///
/// The subclass that a runtime makes for observing counts as its superclass. Memory is bounded by the
/// living objects whose class was changed.
///
/// Complexity: O(1) for every input.
struct ObjectClasses: Sendable {
  struct Changed: Sendable {
    var to: StringID
    var changed: Evidence
  }

  /// How many changes of one object are remembered.
  private static let capacity = 16

  /// By object, oldest first.
  private var changes: [ObjectID: [Changed]] = [:]

  var isEmpty: Bool { changes.isEmpty }
  /// How many objects are remembered.
  var count: Int { changes.count }

  /// The class of `object` was changed to `name`.
  mutating func change(
    _ object: ObjectID,
    to name: StringID,
    isKVOSubclass: Bool,
    at evidence: Evidence
  ) {
    if isKVOSubclass { return }
    if changes[object]?.count == Self.capacity { changes[object]?.removeFirst() }
    changes[object, default: []].append(Changed(to: name, changed: evidence.as(.changed)))
  }

  /// The last change of the class of `registration`'s object, if it is now of another class than
  /// it was when the registration was made.
  func difference(
    since registered: Evidence,
    of registration: Registration
  ) -> (from: StringID, last: Changed)? {
    guard let all = changes[registration.subject.id], let last = all.last,
      last.changed.event > registered.event
    else { return nil }
    let before = all.last { $0.changed.event < registered.event }
    let from = before?.to ?? registration.subject.className
    return from == last.to ? nil : (from, last)
  }

  mutating func forget(_ object: ObjectID) { changes[object] = nil }
}
