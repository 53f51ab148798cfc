internal import KVORecorder
internal import KVOTrace

// The calls of a setter, from the fast paths to the slow ones. Values are passed by address, because only the setter
// knows their type at compile time.
extension SubjectStorage {
  /// Whether a change of `key` needs handling before it is made: for the log, for an observer that wants the prior
  /// notification, or for one whose value only depends on this key.
  @usableFromInline
  func isConcerned(before key: ObservableKey) -> Bool {
    let id = key.declaration.id
    return published.mayConcernBefore(id)
      || Recorder.shared.isRecording && !(Recorder.mayLose && isLost(id))
  }

  /// Whether the log leaves out this object, or has no space for a change of `key`; then its two halves and the delivery
  /// to one observer are counted as lost.
  @inline(never)
  private func isLost(_ key: StringID) -> Bool {
    !isRecorded || Recorder.shared.loses(published.mayListen(to: key) ? 4 : 2)
  }

  /// Whether a registration may listen to `key`.
  @usableFromInline
  func mayListen(to key: ObservableKey) -> Bool { published.mayListen(to: key.declaration.id) }

  /// Notifies the only observer of a change that needed no handling before it was made.
  ///
  /// It is found, claimed and released without a lock.
  ///
  /// - Returns: whether no other observer is to be notified.
  @usableFromInline
  func notifyAlone(
    _ subject: AnyObject,
    _ key: ObservableKey,
    _ type: Any.Type,
    _ old: UnsafeRawPointer,
    _ new: UnsafeRawPointer
  ) -> Bool {
    let id = key.declaration.id
    guard let cell = published.cell(of: id) else { return false }
    return deliverIfLive(
      subject,
      id,
      in: cell,
      of: nil,
      SetterValues(type: type, old: old, new: new)
    )
  }

  /// Notifies all observers of such a change.
  ///
  /// - Parameters:
  ///   - subject: the object that changed.
  ///   - key: the key whose value changed.
  ///   - type: the type of the value.
  ///   - old: the address of the value before the change.
  ///   - new: the address of the value after it.
  ///   - refresh: stores the current value at `new`, because a previously notified observer may have changed it.
  @usableFromInline
  func notifyAll(
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

  /// Notifies the observer whose registration has `cell` of a change, which has a number if it is recorded.
  ///
  /// Returns false, without notifying an observer, if the cell is not live or has been reused for another key since it
  /// was found.
  @inline(__always)
  private func deliverIfLive(
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
    var isNotified = false
    // The claim keeps the observation alive.
    if let held = cell.pointer.pointee.observation {
      held._withUnsafeGuaranteedRef { observation in
        guard observation.key == key, observation.isDirect else { return }
        observation.deliverClaimed(subject, in: cell, of: change, values)
        isNotified = true
      }
    }
    settle(cell, cell.pointer.pointee.finish())
    return isNotified
  }

  /// Notifies the observer of a registration on this object of a change that nothing records.
  func notify(_ observation: Observation, _ subject: AnyObject, _ values: SetterValues) {
    guard let cell = observation.cell else { return }
    var aftermath: DeliveryCell.Aftermath = []
    guard claim(cell, by: observation, &aftermath) else { return settle(cell, aftermath) }
    observation.deliverClaimed(subject, in: cell, of: nil, values)
    settle(cell, cell.pointer.pointee.finish())
  }

  /// The first half of a change that needs handling by the log or an observer before it is made.
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

  /// The second half, if at most one observer has to be notified.
  ///
  /// - Returns: whether no other observer is to be notified.
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
    // The only registration, if it needed nothing before the change, needs no list of links.
    guard let cell = published.cell(of: id) else { return false }
    return deliverIfLive(subject, id, in: cell, of: change.id, values)
  }

  /// Notifies all observers of a change that needed handling by the log or an observer before it was made.
  ///
  /// The parameters are those of ``notifyAll(_:_:_:_:_:_:)``.
  @usableFromInline
  func notifyAll(
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
