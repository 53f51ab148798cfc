internal import KVORecorder
internal import KVOTrace

/// A change of the value of a key path, and which part of the path caused it.
public struct ObservedTransition<Value> {
  /// The change.
  public let change: ObservedChange<Value>
  /// Whether the value became nil because an object that the path references weakly was deallocated.
  ///
  /// No setter runs for that.
  public let wasCausedByDeallocation: Bool
  /// Whether the objects on the path are the same as before, so that only its last part changed.
  ///
  /// True of every change of a single key. False of the initial one of a longer path, and if the
  /// path ends early.
  public let affectedOnlyLastPart: Bool
}

extension ObservedTransition: Sendable where Value: Sendable {}

extension KeyValueObservable {
  /// The changes of a property, each with the part of the path that caused it.
  ///
  /// Works as ``changes(of:options:boundTo:buffering:expectedToLive:fileID:line:function:)``; there are no
  /// notifications before changes (``ObservingOptions/prior``).
  ///
  /// Mirrors `rac_observeKeyPath:options:observer:block:`, whose block receives `causedByDealloc`
  /// and `affectedOnlyLastComponent`.
  public func transitions<Value: Sendable>(
    of keyPath: KeyPath<Self, Value>,
    options: ObservingOptions = [.initial, .old, .new],
    boundTo observer: (any AnyObject)? = nil,
    buffering: StreamBuffering = .unbounded,
    expectedToLive: String? = nil,
    fileID: StaticString = #fileID,
    line: UInt = #line,
    function: StaticString = #function
  ) -> ObservedValues<ObservedTransition<Value>> {
    let request = streamRequest(
      at: keyPath,
      options: options.subtracting(.prior),
      observer: observer,
      valueType: Value.self,
      expectedToLive: expectedToLive,
      site: CallSite(fileID: fileID, line: line, function: function)
    )
    let holder = PathHolder(
      path: request.key == nil ? request.keyPath ?? "" : "",
      from: self,
      isNotifiedFirst: options.contains(.initial)
    )
    return request.addStream(buffering: buffering) { subject, change in
      ObservedTransition(
        change: ObservedChange(change),
        wasCausedByDeallocation: change.isOfDeallocation,
        affectedOnlyLastPart: holder.isSame(from: subject)
      )
    }
  }
}

/// The object that has the last key of a path, as of the previous change.
private final class PathHolder: Sendable {
  /// The keys before the last; empty for a path of one.
  private let keys: [StringID]

  // `known` is read and written by the callbacks of one observation.
  private let known: GuardedState<Known>

  /// The state at the previous change.
  struct Known: @unchecked Sendable {
    // Sendable: the reference is weak and compared, never used; the runtime makes loading it atomic.
    var isNotifiedFirst: Bool
    weak var holder: AnyObject?
  }

  init(path: String, from subject: AnyObject, isNotifiedFirst: Bool) {
    keys = path.split(separator: ".").dropLast().map { Recorder.id(of: String($0)) }
    let known = Known(isNotifiedFirst: isNotifiedFirst)
    self.known = GuardedState(known)
    if !keys.isEmpty { _ = replace(by: holder(from: subject), isNotified: false) }
  }

  /// Whether the last key belongs to the same object as at the previous change.
  func isSame(from subject: AnyObject) -> Bool {
    if keys.isEmpty { return true }
    let now = holder(from: subject)
    return replace(by: now, isNotified: true) && now != nil
  }

  private func holder(from subject: AnyObject) -> AnyObject? {
    KeyPathWalk.value(of: keys, from: subject).map { $0 as AnyObject }
  }

  private func replace(by holder: AnyObject?, isNotified: Bool) -> Bool {
    let address = holder.map { ObjectIdentifier($0) }
    // unsafe: the reference is compared and stored under the lock, and nothing reads the object.
    nonisolated(unsafe) let holder = holder
    let previous = known.withLock { known in
      let previous = known
      known.holder = holder
      if isNotified { known.isNotifiedFirst = false }
      return previous
    }
    // Without the lock: this may be the last release of the object, whose deinit is code of the program.
    return !previous.isNotifiedFirst && previous.holder.map { ObjectIdentifier($0) } == address
  }
}
