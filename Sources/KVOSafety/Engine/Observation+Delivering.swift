internal import KVORecorder
internal import KVORules
internal import KVOTrace

extension Observation {
  /// Notifies the observer of a change, if the registration has not ended and the observer still exists.
  ///
  /// No lock may be held.
  ///
  /// - Parameters:
  ///   - subject: the object that the observation is registered on.
  ///   - phase: which of its notifications it is.
  ///   - change: the number of the change; nil for the initial notification, and if nothing
  ///     records.
  ///   - value: the value that is reported to the observer.
  ///   - isClaimed: whether the caller has claimed the delivery, and ends it. One call of the handler is one claim: a
  ///     handler that waits for the others (`invalidateAndWait`) would wait for a second one of its own.
  func notify(
    _ subject: AnyObject,
    _ phase: Delivery.Phase,
    of change: ChangeID?,
    _ value: DeliveredChange,
    isClaimed: Bool = false
  ) {
    // Retained until the callback returns: an observer is not deallocated during its own callback.
    let observer = self.observer?.object
    if let record = self.observer, observer == nil {
      if record.isWatched {
        ObserverDeallocation.noticed(record)
      } else {
        ObserverDeallocation.noticedLate(record)
      }
      return
    }
    if expected == nil, phase == .after, !root.isRecorded, !NotedLocks.areHeld,
      DeliveryFrame.innermost == nil
    {
      return notifyUnrecorded(subject, observer, of: change, value, isClaimed: isClaimed)
    }
    let isInitial = phase == .initial
    guard let cell, let order = isClaimed ? claimedOrder : root.claim(self, isInitial: isInitial)
    else { return }
    var delivery = Delivery(registration: id, change: change, phase: phase)
    let isTooDeep = ReentrantDelivery.isTooDeep(cell.depthOnThisThread + 1)
    let location = expected?.location
    delivery.executor = executor(at: location)
    var isElsewhere = false
    if case .elsewhere = location { isElsewhere = true }
    let isUnderLock = NotedLocks.areHeldHere
    let hasStack = isTooDeep || isElsewhere || isUnderLock
    let stack = hasStack ? Recorder.shared.captureStack() : .none
    if order > 0 {
      Recorder.shared.record(
        delivery,
        isEnd: false,
        order: order,
        stack: stack,
        of: root.record.ref.id
      )
    }
    if isTooDeep { reportReentrance(at: Evidence(stack: stack, order: order)) }
    if isUnderLock { reportUnderLock(at: Evidence(stack: stack, order: order)) }
    if case .elsewhere(_, let found) = location {
      report(elsewhere: found, at: Evidence(stack: stack, order: order))
    }
    if case .elsewhere(let actor, _) = location, let expected, case .contained = expected.manner {
      contain(value, of: subject, on: actor, expected)
    } else {
      var hasEnded = false
      if case .expected = location, let expected, expected.hasWaitingCalls {
        // In a frame, which stands for the claim: a late call that waits for other deliveries must not wait for this one.
        DeliveryFrame.within(cell) { expected.makeWaitingCalls() }
        // A late call may have ended the registration; until the claim is given up, no other one has its cell.
        hasEnded = !cell.pointer.pointee.isLive
      }
      if !hasEnded {
        delivery.isHandled = DeliveryFrame.within(cell) { deliver(subject, observer, value) }
      }
    }
    if isInitial { root.endInitial(id) }
    if !isClaimed { root.finish(cell) }
    if delivery.isHandled == false {
      reportUnhandled(delivery, notified: Evidence(order: order))
    } else if order > 0 {
      Recorder.shared.record(delivery, isEnd: true, order: root.nextOrder(), of: root.record.ref.id)
    }
    withExtendedLifetime(observer) {}
  }

  /// The same after a change, if only the observer has to be called.
  private func notifyUnrecorded(
    _ subject: AnyObject,
    _ observer: AnyObject?,
    of change: ChangeID?,
    _ value: DeliveredChange,
    isClaimed: Bool
  ) {
    guard let cell else { return }
    var aftermath: DeliveryCell.Aftermath = []
    guard isClaimed || root.claim(cell, by: self, &aftermath) else {
      return root.settle(cell, aftermath)
    }
    let isHandled = DeliveryFrame.within(cell) { deliver(subject, observer, value) }
    if !isClaimed { root.finish(cell) }
    if isHandled == false { reportUnhandledUnrecorded(of: change) }
  }

