internal import KVORecorder
internal import KVORules
internal import KVOTrace

/// The two halves of a change: who is told, of what, and in which order.
///
/// Before the change the old values are read and the `prior` notifications go out. After it deep
/// paths move to the new objects, and the others go out, in the order of registration. Nothing is
/// locked while properties are read or observers called; whether an observer is still to be called is
/// asked one by one, just before (`Observation.tell`).
///
/// An observation that listens to the changed key in more than one way, through keys that affect each
/// other or an object that is on its path twice, is told once.
@usableFromInline
enum ChangeNotification {
  /// A value before a change, of an observation that wants it.
  typealias OldValue = (id: RegistrationID, value: Any?)

  // MARK: Both halves by themselves

  static func willChange(
    _ subject: any KeyValueObservable,
    key: StringID,
    _ extent: ChangeExtent = .whole,
    site: CallSite
  ) {
    let address = ObjectTable.address(of: subject)
    let changes = ThreadChanges.current
    if !extent.isPartial, changes.isCovered(address: address, key: key) { return }
    var open = ThreadChanges.OpenChange(
      address: address,
      key: key,
      id: nil,
      isAnnounced: false,
      site: site,
      extent: extent,
      callback: extent.isPartial ? DeliveryFrame.innermost : nil,
      oldValues: []
    )
    guard let storage = subject.knownStorage else {
      return changes.begin(open, as: nil, at: Evidence())
    }
    if extent.isPartial { storage.noteCollectionChange(1) }
    let change = Change(
      subject: storage.record.ref,
      key: key,
      id: changes.nextChange(),
      kind: extent.kind
    )
    let links = storage.links(to: key)
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
    tellBefore(links, subject, change, extent, open.oldValues, setter: nil)
  }

  static func didChange(
    _ subject: any KeyValueObservable,
    key: StringID,
    isPartial: Bool = false,
    site: CallSite
  ) {
    let address = ObjectTable.address(of: subject)
    let changes = ThreadChanges.current
    if !isPartial, changes.isCovered(address: address, key: key) { return }
    let open = changes.end(address: address, key: key)
    guard let storage = subject.knownStorage else { return }
    let extent = open?.extent ?? .whole
    if extent.isPartial, open?.isAnnounced == true { storage.noteCollectionChange(-1) }
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
    let stack = open == nil ? Recorder.shared.captureStack() : changes.stack(of: site)
    let order: UInt64
    if open == nil {
      order = storage.nextOrder()
    } else {
      let word = storage.endChange()
      order = word.order
      if !word.isNoneOpen {
        let here = changes.openCount(of: change.subject.id) - 1
        _ = storage.stackOfOverlap(ended: word, here: here)
      }
    }
    Recorder.shared.record(change, isEnd: true, order: order, stack: stack)
    let evidence = Evidence(stack: stack, order: order)
    LiveMonitor.shared.report(changes.judgeEnd(of: change, at: evidence))
    tellAfter(storage.links(to: key), subject, change, extent, open?.oldValues ?? [], setter: nil)
  }

  // MARK: Both halves by a setter

  /// What a setter keeps between the halves, which run on one thread.
  ///
  /// Not an optional, nor made of such: what those cost is seen in every recorded set.
  @usableFromInline
  struct SetterChange {
    fileprivate let setters: OpenSetters
    fileprivate let number: UInt64
    fileprivate let isRecorded: Bool
    /// Whether a change that is open covers it, so that nobody is told.
    let isCovered: Bool
    /// The old values, of observations that want more than the setter knows.
    fileprivate let oldValues: [OldValue]

    /// The number of the change, where it is recorded.
    var id: ChangeID? { isRecorded ? ChangeID(number) : nil }
  }

  /// The first half.
  @inline(__always)
  static func willSet(
    _ subject: AnyObject,
    _ storage: SubjectStorage,
    key: StringID,
    _ values: SetterValues
  ) -> SetterChange {
    let setters = ThreadChanges.settersOfThisThread
    guard setters.partialCount == 0, setters.hasRoom, Recorder.shared.isRecording,
      !storage.published.mayConcernBefore(key)
    else { return willSetConcerning(subject, storage, key: key, values) }
    // The log alone wants to know.
    let id = setters.nextChange()
    let word = storage.beginChange()
    let subject = storage.record.ref
    if word.isOnlyOpen {
      Recorder.shared.recordSetting(of: key, subject, id, isEnd: false, order: word.order)
      let scope = RecordingScope.current
      setters.enter(.init(subject: subject, key: key, id: id, order: word.order, scope: scope))
    } else {
      announce(Change(subject: subject, key: key, id: id), word, in: storage)
    }
    return SetterChange(
      setters: setters,
      number: id.rawValue,
      isRecorded: true,
      isCovered: false,
      oldValues: []
    )
  }

