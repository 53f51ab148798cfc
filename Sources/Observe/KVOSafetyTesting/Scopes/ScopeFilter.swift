internal import KVOTrace

/// Picks the events of one scope from the events that the whole process recorded.
///
/// An event belongs to the scope if it happened in it, or outside of every scope (on a separate thread or in a separate
/// task) to an object or a registration that the scope has used. Events of other scopes on shared objects are judged in
/// those scopes.
struct ScopeFilter {
  private let root: ScopeID
  private var scopes: Set<ScopeID>
  private var objects: Set<ObjectID> = []
  /// The registrations of the scope.
  private(set) var registrations: Set<RegistrationID> = []
  /// The consumers that began in the scope.
  private var consumers: Set<ConsumerID> = []
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

  /// A filter of `events` that knows the registrations of the scope in advance.
  ///
  /// Another thread may deliver to a registration, and record that, before the thread that registers has recorded the
  /// addition. Without that delivery the observer would seem to have missed the change (KVO032).
  ///
  /// Complexity: O(events).
  init(root: ScopeID, of events: [Event]) {
    self.init(root: root)
    var first = self
    for event in events { _ = first.includes(event) }
    registrations = first.registrations
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
    case .willChange(let change), .didChange(let change):
      objects.contains(change.subject.id)
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