  /// The position of a claimed delivery among the events of the object, 0 if nothing records; nil if the registration
  /// has ended since the claim.
  private var claimedOrder: UInt64? {
    guard root.isRecorded, let cell else { return 0 }
    return root.orderOfClaim(in: cell)
  }

  /// The executor that the log records for a callback.
  private func executor(at location: ExpectedExecutor.Location?) -> StringID {
    switch location {
    case nil, .unknown: .none
    case .expected: registration.executor
    case .elsewhere(_, let found): found
    }
  }

  /// As ``notify(_:_:of:_:)``, with boxed values; an inner nil is a value that is nil.
  func notify(
    _ subject: AnyObject,
    _ phase: Delivery.Phase,
    of change: ChangeID?,
    _ kind: ObservedChangeKind,
    old: Any??,
    new: Any??,
    elements: ChangedElements? = nil,
    isOfDeallocation: Bool = false
  ) {
    withUnsafePointer(to: old ?? nil) { oldAddress in
      withUnsafePointer(to: new ?? nil) { newAddress in
        let value = DeliveredChange(
          kind: kind,
          isPrior: phase == .prior,
          isBoxed: true,
          isOfDeallocation: isOfDeallocation,
          old: old == nil ? nil : UnsafeRawPointer(oldAddress),
          new: new == nil ? nil : UnsafeRawPointer(newAddress),
          elements: elements
        )
        notify(subject, phase, of: change, value)
      }
    }
  }

  /// As ``notify(_:_:of:_:)``, for a setting, with the current value if it is wanted, and no old value.
  ///
  /// `end` is where the path ends, if that was just found.
  func notifyOfReading(
    _ subject: AnyObject,
    _ phase: Delivery.Phase,
    of change: ChangeID?,
    end: PathEnd = .unknown
  ) {
    guard wantsNew else {
      let value = DeliveredChange(
        kind: .setting,
        isPrior: false,
        isBoxed: false,
        old: nil,
        new: nil
      )
      return notify(subject, phase, of: change, value)
    }
    // The caller keeps both: the closure need not.
    let receiver = Unmanaged.passUnretained(self)
    let kept = Unmanaged.passUnretained(subject)
    read(from: subject, end: end) { new, isBoxed in
      let value = DeliveredChange(
        kind: .setting,
        isPrior: false,
        isBoxed: isBoxed,
        old: nil,
        new: new
      )
      receiver._withUnsafeGuaranteedRef { observation in
        kept._withUnsafeGuaranteedRef { observation.notify($0, phase, of: change, value) }
      }
    }
  }

  /// As ``notify(_:_:of:_:)``, with the values that a setter has.
  func notify(
    _ subject: AnyObject,
    _ phase: Delivery.Phase,
    of change: ChangeID?,
    _ values: SetterValues,
    isClaimed: Bool = false
  ) {
    let old = wantsOld ? values.old : nil
    let new = wantsNew && phase != .prior ? values.new : nil
    func notify(_ old: UnsafeRawPointer?, _ new: UnsafeRawPointer?, isBoxed: Bool) {
      let value = DeliveredChange(
        kind: .setting,
        isPrior: phase == .prior,
        isBoxed: isBoxed,
        old: old,
        new: new
      )
      self.notify(subject, phase, of: change, value, isClaimed: isClaimed)
    }
    if valueType == values.type { return notify(old, new, isBoxed: false) }
    if let optional, isOptional(of: values.type) {
      return optional.wrap(old) { old in
        optional.wrap(new) { new in notify(old, new, isBoxed: false) }
      }
    }
    let isFlat = valueType == nil
    withUnsafePointer(to: values.box(old, isFlat: isFlat)) { boxedOld in
      withUnsafePointer(to: values.box(new, isFlat: isFlat)) { boxedNew in
        notify(old == nil ? nil : boxedOld, new == nil ? nil : boxedNew, isBoxed: true)
      }
    }
  }

