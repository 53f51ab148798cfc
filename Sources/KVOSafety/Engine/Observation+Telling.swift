internal import KVORecorder
internal import KVORules
internal import KVOTrace

extension Observation {
  /// Tells the observer of a change, if the registration is still there and the observer alive.
  ///
  /// No lock may be held.
  ///
  /// - Parameters:
  ///   - subject: the object that the observation is registered on.
  ///   - phase: which of its notifications it is.
  ///   - change: the number of the change; nil for the initial notification, and where nothing records.
  ///   - value: what the observer is told.
  func tell(
    _ subject: AnyObject,
    _ phase: Delivery.Phase,
    of change: ChangeID?,
    _ value: DeliveredChange
  ) {
    // Held until the callback is done: an observer does not die under its own callback.
    let observer = self.observer?.object
    if let record = self.observer, observer == nil {
      if !record.isWatched { ObserverDeath.noticedLate(record) }
      return
    }
    let isInitial = phase == .initial
    guard let cell, let order = root.claim(self, isInitial: isInitial) else { return }
    var delivery = Delivery(registration: id, change: change, phase: phase)
    let isTooDeep = ReentrantDelivery.isTooDeep(cell.depthOnThisThread + 1)
    let place = expected?.place
    delivery.executor = executor(at: place)
    var isElsewhere = false
    if case .elsewhere = place { isElsewhere = true }
    let isUnderLock = NotedLocks.areHeldHere
    let hasStack = isTooDeep || isElsewhere || isUnderLock
    let stack = hasStack ? Recorder.shared.captureStack() : .none
    if order > 0 { Recorder.shared.record(delivery, isEnd: false, order: order, stack: stack) }
    if isTooDeep { reportReentrance(at: Evidence(stack: stack, order: order)) }
    if isUnderLock { reportUnderLock(at: Evidence(stack: stack, order: order)) }
    if case .elsewhere(_, let found) = place {
      report(elsewhere: found, at: Evidence(stack: stack, order: order))
    }
    if case .elsewhere(let actor, _) = place, let expected, case .contained = expected.manner {
      contain(value, of: subject, on: actor, expected)
    } else {
      if case .expected = place { expected?.makeWaitingCalls() }
      delivery.isHandled = DeliveryFrame.within(cell) { deliver(subject, observer, value) }
    }
    if isInitial { root.endInitial(id) }
    root.finish(cell)
    if delivery.isHandled == false {
      reportUnhandled(delivery, notified: Evidence(order: order))
    } else if order > 0 {
      Recorder.shared.record(delivery, isEnd: true, order: root.nextOrder())
    }
    withExtendedLifetime(observer) {}
  }

  /// What the log says of where a callback runs.
  private func executor(at place: ExpectedExecutor.Place?) -> StringID {
    switch place {
    case nil, .unknown: .none
    case .expected: registration.executor
    case .elsewhere(_, let found): found
    }
  }

  /// As ``tell(_:_:of:_:)``, with values in boxes; nil inside is a value that is nil.
  func tell(
    _ subject: AnyObject,
    _ phase: Delivery.Phase,
    of change: ChangeID?,
    _ kind: ObservedChangeKind,
    old: Any??,
    new: Any??,
    elements: ChangedElements? = nil,
    isOfDeath: Bool = false
  ) {
    withUnsafePointer(to: old ?? nil) { oldAddress in
      withUnsafePointer(to: new ?? nil) { newAddress in
        let value = DeliveredChange(
          kind: kind,
          isPrior: phase == .prior,
          isBoxed: true,
          isOfDeath: isOfDeath,
          old: old == nil ? nil : UnsafeRawPointer(oldAddress),
          new: new == nil ? nil : UnsafeRawPointer(newAddress),
          elements: elements
        )
        tell(subject, phase, of: change, value)
      }
    }
  }

  /// As ``tell(_:_:of:_:)``, with the values that a setter has.
  func tell(
    _ subject: AnyObject,
    _ phase: Delivery.Phase,
    of change: ChangeID?,
    _ values: SetterValues
  ) {
    guard valueType == values.type else {
      let isFlat = self.valueType == nil
      return tell(
        subject,
        phase,
        of: change,
        .setting,
        old: wantsOld ? .some(values.box(values.old, isFlat: isFlat)) : nil,
        new: wantsNew && phase != .prior ? .some(values.box(values.new, isFlat: isFlat)) : nil
      )
    }
    let value = DeliveredChange(
      kind: .setting,
      isPrior: phase == .prior,
      isBoxed: false,
      old: wantsOld ? values.old : nil,
      new: wantsNew ? values.new : nil
    )
    tell(subject, phase, of: change, value)
  }

  /// As ``tell(_:_:of:_:)``, after a change, for a delivery that is claimed.
  @inline(__always)
  func tellClaimed(
    _ subject: AnyObject,
    in cell: DeliveryCellReference,
    of change: ChangeID?,
    _ values: SetterValues
  ) {
    guard isPlain, valueType == values.type, DeliveryFrame.innermost == nil,
      !NotedLocks.areHeld
    else {
      // An observer that must be alive, values that must be put into boxes, callbacks in callbacks to be
      // counted, locks to be judged, or an executor to be asked: claimed once more, which does no harm.
      return tell(subject, .after, of: change, values)
    }
    let value = DeliveredChange(
      kind: .setting,
      isPrior: false,
      isBoxed: false,
      old: wantsOld ? values.old : nil,
      new: wantsNew ? values.new : nil
    )
    guard let change else {
      _ = DeliveryFrame.within(cell) { deliver(subject, nil, value) }
      return
    }
    guard let order = root.orderOfClaim(in: cell) else { return }
    Recorder.shared.recordDelivery(id, of: change, order: order)
    let isHandled = DeliveryFrame.within(cell) { deliver(subject, nil, value) }
    let end = root.nextOrder()
    Recorder.shared.recordDelivery(id, of: change, isHandled: isHandled, isEnd: true, order: end)
  }

  private func reportReentrance(at evidence: Evidence) {
    let verdict = ReentrantDelivery.verdict(
      of: registration,
      at: evidence,
      registered: root.evidence(of: id)
    )
    LiveMonitor.shared.report([verdict])
  }

  private func reportUnderLock(at evidence: Evidence) {
    let registered = root.evidence(of: id)
    NotedLocks.judge(.callback, of: registration, at: evidence, registered: registered)
  }

  private func reportUnhandled(_ delivery: Delivery, notified: Evidence) {
    let stack = Recorder.shared.captureStack()
    let order = root.nextOrder()
    Recorder.shared.record(delivery, isEnd: true, order: order, stack: stack)
    let verdict = Verdict.unhandled(
      registration,
      at: Evidence(stack: stack, order: order),
      notified: notified,
      registered: root.evidence(of: id)
    )
    LiveMonitor.shared.report([verdict])
  }
}
