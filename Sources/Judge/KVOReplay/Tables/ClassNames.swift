import KVORules
import KVOTrace

/// The classes that runtimes made for observing, and what they were made of.
///
/// An object that is observed may be said to be of either. Memory is bounded by the names of classes.
///
/// Complexity: O(1).
struct ClassNames: Sendable {
  private var observed: [StringID: StringID] = [:]

  var isEmpty: Bool { observed.isEmpty }

  mutating func learn(_ name: StringID, of className: StringID) { observed[name] = className }

  /// Whether a runtime made the class for observing, by its name.
  func isNotifying(_ name: StringID) -> Bool { observed[name] != nil }

  /// The class that `name` was made of, or itself.
  func observed(_ name: StringID) -> StringID {
    observed.isEmpty ? name : observed[name] ?? name
  }

  /// The verdict, with its objects of the classes that the program declares.
  func observed(_ verdict: Verdict) -> Verdict {
    var copy = verdict
    if let subject = verdict.subject { copy.subject?.className = observed(subject.className) }
    if let observer = verdict.observer { copy.observer?.className = observed(observer.className) }
    return copy
  }
}