  @inline(never)
  private static func willSetConcerning(
    _ subject: AnyObject,
    _ storage: SubjectStorage,
    key: StringID,
    _ values: SetterValues
  ) -> SetterChange {
    let changes = ThreadChanges.current
    let isCovered =
      changes.isCovered(address: ObjectTable.address(of: subject), key: key)
      || storage.keys.isManual(key)
    let isRecorded = !isCovered && Recorder.shared.isRecording
    let id = isRecorded ? changes.nextChange() : nil
    var old: [OldValue] = []
    if !isCovered {
      let change = Change(subject: storage.record.ref, key: key, id: id)
      let links = storage.published.mayConcernBefore(key) ? storage.links(to: key) : []
      old = oldValues(links, subject, .whole, setter: values)
      if isRecorded {
        announce(change, storage.beginChange(), in: storage)
      }
      tellBefore(links, subject, change, .whole, old, setter: values)
    }
    return SetterChange(
      setters: changes.setters,
      number: id?.rawValue ?? 0,
      isRecorded: isRecorded,
      isCovered: isCovered,
      oldValues: old
    )
  }

  /// The end of the change in the log, before anybody is told.
  @inline(__always)
  static func endSetting(_ setting: SetterChange, key: StringID, of storage: SubjectStorage) {
    guard setting.isRecorded else { return }
    let id = ChangeID(setting.number)
    let word = storage.endChange()
    let subject = storage.record.ref
    let isInnermost = setting.setters.leave(id)
    if isInnermost, word.isNoneOpen {
      Recorder.shared.recordSetting(of: key, subject, id, isEnd: true, order: word.order)
    } else {
      let change = Change(subject: subject, key: key, id: id)
      judgeEnd(of: change, word, in: storage, hasLeft: isInnermost)
    }
  }

  // `hasLeft`: whether the change was the setters' innermost, so that nothing is to be judged.
  @inline(never)
  private static func judgeEnd(
    of change: Change,
    _ word: OrderWord,
    in storage: SubjectStorage,
    hasLeft: Bool
  ) {
    let changes = ThreadChanges.current
    let isInOrder = hasLeft || changes.isInnermost(change)
    let here = changes.openCount(of: change.subject.id) - (hasLeft ? 0 : 1)
    let overlap =
      word.isNoneOpen ? .none : storage.stackOfOverlap(ended: word, here: here)
    // Of what fails the stack is captured where it fails.
    let stack = isInOrder || overlap != .none ? overlap : Recorder.shared.captureStack()
    Recorder.shared.record(change, isEnd: true, order: word.order, stack: stack)
    if hasLeft { return }
    let evidence = Evidence(stack: stack, order: word.order)
    LiveMonitor.shared.report(changes.judgeEnd(of: change, at: evidence))
  }

  /// Tells observers of the change.
  static func didSet(
    _ subject: AnyObject,
    _ storage: SubjectStorage,
    key: StringID,
    _ setting: SetterChange,
    _ values: SetterValues,
    _ refresh: () -> Void
  ) {
    let change = Change(subject: storage.record.ref, key: key, id: setting.id)
    let links = storage.links(to: key)
    tellAfter(links, subject, change, .whole, setting.oldValues, setter: values, refresh)
  }

  /// All of a change that concerned nobody before it was made.
  static func didSetUnrecorded(
    _ subject: AnyObject,
    _ storage: SubjectStorage,
    key: StringID,
    _ values: SetterValues,
    _ refresh: () -> Void
  ) {
    let links = storage.links(to: key)
    if links.allSatisfy({ $0.number == 0 && $0.isDirect && !$0.isIntermediate }) {
      for (index, link) in links.enumerated() {
        if index > 0, link.observation.wantsNew { refresh() }
        storage.tell(link.observation, subject, values)
      }
      return
    }
    let change = Change(subject: storage.record.ref, key: key, id: nil)
    tellAfter(links, subject, change, .whole, [], setter: values, refresh)
  }

  // MARK: Telling

  /// Reads what observations want to know of before the change, and the setter does not know.
  private static func oldValues(
    _ links: [ObservationLink],
    _ subject: AnyObject,
    _ extent: ChangeExtent,
    setter: SetterValues?
  ) -> [OldValue] {
    var values: [OldValue] = []
    for link in links where link.observation.wantsOld {
      if link.isDirect, setter != nil { continue }
      let observation = link.observation
      guard !values.contains(where: { $0.id == observation.id }),
        let root = root(of: link, subject)
      else { continue }
      let value = observation.read(from: root)
      values.append((observation.id, extent.seen(through: link).old(value)))
    }
    return values
  }

