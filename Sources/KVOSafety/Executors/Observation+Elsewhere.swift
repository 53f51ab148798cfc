internal import KVORecorder
internal import KVORules
internal import KVOTrace

// Handling of a notification whose change was made on another executor than its registration expects.
extension Observation {
  /// Reports that a notification came on `found` instead of the expected executor (KVO023).
  ///
  /// No lock may be held.
  func report(elsewhere found: StringID, at evidence: Evidence) {
    let verdict = Verdict.offExecutor(
      registration,
      found: found,
      at: evidence,
      registered: root.evidence(of: id)
    )
    LiveMonitor.shared.report([verdict])
  }

  /// Hands the notification to the actor that it is expected on, unless the policy is to skip it.
  ///
  /// One of a change that the object makes in its own deinit is not handed over: nothing may keep the object until the
  /// actor has time for it, and its deallocation ends the registration.
  func contain(
    _ value: DeliveredChange,
    of subject: AnyObject,
    on actor: any Actor,
    _ expected: ExpectedExecutor
  ) {
    guard LiveMonitor.shared.policy.offExecutorDelivery == .hop, root.record.isAlive
    else { return }
    // The program shares the object, and its values, between this thread and the actor already: it
    // registered there and changes it here.
    nonisolated(unsafe) let subject = subject
    nonisolated(unsafe) let late = LateChange(value, of: valueType)
    expected.hand({ self.notifyLate(subject, late) }, to: actor)
  }

  /// Calls the observer of a change that was handed over, if the registration has not ended and the observer still
  /// exists.
  ///
  /// The log has the notification at the time of the change. A change that the observer did not handle (KVO017) is not
  /// reported: the report could not say which notification it was.
  private func notifyLate(_ subject: AnyObject, _ late: LateChange) {
    let observer = self.observer?.object
    guard let cell, self.observer == nil || observer != nil else { return }
    var aftermath: DeliveryCell.Aftermath = []
    guard root.claim(cell, by: self, &aftermath) else { return root.settle(cell, aftermath) }
    late.withChange { change in
      _ = DeliveryFrame.within(cell) { deliver(subject, observer, change) }
    }
    root.finish(cell)
    withExtendedLifetime(observer) {}
  }
}

/// A change that outlives the call that reports it, so it has copies of its values.
private struct LateChange {
  let kind: ObservedChangeKind
  let isPrior: Bool
  let old: Any??
  let new: Any??
  let elements: ChangedElements?

  init(_ change: DeliveredChange, of valueType: Any.Type?) {
    func copy(_ address: UnsafeRawPointer?) -> Any?? {
      guard let address else { return nil }
      guard !change.isBoxed, let valueType else {
        return .some(address.assumingMemoryBound(to: Any?.self).pointee)
      }
      func copy<Value>(_: Value.Type) -> Any? {
        address.assumingMemoryBound(to: Value.self).pointee
      }
      return .some(_openExistential(valueType, do: copy))
    }
    kind = change.kind
    isPrior = change.isPrior
    old = copy(change.old)
    new = copy(change.new)
    elements = change.elements
  }

  func withChange(_ body: (DeliveredChange) -> Void) {
    withUnsafePointer(to: old ?? nil) { oldAddress in
      withUnsafePointer(to: new ?? nil) { newAddress in
        body(
          DeliveredChange(
            kind: kind,
            isPrior: isPrior,
            isBoxed: true,
            old: old == nil ? nil : UnsafeRawPointer(oldAddress),
            new: new == nil ? nil : UnsafeRawPointer(newAddress),
            elements: elements
          )
        )
      }
    }
  }
}
