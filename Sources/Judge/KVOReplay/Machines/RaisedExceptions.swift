import KVORules
import KVOTrace

/// The exceptions of callbacks, by the object and the key that the callbacks reported: those that callbacks raised, and
/// those that a Foundation raises for a notification that the observer did not handle.
///
/// Some runtimes no longer notify any observer of that key: a missed change then has a cause to be shown.
///
/// Complexity: O(1); the oldest are dropped.
struct RaisedExceptions: Sendable {
  struct Raised: Sendable {
    /// None for a notification that was not handled.
    var name: StringID
    var observer: ObjectRef?
    var evidence: Evidence
  }

  private var objects = BoundedMap<ObjectTag, [StringID: Raised]>(capacity: 1_024)

  mutating func note(_ raised: Raised, of registration: Registration) {
    var keys = objects[registration.subject.id] ?? [:]
    keys[registration.keyPath] = raised
    objects.set(registration.subject.id, keys)
  }

  /// The last exception from a callback that reported the object and key of `registration`.
  func exception(of registration: Registration) -> Raised? {
    objects.isEmpty ? nil : objects[registration.subject.id]?[registration.keyPath]
  }

  mutating func forget(_ object: ObjectID) {
    if !objects.isEmpty, objects[object] != nil { objects.set(object, [:]) }
  }
}

// KVO039, and other verdicts that concern keys and callbacks with exceptions.

extension Verdict {
  /// KVO032 when an exception is the reason why no observer was notified.
  mutating func explain(by raised: RaisedExceptions.Raised) {
    detail = .exception(raised.name, observer: raised.observer)
    evidence.append(raised.evidence)
    // Raised during this change, for which there is no other location.
    if evidence[0].stack == .none { evidence[0].stack = raised.evidence.stack }
  }
}
