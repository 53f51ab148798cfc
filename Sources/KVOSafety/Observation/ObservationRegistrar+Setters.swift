internal import KVOTrace
public import Synchronization

// What the setters of `@KeyValueObservable` are made of. A class that is written by hand may use them
// as well: they cost less than the two calls around an assignment.
extension ObservationRegistrar {
  /// Whether anybody has ever observed the object.
  ///
  /// While it is false a setter need do nothing else: one load and a branch. The rest stands in a function
  /// that is not inlined, so that a set that nobody observes saves no registers for it.
  ///
  /// ```swift
  /// set {
  ///   guard observationRegistrar.wasEverObserved else { return _balance = newValue }
  ///   @inline(never) func change() {
  ///     observationRegistrar.change(Self.balanceKey, of: self, value: _balance) {
  ///       _balance = newValue
  ///     }
  ///   }
  ///   change()
  /// }
  /// ```
  @inlinable
  public var wasEverObserved: Bool { word.load(ordering: .relaxed) != 0 }

  /// Makes a change of one key: tells observers that want to know before, assigns, tells the others.
  ///
  /// Any thread that may assign. Observers run on it, with no lock held.
  ///
  /// - Parameters:
  ///   - key: a key of the class of `subject`.
  ///   - subject: the object whose registrar this is.
  ///   - value: the value of the key now; asked for before `assign` and after it, as far as somebody
  ///     wants to know, and once more for each further observer.
  ///   - assign: changes the value, and notifies nobody. Called once, in any case.
  @inlinable
  @inline(never)
  public func change<Value>(
    _ key: ObservableKey,
    of subject: some KeyValueObservable,
    value: @autoclosure () -> Value,
    by assign: () -> Void
  ) {
    guard let held = heldStorage else { return assign() }
    held._withUnsafeGuaranteedRef { storage in
      let old = value()
      guard !storage.isConcerned(before: key) else {
        return withUnsafePointer(to: old) { old in
          let change = storage.willSet(subject, key, Value.self, old)
          assign()
          var new = value()
          withUnsafeMutablePointer(to: &new) { new in
            if storage.didSet(subject, key, change, Value.self, old, new) { return }
            storage.tellAll(subject, key, of: change, Value.self, old, new) {
              new.pointee = value()
            }
          }
        }
      }
      assign()
      // Asked after the assignment, so that an observer that was added during it hears of it.
      guard storage.mayListen(to: key) else { return }
      withUnsafePointer(to: old) { old in
        var new = value()
        withUnsafeMutablePointer(to: &new) { new in
          if storage.tellsOne(subject, key, Value.self, old, new) { return }
          storage.tellAll(subject, key, Value.self, old, new) { new.pointee = value() }
        }
      }
    }
  }

  /// Says that the value of `key` is about to change, as
  /// ``KeyValueObservable/willChangeValue(for:fileID:line:function:)`` does.
  ///
  /// For accessors that yield: `_modify { …willChange…; defer { …didChange… }; yield &_balance }`.
  public func willChange(
    _ key: ObservableKey,
    of subject: some KeyValueObservable,
    fileID: StaticString = #fileID,
    line: UInt = #line,
    function: StaticString = #function
  ) {
    let site = CallSite(fileID: fileID, line: line, function: function)
    if storage?.keys.isManual(key.declaration.id) == true { return }
    ChangeNotification.willChange(subject, key: key.declaration.id, site: site)
  }

  /// Says that the value of `key` has changed.
  public func didChange(
    _ key: ObservableKey,
    of subject: some KeyValueObservable,
    fileID: StaticString = #fileID,
    line: UInt = #line,
    function: StaticString = #function
  ) {
    let site = CallSite(fileID: fileID, line: line, function: function)
    let id = key.declaration.id
    if storage?.keys.isManual(id) == true {
      // Where it was begun, nobody had observed the object yet.
      ThreadChanges.ofThisThread?.dropUnannounced(ObjectTable.address(of: subject), key: id)
      return
    }
    ChangeNotification.didChange(subject, key: id, site: site)
  }
}
