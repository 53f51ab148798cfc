internal import KVOSafety
internal import KVOTrace

/// Picks the events of one scope from the events that the whole process recorded.
///
/// An event belongs to the scope if it happened in it, or outside of every scope (on a separate thread or in a separate
/// task) to an object or a registration that the scope has used. Events of other scopes on shared objects are judged in
/// those scopes; this one only takes from them what became of the registrations that it knows (``judged(_:)``).
struct ScopeFilter {
  private let root: ScopeID
  private var scopes: Set<ScopeID>
  private var objects: Set<ObjectID> = []
  /// The registrations of the scope.
  private(set) var registrations: Set<RegistrationID> = []
  /// The consumers that began in the scope.
  private var consumers: Set<ConsumerID> = []
  /// The changes that end in the scope, and began outside of it.
  private var wholeChanges: Set<ChangeID> = []
  /// The changes that began before anything was recorded.
  private var cutChanges: Set<ChangeID> = []
  /// The registrations of other scopes, on objects that the scope uses, that were live when it opened, with their objects.
  private var earlier: [RegistrationID: ObjectID] = [:]

  /// Whether the scope has used `object`.
  func hasMet(_ object: ObjectID) -> Bool { objects.contains(object) }

  /// Whether anything at all was observed, or attempted.
  private(set) var hasObservations = false
  /// How many registrations were made meanwhile that are in no scope.
  private(set) var unscopedRegistrationCount = 0

  init(root: ScopeID) {
    self.root = root
    scopes = [root]
  }

  /// A filter of `events` that knows in advance what other threads do with the objects of the scope.
  ///
  /// - Another thread may deliver to a registration, and record that, before the thread that registers has recorded the
  ///   addition. Without that delivery the observer would seem to have missed the change (KVO032).
  /// - A change may begin before the scope meets its object, or before the scope opens, and end after that. Of the first
  ///   both halves belong to it, of the second neither: one half would look unbalanced (KVO012).
  ///
  /// Complexity: O(events).
  ///
  /// - Parameters:
  ///   - root: the scope.
  ///   - events: all that were recorded since it opened.
  ///   - before: the registrations that were live when it opened.
  ///   - inProgress: the state of the observed objects after the recording began.
  init(
    root: ScopeID,
    of events: [Event],
    before: [Registration] = [],
    inProgress: [ObjectID: ChangeProgress] = [:]
  ) {
    self.init(root: root)
    var first = self
    var begun: [ChangeID: Bool] = [:]
    for event in events {
      let isInside = first.includes(event)
      if case .willChange(let change) = event.body, let id = change.id { begun[id] = isInside }
      guard isInside, case .didChange(let change) = event.body, let id = change.id else { continue }
      if let hasBeginning = begun[id] {
        if !hasBeginning { wholeChanges.insert(id) }
      } else if event.scope == nil,
        inProgress[change.subject.id]?.mayContainBeginning(ofChangeEndedBy: event) == true
      {
        cutChanges.insert(id)
      }
    }
    registrations = first.registrations
    for registration in before where first.hasMet(registration.subject.id) {
      if let id = registration.id { earlier[id] = registration.subject.id }
    }
  }

  /// `event` as the scope is judged with it, or nil if it does not belong to the scope.
  ///
  /// A registration that another scope ends is live no longer: no change is owed to it, and it may be made again. Its end
  /// is that of an owner, which says nothing of what the thread does next. A registration of this scope that another scope
  /// notifies was not made in vain (KVO031). How observers of other scopes behave is not judged.
  ///
  /// Call it in the order of recording.
  mutating func judged(_ event: Event) -> Event? {
    if includes(event) { return event }
    var event = event
    switch event.body {
    case .cancel(let id, _) where registrations.contains(id): break
    case .cancel(let id, _) where earlier[id] != nil: event.body = .cancel(id, by: .owner)
    case .remove(let removal), .removeEnd(let removal):
      guard let id = removal.registration else { return nil }
      if registrations.contains(id) { break }
      guard earlier[id] != nil, case .remove = event.body else { return nil }
      event.body = .cancel(id, by: .owner)
    case .notify(var delivery) where isKnown(delivery, event.scope):
      if event.scope != nil { delivery.change = nil }
      delivery.executor = .none
      event.body = .notify(delivery)
    case .notifyEnd(var delivery) where isKnown(delivery, event.scope):
      if event.scope != nil { delivery.change = nil }
      delivery.isHandled = nil
      event.body = .notifyEnd(delivery)
    default: return nil
    }
    return event
  }

  /// Whether a notification that does not belong to the scope shows what became of a registration or a change that does.
  ///
  /// A change on a thread without a scope belongs to it, and owes a notification to the registrations that were live when
  /// the scope opened, too.
  private func isKnown(_ delivery: Delivery, _ scope: ScopeID?) -> Bool {
    registrations.contains(delivery.registration)
      || scope == nil && earlier[delivery.registration].map(objects.contains) == true
  }

  /// Whether `event` belongs to the scope.
  ///
  /// Call it in the order of recording.
  mutating func includes(_ event: Event) -> Bool {
    if case .scopeBegin(let scope) = event.body, let parent = scope.parent, scopes.contains(parent)
    {
      scopes.insert(scope.id)
    }
    let isInside = event.scope.map { scopes.contains($0) } ?? isKnown(event.body)
    if isInside {
      learn(event.body)
    } else if event.scope == nil, case .register = event.body {
      unscopedRegistrationCount += 1
    }
    return isInside
  }

  private func isKnown(_ body: Event.Body) -> Bool {
    switch body {
    case .register(let registration), .refused(let registration, _, _):
      objects.contains(registration.subject.id)
    case .remove(let removal), .removeEnd(let removal):
      objects.contains(removal.subject.id)
    case .registerEnd(let id), .cancel(let id, _):
      registrations.contains(id)
    case .notify(let delivery), .notifyEnd(let delivery):
      registrations.contains(delivery.registration)
    case .willChange(let change):
      objects.contains(change.subject.id) || change.id.map(wholeChanges.contains) == true
    case .didChange(let change):
      objects.contains(change.subject.id) && change.id.map(cutChanges.contains) != true
    case .attach(let attachment), .detach(let attachment):
      registrations.contains(attachment.registration)
    case .deinit(let object), .deinitEnd(let object):
      objects.contains(object.id)
    case .hold(let reference), .drop(let reference):
      objects.contains(reference.to.id)
    case .expectDeinit(let object, _):
      objects.contains(object.id)
    case .consumerEnd(let id, _):
      consumers.contains(id)
    case .parked(let consumer):
      consumers.contains(consumer.id)
    case .scopeBegin(let scope):
      scopes.contains(scope.id)
    case .scopeEnd(let id):
      scopes.contains(id)
    default:
      false
    }
  }

  private mutating func learn(_ body: Event.Body) {
    switch body {
    case .register(let registration), .refused(let registration, _, _):
      hasObservations = true
      objects.insert(registration.subject.id)
      if let observer = registration.observer { objects.insert(observer.id) }
      if let id = registration.id { registrations.insert(id) }
    case .consumerBegin(let consumer), .parked(let consumer):
      consumers.insert(consumer.id)
    case .remove(let removal):
      hasObservations = true
      objects.insert(removal.subject.id)
      if let observer = removal.observer { objects.insert(observer.id) }
    default:
      break
    }
  }
}
