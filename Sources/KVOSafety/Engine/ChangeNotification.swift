internal import KVORecorder
internal import KVORules
internal import KVOTrace

/// The two halves of a change: who is told, of what, and in which order.
///
/// Before the change the old values are read and the `prior` notifications go out. After it deep
/// paths move to the new objects, and the others go out, in the order of registration. Nothing is
/// locked while properties are read or observers called; whether an observer is still to be called is
/// asked one by one, just before (`SubjectStorage.deliver`).
enum ChangeNotification {
  static func willChange(
    _ subject: any KeyValueObservable,
    key: StringID,
    kind: Change.Kind,
    site: CallSite
  ) {
    let address = ObjectTable.address(of: subject)
    var open = ThreadChanges.OpenChange(
      address: address,
      key: key,
      id: nil,
      isAnnounced: false,
      site: site,
      oldValues: [:]
    )
    guard let storage = subject.knownStorage else {
      return ThreadChanges.current.begin(open, as: nil, at: Evidence())
    }
    let change = Change(
      subject: storage.record.ref,
      key: key,
      id: ChangeID(ObjectTable.shared.nextNumber()),
      kind: kind
    )
    let links = storage.links(to: key)
    for link in links where link.observation.options.contains(.old) {
      guard let root = root(of: link, subject), let old = link.observation.read(root) else {
        continue
      }
      open.oldValues[link.observation.id] = old
    }
    open.id = change.id
    open.isAnnounced = true
    let evidence = record(change, isEnd: false, in: storage, site: site)
    ThreadChanges.current.begin(open, as: change, at: evidence)
    for link in links where link.observation.options.contains(.prior) {
      let value = Observation.Change(
        kind: ObservedChangeKind(kind),
        old: open.oldValues[link.observation.id],
        new: nil,
        isPrior: true
      )
      deliver(value, .prior, link, subject, change)
    }
  }

  static func didChange(
    _ subject: any KeyValueObservable,
    key: StringID,
    kind: Change.Kind,
    site: CallSite
  ) {
    let address = ObjectTable.address(of: subject)
    let changes = ThreadChanges.current
    let open = changes.end(address: address, key: key)
    guard let storage = subject.knownStorage else { return }
    let id = open?.id ?? ChangeID(ObjectTable.shared.nextNumber())
    let change = Change(subject: storage.record.ref, key: key, id: id, kind: kind)
    if let open, !open.isAnnounced {
      changes.announce(change, at: record(change, isEnd: false, in: storage, site: open.site))
    }
    let stack = open == nil ? Recorder.shared.captureStack() : .none
    let evidence = record(change, isEnd: true, in: storage, site: site, stack: stack)
    LiveMonitor.shared.report(changes.judgeEnd(of: change, at: evidence))
    for link in storage.links(to: key) {
      let observation = link.observation
      guard let root = root(of: link, subject) else { continue }
      if link.isIntermediate { observation.chain?.rebuild(observation, from: root) }
      let value = Observation.Change(
        kind: ObservedChangeKind(kind),
        old: open?.oldValues[observation.id],
        new: observation.options.contains(.new) ? observation.read(root) : nil,
        isPrior: false
      )
      deliver(value, .after, link, subject, change)
    }
  }

  private static func deliver(
    _ value: Observation.Change,
    _ phase: Delivery.Phase,
    _ link: ObservationLink,
    _ subject: any KeyValueObservable,
    _ change: Change
  ) {
    guard let storage = link.observation.root, let root = root(of: link, subject) else { return }
    storage.deliver(link.observation, to: root, phase: phase, change: change.id, value: value)
  }

  /// The object that the observation is registered on: for a deep path another one than the object
  /// that changes, and it may be gone.
  private static func root(
    of link: ObservationLink,
    _ subject: any KeyValueObservable
  ) -> AnyObject? {
    link.depth == 0 ? subject : link.observation.root?.record.object
  }

  /// Records one half, and returns what a verdict about it would say.
  ///
  /// Without recording its stack is the one frame that the compiler knows.
  private static func record(
    _ change: Change,
    isEnd: Bool,
    in storage: SubjectStorage,
    site: CallSite,
    stack: StackID = .none
  ) -> Evidence {
    let order = storage.nextOrder()
    let stack = stack == .none ? ThreadChanges.current.stack(of: site) : stack
    Recorder.shared.record(change, isEnd: isEnd, order: order, stack: stack)
    return Evidence(stack: stack, order: order)
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
