internal import KVORecorder
internal import KVOTrace

// What a setter asks and says, from the fast answers to the slow ones. Values come by their address,
// because only the setter knows their type at compile time.
extension SubjectStorage {
  /// Whether somebody has to do with a change of `key` before it is made: the log, an observer that
  /// wants to be told, or one whose value only depends on this key.
  @usableFromInline
  func isConcerned(before key: ObservableKey) -> Bool {
    let id = key.declaration.id
    return published.mayConcernBefore(id) || Recorder.shared.isRecording && !isLost(id)
  }

  /// Whether the log has no room for a change of `key`, which is counted then: both of its halves, and the delivery to
  /// one observer.
  @inline(never)
  private func isLost(_ key: StringID) -> Bool {
    Recorder.shared.loses(published.mayListen(to: key) ? 4 : 2)
  }

  /// Whether somebody may listen to `key`.
  @usableFromInline
  func mayListen(to key: ObservableKey) -> Bool { published.mayListen(to: key.declaration.id) }

  /// Tells the observer that listens alone of a change that concerned nobody before.
  ///
  /// It is found, claimed and let go without a lock.
  ///
  /// - Returns: whether no other is to be told.
  @usableFromInline
  func tellsOne(
    _ subject: AnyObject,
    _ key: ObservableKey,
    _ type: Any.Type,
    _ old: UnsafeRawPointer,
    _ new: UnsafeRawPointer
  ) -> Bool {
    let id = key.declaration.id
    guard let cell = published.cell(of: id) else { return false }
    return isTold(subject, id, in: cell, of: nil, SetterValues(type: type, old: old, new: new))
  }

  /// Tells all observers of such a change.
  ///
  /// - Parameters:
  ///   - subject: the object that changed.
  ///   - key: the key whose value changed.
  ///   - type: the type of the value.
  ///   - old: where the value before the change is.
  ///   - new: where the value after it is.
  ///   - refresh: puts the present value at `new`, for an observer that comes after another, which may have
  ///     changed it.
  @usableFromInline
  func tellAll(
    _ subject: AnyObject,
    _ key: ObservableKey,
    _ type: Any.Type,
    _ old: UnsafeRawPointer,
    _ new: UnsafeRawPointer,
    _ refresh: () -> Void
  ) {
    let values = SetterValues(type: type, old: old, new: new)
    ChangeNotification.didSetUnrecorded(subject, self, key: key.declaration.id, values, refresh)
  }

  /// Tells the observer whose registration has `cell`, of a change that has a number where it is
  /// recorded.
  ///
  /// False where the cell is not live or has become that of another key since it was found: then
  /// nobody was told.
  @inline(__always)
  private func isTold(
    _ subject: AnyObject,
    _ key: StringID,
    in cell: DeliveryCellReference,
    of change: ChangeID?,
    _ values: SetterValues
  ) -> Bool {
    var aftermath: DeliveryCell.Aftermath = []
    guard cell.pointer.pointee.claim(&aftermath) else {
      settle(cell, aftermath)
      return false
    }
    var isTold = false
    // The claim keeps the observation.
    if let held = cell.pointer.pointee.observation {
      held._withUnsafeGuaranteedRef { observation in
        guard observation.key == key, observation.isDirect else { return }
        observation.tellClaimed(subject, in: cell, of: change, values)
        isTold = true
      }
    }
    settle(cell, cell.pointer.pointee.finish())
    return isTold
  }

  /// Tells the observer of a registration on this object of a change that nothing records.
  func tell(_ observation: Observation, _ subject: AnyObject, _ values: SetterValues) {
    guard let cell = observation.cell else { return }
    var aftermath: DeliveryCell.Aftermath = []
    guard isClaimed(cell, by: observation, &aftermath) else { return settle(cell, aftermath) }
    observation.tellClaimed(subject, in: cell, of: nil, values)
    settle(cell, cell.pointer.pointee.finish())
  }

  /// The first half of a change that concerns somebody before.
  @usableFromInline
  func willSet(
    _ subject: AnyObject,
    _ key: ObservableKey,
    _ type: Any.Type,
    _ old: UnsafeRawPointer
  ) -> ChangeNotification.SetterChange {
    let values = SetterValues(type: type, old: old, new: nil)
    return ChangeNotification.willSet(subject, self, key: key.declaration.id, values)
  }

  /// The second half, as far as one observer at most has to be told.
  ///
  /// - Returns: whether no other is to be told.
  @usableFromInline
  func didSet(
    _ subject: AnyObject,
    _ key: ObservableKey,
    _ change: ChangeNotification.SetterChange,
    _ type: Any.Type,
    _ old: UnsafeRawPointer,
    _ new: UnsafeRawPointer
  ) -> Bool {
    guard !change.isCovered else { return true }
    let values = SetterValues(type: type, old: old, new: new)
    let id = key.declaration.id
    ChangeNotification.endSetting(change, key: id, of: self)
    guard published.mayListen(to: id) else { return true }
    // Who listens alone, and was not concerned before, needs no list of links.
    guard let cell = published.cell(of: id) else { return false }
    return isTold(subject, id, in: cell, of: change.id, values)
  }

  /// Tells all observers of a change that concerned somebody before.
  ///
  /// The parameters are those of ``tellAll(_:_:_:_:_:_:)``.
  @usableFromInline
  func tellAll(
    _ subject: AnyObject,
    _ key: ObservableKey,
    of change: ChangeNotification.SetterChange,
    _ type: Any.Type,
    _ old: UnsafeRawPointer,
    _ new: UnsafeRawPointer,
    _ refresh: () -> Void
  ) {
    let values = SetterValues(type: type, old: old, new: new)
    ChangeNotification.didSet(subject, self, key: key.declaration.id, change, values, refresh)
  }
}
