internal import KVOTrace

// The building block of the setters of overrides with observers.
extension ObservationRegistrar {
  /// Makes the change of an override that adds observers to a property: `assign` runs them, and the setter of
  /// the superclass between them.
  ///
  /// All of this is one change. Observers are notified once, with the value after the last of the property's own
  /// observers; assignments to the property in between, by its `didSet` or by the superclass, are part of it. If the
  /// key notifies only when it differs, so does the override; if the class notifies by itself, `assign` is all that
  /// happens.
  ///
  /// ```swift
  /// override var level: Int {
  ///   get { super.level }
  ///   set {
  ///     observationRegistrar.changeOverride(Self.levelKey, of: self, from: super.level, to: newValue) {
  ///       super.level = newValue
  ///       if level > 10 { level = 10 }
  ///     }
  ///   }
  /// }
  /// ```
  ///
  /// Any thread that may assign. Observers run on it, with no lock held.
  ///
  /// - Parameters:
  ///   - key: a key of the class of `subject`.
  ///   - subject: the object whose registrar this is.
  ///   - old: the value now; called if the key notifies only when it differs.
  ///   - new: the value that is assigned; called in the same case.
  ///   - fileID: where the call is, for reports.
  ///   - line: where the call is, for reports.
  ///   - function: where the call is, for reports.
  ///   - assign: changes the value. Always called once.
  public func changeOverride<Value>(
    _ key: ObservableKey,
    of subject: some KeyValueObservable,
    from old: @autoclosure () -> Value,
    to new: @autoclosure () -> Value,
    fileID: StaticString = #fileID,
    line: UInt = #line,
    function: StaticString = #function,
    by assign: () -> Void
  ) {
    let id = key.declaration.id
    guard let storage, let key = storage.keys.key(id), !key.isManual,
      !key.isOnlyWhenDifferent || areEqual(old(), new()) != true,
      !ThreadChanges.current.isCovered(address: ObjectTable.address(of: subject), key: id)
    else { return assign() }
    let site = CallSite(fileID: fileID, line: line, function: function)
    ChangeNotification.willChange(subject, key: id, as: nil, covers: true, site: site)
    assign()
    ChangeNotification.didChange(subject, key: id, as: nil, covers: true, site: site)
  }
}
