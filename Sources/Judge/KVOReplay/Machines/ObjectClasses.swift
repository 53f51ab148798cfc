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
    var isKVOSubclass: Bool
    var changed: Evidence
    /// Which of all changes of classes it was: lines of several threads are not in order.
    var number: Int

    func className(_ names: ClassNames) -> StringID { isKVOSubclass ? names.observed(to) : to }
  }

  /// How many changes of one object are remembered.
  private static let capacity = 16

  /// By object, oldest first.
  private var changes: [ObjectID: [Changed]] = [:]

  var isEmpty: Bool { changes.isEmpty }
  /// How many objects are remembered.
  var count: Int { changes.count }

  /// The class of `object` was changed.
  mutating func change(_ object: ObjectID, _ changed: Changed) {
    if changes[object]?.count == Self.capacity { changes[object]?.removeFirst() }
    changes[object, default: []].append(changed)
  }

  /// The last change of the class of `registration`'s object, if it is now of another class than
  /// it was when the registration was made, after `count` changes of classes.
  func difference(
    since count: Int,
    of registration: Registration,
    _ names: ClassNames
  ) -> (from: StringID, last: Changed)? {
    guard let all = changes[registration.subject.id], let last = all.last, last.number > count
    else { return nil }
    let before = all.last { $0.number <= count }
    let from = before?.className(names) ?? names.observed(registration.subject.className)
    return from == last.className(names) ? nil : (from, last)
  }

  mutating func forget(_ object: ObjectID) { changes[object] = nil }
}
