internal import KVOTrace

// Selects the observers that are notified of a change, and reads values for them.
extension ChangeNotification {
  /// The links that listen to `key`, after those with a deallocated object on their path have been
  /// resolved again.
  static func links(to key: StringID, of storage: SubjectStorage) -> [ObservationLink] {
    let links = storage.links(to: key)
    var isOutdated = false
    links.withUnsafeBufferPointer { links in
      for index in links.indices where links[index].number != 0 {
        // The list keeps it alive.
        Unmanaged.passUnretained(links[index].observation)._withUnsafeGuaranteedRef {
          if resolveIfOutdated($0) { isOutdated = true }
        }
      }
    }
    return isOutdated ? storage.links(to: key) : links
  }

  /// Resolves the path of an observation again if an object on it has been deallocated.
  private static func resolveIfOutdated(_ observation: Observation) -> Bool {
    guard let tree = observation.tree, tree.isOutdated, !tree.isBeingChanged(observation),
      let root = observation.root.record.object
    else { return false }
    tree.rebuild(observation, from: root)
    return true
  }

  /// Reads the values before the change that observations want and the setter does not know.
  static func oldValues(
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
      let value = extent.seen(through: link).old(observation.read(from: root))
      values.append((observation.id, value))
    }
    return values
  }

  static func notifyBefore(
    _ links: [ObservationLink],
    _ subject: AnyObject,
    _ change: Change,
    _ extent: ChangeExtent,
    _ oldValues: [OldValue],
    setter: SetterValues?
  ) {
    var notified = NotifiedLinks(links)
    for link in links where link.observation.wantsPrior {
      guard notified.insert(link), let root = root(of: link, subject) else { continue }
      let observation = link.observation
      let changes = ThreadChanges.current
      changes.beginPrior(of: change.id)
      defer { changes.endPrior() }
      if link.isDirect, let setter {
        observation.notify(root, .prior, of: change.id, setter)
      } else {
        let seen = extent.seen(through: link)
        // Not by optional chaining, whose nil would be a value that is nil.
        var old: Any??
        if seen.hasOld, let known = oldValues.first(where: { $0.id == observation.id }) {
          old = .some(known.value)
        }
        observation.notify(
          root,
          .prior,
          of: change.id,
          ObservedChangeKind(seen.kind),
          old: old,
          new: nil,
          elements: seen.positions
        )
      }
    }
  }

  static func notifyAfter(
    _ links: [ObservationLink],
    _ subject: AnyObject,
    _ change: Change,
    _ extent: ChangeExtent,
    _ oldValues: [OldValue],
    setter: SetterValues?,
    _ refresh: () -> Void = {}
  ) {
    if links.count == 1, oldValues.isEmpty {
      return notifyAfter(links[0], subject, change, extent, setter: setter)
    }
    for link in links where link.isIntermediate {
      if let root = root(of: link, subject) {
        link.observation.tree?.rebuild(link.observation, from: root)
      }
    }
    let moveCount = WatchTree.moveCount
    let elements = newElements(links, subject, extent)
    var notified = NotifiedLinks(links)
    for (index, link) in links.enumerated() {
      guard notified.insert(link), let root = root(of: link, subject) else { continue }
      let observation = link.observation
      // An observer that was notified before this one may have put another object on the path.
      let isDirect = link.isDirect && (moveCount == WatchTree.moveCount || link.isHung)
      if isDirect, let setter {
        if index > 0, observation.wantsNew { refresh() }
        observation.notify(root, .after, of: change.id, setter)
        continue
      }
      let seen = isDirect ? extent.seen(through: link) : .whole
      let old: Any?? = seen.hasOld ? self.old(of: link, oldValues, setter) : nil
      var new: Any??
      if observation.wantsNew, seen.hasNew {
        new = .some(seen.isPartial ? elements : observation.read(from: root))
      }
      observation.notify(
        root,
        .after,
        of: change.id,
        ObservedChangeKind(seen.kind),
        old: old,
        new: new,
        elements: seen.positions
      )
    }
  }

  /// The same with only one listening observation and no old value read.
  private static func notifyAfter(
    _ link: ObservationLink,
    _ subject: AnyObject,
    _ change: Change,
    _ extent: ChangeExtent,
    setter: SetterValues?
  ) {
    // Two calls, so that an object which the caller keeps alive is not retained once more.
    if isRegistered(link, on: subject) {
      notifyAfter(link, from: subject, change, extent, setter: setter)
    } else if let root = link.observation.root.record.object {
      notifyAfter(link, from: root, change, extent, setter: setter)
    }
  }

  @inline(never)
  private static func notifyAfter(
    _ link: ObservationLink,
    from root: AnyObject,
    _ change: Change,
    _ extent: ChangeExtent,
    setter: SetterValues?
  ) {
    let observation = link.observation
    var end = PathEnd.unknown
    if link.isIntermediate, let tree = observation.tree {
      end = tree.rebuild(observation, from: root)
    }
    let seen = extent.seen(through: link)
    if seen.isPartial {
      func notify(_ new: UnsafeRawPointer?, isBoxed: Bool) {
        let delivered = DeliveredChange(
          kind: ObservedChangeKind(seen.kind),
          isPrior: false,
          isBoxed: isBoxed,
          old: nil,
          new: new,
          elements: seen.positions
        )
        observation.notify(root, .after, of: change.id, delivered)
      }
      guard observation.wantsNew, seen.hasNew else { return notify(nil, isBoxed: true) }
      if let read = seen.part?.read, read.valueType == observation.valueType {
        return read.visit { notify($0, isBoxed: false) }
      }
      let new = seen.new(observation.read(from: root))
      withUnsafePointer(to: new) { notify($0, isBoxed: true) }
    } else if link.isDirect, let setter {
      observation.notify(root, .after, of: change.id, setter)
    } else {
      observation.notifyOfReading(root, .after, of: change.id, end: end)
    }
  }

  /// The elements that a change brought, read once: an observer may change the collection before
  /// the next one is notified.
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
    guard let known = oldValues.first(where: { $0.id == observation.id }) else { return nil }
    return .some(known.value)
  }

  /// Which observations were notified of a change.
  private struct NotifiedLinks {
    private var ids: Set<RegistrationID> = []
    private let isNeeded: Bool

    /// Only an observation that listens in several ways, at least one of them indirect, can be notified twice.
    init(_ links: [ObservationLink]) {
      isNeeded = links.count > 1 && links.contains { !$0.isDirect }
    }

    /// Notes that `link` is notified; false if its observation was notified already.
    mutating func insert(_ link: ObservationLink) -> Bool {
      !isNeeded || ids.insert(link.observation.id).inserted
    }
  }

  /// The object that the observation is registered on: for a deep path it is not the object that changes, and it may
  /// have been deallocated.
  private static func root(of link: ObservationLink, _ subject: AnyObject) -> AnyObject? {
    isRegistered(link, on: subject) ? subject : link.observation.root.record.object
  }

  /// Whether the observation of `link`, which is on `subject`, is registered on that object too: it is not if the object
  /// is further along its path.
  private static func isRegistered(_ link: ObservationLink, on subject: AnyObject) -> Bool {
    // No other object has the address while this one lives.
    link.number == 0
      || link.observation.root.record.address == ObjectTable.address(of: subject)
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
