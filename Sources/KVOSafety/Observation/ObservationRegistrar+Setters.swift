internal import KVOTrace
public import Synchronization

// The building blocks of the setters of `@KeyValueObservable`. A class that is written by hand may
// use them as well: they cost less than the two calls around an assignment.
extension ObservationRegistrar {
  /// Whether the object was ever observed.
  ///
  /// While it is false a setter need do nothing else: one load and a branch. The rest is in a function that is not
  /// inlined, so that an unobserved assignment need not save registers for it.
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

  /// Makes a change of one key: notifies observers that want the prior notification, assigns,
  /// notifies the others.
  ///
  /// Any thread that may assign. Observers run on it, with no lock held.
  ///
  /// - Parameters:
  ///   - key: a key of the class of `subject`.
  ///   - subject: the object whose registrar this is.
  ///   - value: the current value of the key; read before `assign` and after it, if an observer wants it, and once more
  ///     for each further observer.
  ///   - assign: changes the value, and sends no notifications. Always called once.
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
        return withUnsafePointer(to: old) { pointer in
          let old = pointer.knownAddress
          let change = storage.willSet(subject, key, Value.self, old)
          assign()
          var new = value()
          withUnsafeMutablePointer(to: &new) { new in
            let address = UnsafePointer(new).knownAddress
            if storage.didSet(subject, key, change, Value.self, old, address) { return }
            storage.notifyAll(subject, key, of: change, Value.self, old, address) {
              new.pointee = value()
            }
          }
        }
      }
      assign()
      // Checked after the assignment, so that an observer that was added during it is notified.
      guard storage.mayListen(to: key) else { return }
      withUnsafePointer(to: old) { pointer in
        let old = pointer.knownAddress
        var new = value()
        withUnsafeMutablePointer(to: &new) { new in
          let address = UnsafePointer(new).knownAddress
          if storage.notifyAlone(subject, key, Value.self, old, address) { return }
          storage.notifyAll(subject, key, Value.self, old, address) { new.pointee = value() }
        }
      }
    }
  }

  /// Whether `new` differs from `old`, for the setter of a property that is marked
  /// `@KeyValue(.whenDifferent)`.
  @inlinable
  @inline(__always)
  public func isChange<Value: Equatable>(from old: Value, to new: Value) -> Bool { old != new }

  /// What the compiler chooses for values that cannot be compared, for the sake of its message.
  @available(
    *,
    unavailable,
    message:
      "'.whenDifferent' compares values: make their type 'Equatable', or leave '.whenDifferent' out"
  )
  @_disfavoredOverload
  public func isChange<Value>(from old: Value, to new: Value) -> Bool { true }

  /// Announces that the value of `key` is about to change, as
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

  /// Notifies that the value of `key` has changed.
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
      // When the change began, the object was not observed yet.
      ThreadChanges.ofThisThread?.dropUnannounced(ObjectTable.address(of: subject), key: id)
      return
    }
    ChangeNotification.didChange(subject, key: id, site: site)
  }
}