  /// As ``notify(_:_:of:_:)``, after a change, for a delivery that is claimed.
  @inline(__always)
  func deliverClaimed(
    _ subject: AnyObject,
    in cell: DeliveryCellReference,
    of change: ChangeID?,
    _ values: SetterValues
  ) {
    guard isPlain, valueType == values.type, DeliveryFrame.innermost == nil,
      !NotedLocks.areHeld
    else { return deliverClaimedIfAlive(subject, in: cell, of: change, values) }
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
    Recorder.shared.recordDelivery(id, of: change, order: order, of: root.record.ref.id)
    let isHandled = DeliveryFrame.within(cell) { deliver(subject, nil, value) }
    let end = root.nextOrder()
    Recorder.shared.recordDelivery(
      id,
      of: change,
      isHandled: isHandled,
      isEnd: true,
      order: end,
      of: root.record.ref.id
    )
  }

  /// The same if the observer must be alive, or values must be boxed.
  @inline(never)
  private func deliverClaimedIfAlive(
    _ subject: AnyObject,
    in cell: DeliveryCellReference,
    of change: ChangeID?,
    _ values: SetterValues
  ) {
    let form = form(of: values.type)
    guard change == nil, expected == nil, let form, DeliveryFrame.innermost == nil,
      !NotedLocks.areHeld, !root.isRecorded
    else {
      // Nested callbacks must be counted, locks judged, an executor queried, a value cast, or an event recorded.
      return notify(subject, .after, of: change, values, isClaimed: true)
    }
    // Retained until the callback returns: an observer is not deallocated during its own callback.
    let observer = self.observer?.object
    if let record = self.observer, observer == nil {
      if !record.isWatched { ObserverDeallocation.noticedLate(record) }
      return
    }
    let old = wantsOld ? values.old : nil
    let new = wantsNew ? values.new : nil
    var isHandled: Bool?
    switch form {
    case .typed: isHandled = deliver(subject, observer, in: cell, old, new, isBoxed: false)
    case .boxed:
      isHandled = values.withBoxes(old, new) { old, new in
        deliver(subject, observer, in: cell, old, new, isBoxed: true)
      }
    case .wrapped(let optional):
      optional.wrap(old) { old in
        optional.wrap(new) { new in
          isHandled = deliver(subject, observer, in: cell, old, new, isBoxed: false)
        }
      }
    }
    if isHandled == false { reportUnhandledUnrecorded(of: change) }
  }

  @inline(__always)
  private func deliver(
    _ subject: AnyObject,
    _ observer: AnyObject?,
    in cell: DeliveryCellReference,
    _ old: UnsafeRawPointer?,
    _ new: UnsafeRawPointer?,
    isBoxed: Bool
  ) -> Bool? {
    let value = DeliveredChange(
      kind: .setting,
      isPrior: false,
      isBoxed: isBoxed,
      old: old,
      new: new
    )
    return DeliveryFrame.within(cell) { deliver(subject, observer, value) }
  }

  /// The form in which the handler takes a value of a setter.
  private enum ValueForm {
    case typed
    case boxed
    case wrapped(OptionalLayout)
  }

  /// The form in which the handler takes a value of `type`; nil if the value must be cast or flattened.
  @inline(__always)
  private func form(of type: Any.Type) -> ValueForm? {
    if valueType == type { return .typed }
    if let optional, isOptional(of: type) { return .wrapped(optional) }
    // Optionals are flattened.
    return valueType == nil && !TypeMetadata.isOptional(type) && type != Any.self ? .boxed : nil
  }

  private func reportUnhandledUnrecorded(of change: ChangeID?) {
    var delivery = Delivery(registration: id, change: change, phase: .after)
    delivery.isHandled = false
    reportUnhandled(delivery, notified: Evidence(order: 0))
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
    Recorder.shared.record(
      delivery,
      isEnd: true,
      order: order,
      stack: stack,
      of: root.record.ref.id
    )
    let verdict = Verdict.unhandled(
      registration,
      at: Evidence(stack: stack, order: order),
      notified: notified,
      registered: root.evidence(of: id)
    )
    LiveMonitor.shared.report([verdict])
  }
}
