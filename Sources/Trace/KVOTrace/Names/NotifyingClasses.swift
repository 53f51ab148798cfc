/// The classes of a log that runtimes made for observing, and what they were made of.
///
/// A writer that asks an observed object for its class gets one of these, while declarations and other events may name
/// the class of the program. Who judges events has ids without their texts.
package struct NotifyingClasses: Sendable {
  private var takenCount = 0
  /// Those whose class has no name in the log so far.
  private var open: [StringID] = []

  package init() {}

  /// The classes that are new in `names`, or whose class is: each with its class, or itself if no string is the name of
  /// that.
  ///
  /// Complexity: O(1) in almost every log; otherwise O(their length).
  package mutating func update(from names: TraceNames) -> [StringID: StringID] {
    let all = names.notifyingClasses
    if all.count == takenCount, open.isEmpty { return [:] }
    var found: [StringID: StringID] = [:]
    open.removeAll { name in
      guard let observed = names.observedClass(of: name) else { return false }
      found[name] = observed
      return true
    }
    for name in all[min(takenCount, all.count)...] {
      found[name] = names.observedClass(of: name) ?? name
      if found[name] == name { open.append(name) }
    }
    takenCount = all.count
    return found
  }
}
