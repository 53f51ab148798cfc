internal import KVORecorder
internal import KVORules
internal import KVOTrace

/// The two halves of a change: which observers are notified, with what, and in which order.
///
/// Before the change, the old values are read and the `prior` notifications are sent. After it, deep paths move to the
/// new objects, and the other notifications are sent, in the order of registration. No lock is held while properties
/// are read or observers are called; whether an observer must still be called is checked for each one just before
/// (`Observation.notify`).
///
/// An observation that listens to the changed key in more than one way, through keys that affect
/// each other or an object that is on its path twice, is notified once.
@usableFromInline
enum ChangeNotification {
  /// An old value, for an observation that wants it.
  typealias OldValue = (id: RegistrationID, value: Any?)

  // MARK: Both halves by themselves

  /// The first half.
  ///
  /// `announced` is the program's description of the change; nil if the library makes it. `covers` says whether setter
  /// notifications of the key until the second half are part of this change, as they are in a change of some elements.
  static func willChange(
    _ subject: any KeyValueObservable,
    key: StringID,
    _ extent: ChangeExtent = .whole,
    as announced: AnnouncedChange? = .setting,
    covers: Bool = false,
    site: CallSite
  ) {
    let address = ObjectTable.address(of: subject)
    let changes = ThreadChanges.current
    let covers = covers || extent.isPartial
    if !covers, changes.beginCovered(address: address, key: key) { return }
    let open = ThreadChanges.OpenChange(
      address: address,
      key: key,
      site: site,
      extent: extent,
      announced: announced,
      covers: covers
    )
    guard let storage = subject.knownStorage else {
      return changes.begin(open, as: nil, at: Evidence())
    }
    if covers { storage.noteCoveringChange(1) }
    let change = Change(
      subject: storage.record.ref,
      key: key,
      id: changes.nextChange(),
      kind: extent.kind
    )
    let links = Self.links(to: key, of: storage)
    open.oldValues = oldValues(links, subject, extent, setter: nil)
    open.id = change.id
    open.isAnnounced = true
    let evidence = recordBeginning(
      of: change,
      storage.beginChange(),
      in: storage,
      stack: changes.stack(of: site)
    )
    changes.begin(open, as: change, at: evidence)
    notifyBefore(links, subject, change, extent, open.oldValues, setter: nil)
  }

  /// The second half.
  ///
  /// `announced` is the program's description of the change; if that of the first half is another one, the change ends
  /// as a setting. `covers` says whether it ends a change that covers others, rather than one that is covered.
  /// `corrected` is the value before a change of some elements, if the property now has a different value than the
  /// change produced; the change then ends as a setting.
  static func didChange(
    _ subject: any KeyValueObservable,
    key: StringID,
    as announced: AnnouncedChange? = .setting,
    covers: Bool = false,
    correcting corrected: CorrectedChange? = nil,
    site: CallSite
  ) {
    let address = ObjectTable.address(of: subject)
    let changes = ThreadChanges.current
    if !covers, changes.endCovered(address: address, key: key) { return }
    let open = changes.end(address: address, key: key, as: announced)
    guard let storage = subject.knownStorage else { return }
    let begun = open?.extent ?? .whole
    if let open, open.covers, open.isAnnounced { storage.noteCoveringChange(-1) }
    // The halves of the library's own changes match.
    var mismatched: AnnouncedChange?
    if let open, open.announced != announced { mismatched = announced }
    let extent = corrected == nil && mismatched == nil ? begun : .whole
    let change = Change(
      subject: storage.record.ref,
      key: key,
      id: open?.id ?? changes.nextChange(),
      kind: extent.kind
    )
    if let open, !open.isAnnounced {
      let stack = changes.stack(of: open.site)
      let word = storage.beginChange()
      changes.announce(change, at: recordBeginning(of: change, word, in: storage, stack: stack))
    }
    if let mismatched { reportMismatch(mismatched, of: change, in: storage, site: site) }
    let stack = open == nil ? Recorder.shared.captureStack() : changes.stack(of: site)
    let order: UInt64
    if open == nil {
      order = storage.nextOrder()
    } else {
      let word = storage.endChange()
      order = word.order
      if !word.isNoneOpen {
        // It always has a stack.
        _ = storage.noteOverlap(ended: word, here: changes.openCount(of: change.subject.id) - 1)
      }
    }
    Recorder.shared.record(change, isEnd: true, order: order, stack: stack)
    // The other stack is that of the site.
    let line = open == nil ? changes.names.names(of: site).id : .none
    let evidence = Evidence(stack: stack, site: line, order: order)
    LiveMonitor.shared.report(changes.judgeEnd(of: change, at: evidence))
    let links = Self.links(to: key, of: storage)
    var oldValues = open?.oldValues ?? []
    if let corrected { correct(&oldValues, of: links, begun, to: corrected.before) }
    if mismatched != nil { removeElements(from: &oldValues, of: links, begun) }
    notifyAfter(links, subject, change, extent, oldValues, setter: nil)
  }

  /// Reports a second half that does not describe `open` as its first half does.
  ///
  /// The log has it under a number of its own, as the end of a change that never began; the end of `open` follows.
  private static func reportMismatch(
    _ announced: AnnouncedChange,
    of open: Change,
    in storage: SubjectStorage,
    site: CallSite
  ) {
    let changes = ThreadChanges.current
    let half = Change(
      subject: open.subject,
      key: open.key,
      id: changes.nextChange(),
      kind: announced.kind
    )
    let stack = Recorder.shared.captureStack()
    let order = storage.nextOrder()
    Recorder.shared.record(half, isEnd: true, order: order, stack: stack)
    let line = changes.names.names(of: site).id
    let evidence = Evidence(stack: stack, site: line, order: order)
    LiveMonitor.shared.report(changes.judgeEnd(of: half, at: evidence))
  }

  /// Removes the values of observations that know only the elements before a change that has become a setting.
  private static func removeElements(
    from values: inout [OldValue],
    of links: [ObservationLink],
    _ begun: ChangeExtent
  ) {
    for link in links where begun.seen(through: link).isPartial {
      values.removeAll { $0.id == link.observation.id }
    }
  }

  /// Replaces the elements of a change that has become a setting by the whole value before it.
  private static func correct(
    _ values: inout [OldValue],
    of links: [ObservationLink],
    _ begun: ChangeExtent,
    to whole: Any?
  ) {
    for link in links where begun.seen(through: link).isPartial {
      let observation = link.observation
      guard let index = values.firstIndex(where: { $0.id == observation.id }) else { continue }
      values[index].value = observation.valueType == nil ? whole.flattened : whole
    }
  }

  /// Records the first half, before it is announced, and returns the evidence for a verdict about it.
  ///
  /// A change that overlaps one on another thread carries the stack of the call, which names its callers; `stack` may be
  /// only the line of the announcement.
  static func recordBeginning(
    of change: Change,
    _ word: OrderWord,
    in storage: SubjectStorage,
    stack: StackID = .none
  ) -> Evidence {
    var stack = stack
    if !word.isOnlyOpen {
      let here = ThreadChanges.current.openCount(of: change.subject.id) + 1
      let isOverlap = storage.noteOverlap(begun: word, here: here)
      if isOverlap, storage.isRecorded { stack = Recorder.shared.captureStack() }
    }
    Recorder.shared.record(change, isEnd: false, order: word.order, stack: stack)
    return Evidence(stack: stack, order: word.order)
  }
}
