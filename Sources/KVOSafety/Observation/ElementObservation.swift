internal import KVORecorder
internal import KVOTrace

/// Observes every element of a collection, and follows insertions and removals; ends when it is invalidated or
/// released.
public final class ElementObservation: Sendable {
  private let collection: ObservationToken
  private let elements: any ObservedElementSet

  fileprivate init(_ collection: ObservationToken, _ elements: any ObservedElementSet) {
    self.collection = collection
    self.elements = elements
  }

  deinit { invalidate() }

  /// Whether the collection is still observed.
  public var isActive: Bool { collection.isActive }

  /// Ends the observations of the collection and of its elements; a second call does nothing.
  public func invalidate() {
    collection.invalidate()
    elements.end()
  }
}

extension ElementObservation: Hashable {
  /// Whether both are the same object.
  public static func == (left: ElementObservation, right: ElementObservation) -> Bool {
    left === right
  }

  /// Hashes the identity of the object.
  public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

extension KeyValueObservable {
  /// Observes a property of every element of a collection.
  ///
  /// ```swift
  /// observation = team.observeEach(\.members, \.name, options: [.new]) { team, member, change in … }
  /// ```
  ///
  /// An element that is inserted is observed from then on, with the same options, so ``ObservingOptions/initial``
  /// brings its value; the observation of a removed element ends. An element that occurs twice is observed once. The
  /// handler runs as that of ``observe(_:options:expectedToLive:isolation:fileID:line:function:handler:)``. Neither the
  /// object nor the elements are kept alive: the observation of an element that is deallocated ends, which is not
  /// reported, since its removal from the collection may deallocate it.
  ///
  /// Foundation has `addObserver(_:toObjectsAt:forKeyPath:options:context:)` of `NSArray`, which does not
  /// follow the array.
  ///
  /// - Parameters:
  ///   - collection: a property in ``KeyValueObservable/observableKeys``. Insertions and removals
  ///     are seen if it notifies.
  ///   - keyPath: a property of the elements, or a path of such properties.
  ///   - options: what the change should carry, and when it should come.
  ///   - isolation: the actor of the caller; it is recorded as the one that changes are expected on.
  ///   - fileID: where the call is, for reports.
  ///   - line: where the call is, for reports.
  ///   - function: where the call is, for reports.
  ///   - handler: called for each change of an element.
  /// - Returns: the observation, which ends when it is released.
  /// - Complexity: O(elements) for each change of the collection.
  public func observeEach<Elements: Sequence, Value>(
    _ collection: KeyPath<Self, Elements>,
    _ keyPath: KeyPath<Elements.Element, Value>,
    options: ObservingOptions = [],
    isolation: isolated (any Actor)? = #isolation,
    fileID: StaticString = #fileID,
    line: UInt = #line,
    function: StaticString = #function,
    handler:
      @escaping (
        _ object: Self, _ element: Elements.Element, _ change: ObservedChange<Value>
      ) -> Void
  ) -> ElementObservation where Elements.Element: KeyValueObservable {
    let site = CallSite(fileID: fileID, line: line, function: function)
    weak let root = self
    let elements = ElementSet<Elements.Element> { element in
      element.token(
        at: keyPath,
        of: Value.self,
        held: element.knownRegistrations,
        options: options,
        expectedToLive: nil,
        endsWithObject: true,
        isolation: isolation,
        site: site
      ) { element, _, change in
        if let root {
          handler(root, unsafeDowncast(element, to: Elements.Element.self), ObservedChange(change))
        }
        return nil
      }
    }
    let token = token(
      at: collection,
      of: Elements.self,
      held: knownRegistrations,
      options: [],
      expectedToLive: nil,
      isolation: isolation,
      site: site
    ) { [elements] subject, _, _ in
      elements.update { unsafeDowncast(subject, to: Self.self)[keyPath: collection] }
      return nil
    }
    elements.update { self[keyPath: collection] }
    return ElementObservation(token, elements)
  }

  private var knownRegistrations: Unmanaged<SubjectStorage>? { observationRegistrar.heldStorage }
}

/// The observed elements of one collection, of whatever type.
private protocol ObservedElementSet: AnyObject, Sendable {
  func end()
}

/// The observed elements of one collection.
///
/// Two threads that change the collection at the same time do not both update: the second marks the set as stale for
/// the first, which updates again.
private final class ElementSet<Element: KeyValueObservable>:
  ObservedElementSet, @unchecked Sendable
{
  // Sendable: `state` has a lock; `observe` is set in init, and runs on the thread that makes a change, as
  // KVO's callbacks do.
  private struct Observed: @unchecked Sendable {
    // Sendable: the reference is weak; the runtime makes loading it atomic with the element's
    // deallocation.
    weak var element: Element?
    var token: ObservationToken
  }

  private struct State: Sendable {
    var observed: [ObjectIdentifier: Observed] = [:]
    var isUpdating = false
    var isStale = false
    var isEnded = false
  }

  // State: `state`, under its own lock. Elements are read, observed and released without it.
  private let state = GuardedState(State())
  private let observe: (Element) -> ObservationToken

  init(observe: @escaping (Element) -> ObservationToken) { self.observe = observe }

  /// Observes the current elements, and no others.
  func update(to elements: () -> some Sequence<Element>) {
    let mayBegin = state.withLock { state in
      state.isStale = true
      guard !state.isUpdating, !state.isEnded else { return false }
      state.isUpdating = true
      return true
    }
    guard mayBegin else { return }
    while beginRound() { move(to: elements()) }
  }

  func end() {
    let ended = state.withLock { state in
      state.isEnded = true
      defer { state.observed = [:] }
      return state.observed
    }
    for observed in ended.values { observed.token.invalidate() }
  }

  private func beginRound() -> Bool {
    state.withLock { state in
      guard state.isStale, !state.isEnded else {
        state.isUpdating = false
        return false
      }
      state.isStale = false
      return true
    }
  }

  private func move(to elements: some Sequence<Element>) {
    var wanted: [ObjectIdentifier: Element] = [:]
    var order: [ObjectIdentifier] = []
    for element in elements {
      let identity = ObjectIdentifier(element)
      if wanted.updateValue(element, forKey: identity) == nil { order.append(identity) }
    }
    let identities = Set(order)
    let known = state.withLock { $0.observed }
    // The address of a deallocated element may have been reused by now.
    let gone = known.filter { !identities.contains($0.key) || $0.value.element == nil }
    state.withLock { state in
      for identity in gone.keys { state.observed[identity] = nil }
    }
    for observed in gone.values { observed.token.invalidate() }
    for identity in order where known[identity] == nil || gone[identity] != nil {
      guard let element = wanted[identity] else { continue }
      let token = observe(element)
      let isEnded = state.withLock { state in
        if !state.isEnded {
          state.observed[identity] = Observed(element: element, token: token)
        }
        return state.isEnded
      }
      if isEnded { token.invalidate() }
    }
  }
}
