internal import KVORecorder
internal import KVOTrace

extension KeyValueObservable {
  /// Announces that the value of `keyPath` is about to change.
  ///
  /// Call it right before the assignment, for example in `willSet`, and ``didChangeValue(for:fileID:line:function:)``
  /// right after, on the same thread. Pairs nest. An unmatched call is reported (KVO012). A key path that is not in
  /// ``KeyValueObservable/observableKeys`` notifies no observer and is reported (KVO029).
  ///
  /// Mirrors `willChangeValue(for:)` of `NSObject`.
  public func willChangeValue<Value>(
    for keyPath: KeyPath<Self, Value>,
    fileID: StaticString = #fileID,
    line: UInt = #line,
    function: StaticString = #function
  ) {
    let site = CallSite(fileID: fileID, line: line, function: function)
    guard let key = key(at: keyPath) else { return refuseChange(of: keyPath, at: site) }
    ChangeNotification.willChange(self, key: key.id, site: site)
  }

  /// Notifies that the value of `keyPath` has changed; observers are notified before it returns.
  ///
  /// Mirrors `didChangeValue(for:)` of `NSObject`.
  public func didChangeValue<Value>(
    for keyPath: KeyPath<Self, Value>,
    fileID: StaticString = #fileID,
    line: UInt = #line,
    function: StaticString = #function
  ) {
    // An unknown key was reported by the first half.
    guard let key = key(at: keyPath) else { return }
    let site = CallSite(fileID: fileID, line: line, function: function)
    ChangeNotification.didChange(self, key: key.id, site: site)
  }

  /// Announces that the value of the key called `key` is about to change.
  ///
  /// Works as ``willChangeValue(for:fileID:line:function:)``, for code that is being ported.
  public func willChangeValue(
    forKey key: String,
    fileID: StaticString = #fileID,
    line: UInt = #line,
    function: StaticString = #function
  ) {
    let site = CallSite(fileID: fileID, line: line, function: function)
    guard let key = type(of: self).observableKeys.key(named: key) else {
      return refuseChange(of: key, at: site)
    }
    ChangeNotification.willChange(self, key: key.id, site: site)
  }

  /// Notifies that the value of the key called `key` has changed.
  ///
  /// Works as ``didChangeValue(for:fileID:line:function:)``, for code that is being ported.
  public func didChangeValue(
    forKey key: String,
    fileID: StaticString = #fileID,
    line: UInt = #line,
    function: StaticString = #function
  ) {
    guard let key = type(of: self).observableKeys.key(named: key) else { return }
    let site = CallSite(fileID: fileID, line: line, function: function)
    ChangeNotification.didChange(self, key: key.id, site: site)
  }

  /// Reports the change of a key path that denotes no key, by the name that a registration of it has.
  func refuseChange(of keyPath: AnyKeyPath, at site: CallSite) {
    refuseChange(of: KeyPathNames.name(of: keyPath, in: type(of: self)), at: site)
  }

  private func refuseChange(of key: String, at site: CallSite) {
    let storage = self.storage
    let registration = Registration(
      id: nil,
      subject: storage.record.ref,
      observer: nil,
      keyPath: Recorder.shared.id(of: key),
      site: site.id
    )
    storage.refuse(registration, reason: .unknownKey, part: key)
  }
}