  private static func tellBefore(
    _ links: [ObservationLink],
    _ subject: AnyObject,
    _ change: Change,
    _ extent: ChangeExtent,
    _ oldValues: [OldValue],
    setter: SetterValues?
  ) {
    var told = Told(links)
    for link in links where link.observation.wantsPrior {
      guard told.isFirst(link), let root = root(of: link, subject) else { continue }
      let observation = link.observation
      if link.isDirect, let setter {
        observation.tell(root, .prior, of: change.id, setter)
      } else {
        let seen = extent.seen(through: link)
        observation.tell(
          root,
          .prior,
          of: change.id,
          ObservedChangeKind(seen.kind),
          old: oldValues.first { $0.id == observation.id }?.value,
          new: nil,
          elements: seen.places
        )
      }
    }
  }

  private static func tellAfter(
    _ links: [ObservationLink],
    _ subject: AnyObject,
    _ change: Change,
    _ extent: ChangeExtent,
    _ oldValues: [OldValue],
    setter: SetterValues?,
    _ refresh: () -> Void = {}
  ) {
    for link in links where link.isIntermediate {
      if let root = root(of: link, subject) {
        link.observation.tree?.rebuild(link.observation, from: root)
      }
    }
    let moveCount = WatchTree.moveCount
    let elements = newElements(links, subject, extent)
    var told = Told(links)
    for (index, link) in links.enumerated() {
      guard told.isFirst(link), let root = root(of: link, subject) else { continue }
      let observation = link.observation
      // An observer that was told before this one may have put another object on the path.
      let isDirect = link.isDirect && (moveCount == WatchTree.moveCount || link.isHung)
      if isDirect, let setter {
        if index > 0, observation.wantsNew { refresh() }
        observation.tell(root, .after, of: change.id, setter)
        continue
      }
      let seen = isDirect ? extent.seen(through: link) : .whole
      var new: Any??
      if observation.wantsNew {
        new = .some(seen.isPartial ? elements : observation.read(from: root))
      }
      observation.tell(
        root,
        .after,
        of: change.id,
        ObservedChangeKind(seen.kind),
        old: old(of: link, oldValues, setter),
        new: new,
        elements: seen.places
      )
    }
  }

  /// The elements that a change brought, read once: an observer may change the collection before the next
  /// one is told.
  private static func newElements(
    _ links: [ObservationLink],
    _ subject: AnyObject,
    _ extent: ChangeExtent
  ) -> Any? {
    guard extent.isPartial else { return nil }
    for link in links where link.observation.wantsNew && extent.seen(through: link).isPartial {
      if let root = root(of: link, subject) { return extent.new(link.observation.read(from: root)) }
    }
    return nil
  }

  /// The value before the change, if the observation wants it.
  private static func old(
    of link: ObservationLink,
    _ oldValues: [OldValue],
    _ setter: SetterValues?
  ) -> Any?? {
    let observation = link.observation
    if link.isDirect, let setter {
      return observation.wantsOld
        ? .some(setter.box(setter.old, isFlat: observation.valueType == nil)) : nil
    }
    return oldValues.first { $0.id == observation.id }?.value
  }

  /// Which observations were told of a change.
  private struct Told {
    private var ids: Set<RegistrationID> = []
    private let isNeeded: Bool

    /// Only an observation that listens in several ways can be told twice, and one of them is indirect.
    init(_ links: [ObservationLink]) {
      isNeeded = links.count > 1 && links.contains { !$0.isDirect }
    }

    mutating func isFirst(_ link: ObservationLink) -> Bool {
      !isNeeded || ids.insert(link.observation.id).inserted
    }
  }

  /// The object that the observation is registered on: for a deep path another one than the object
  /// that changes, and it may be gone.
  private static func root(of link: ObservationLink, _ subject: AnyObject) -> AnyObject? {
    link.number == 0 ? subject : link.observation.root.record.object
  }

  /// Records the first half of a setter's change, and announces it.
  @inline(never)
  private static func announce(_ change: Change, _ word: OrderWord, in storage: SubjectStorage) {
    let evidence = recordBeginning(of: change, word, in: storage)
    ThreadChanges.current.announce(change, at: evidence)
  }

  /// Records the first half, before it is announced, and returns what a verdict about it would say.
  ///
  /// A change that overlaps one of another thread has a stack, `stack` or its own.
  private static func recordBeginning(
    of change: Change,
    _ word: OrderWord,
    in storage: SubjectStorage,
    stack: StackID = .none
  ) -> Evidence {
    var stack = stack
    if !word.isOnlyOpen {
      let here = ThreadChanges.current.openCount(of: change.subject.id) + 1
      let overlap = storage.stackOfOverlap(begun: word, here: here)
      if stack == .none { stack = overlap }
    }
    Recorder.shared.record(change, isEnd: false, order: word.order, stack: stack)
    return Evidence(stack: stack, order: word.order)
  }
}

extension ObservedChangeKind {
  init(_ kind: Change.Kind) {
    switch kind {
    case .setting: self = .setting
    case .insertion: self = .insertion
    case .removal: self = .removal
    case .replacement: self = .replacement
    }
  }
}
