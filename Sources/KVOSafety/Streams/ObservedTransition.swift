internal import KVORecorder
internal import KVOTrace

/// A change of the value of a key path, and what on the path brought it about.
public struct ObservedTransition<Value> {
  /// The change.
  public let change: ObservedChange<Value>
  /// Whether the value became nil because an object was deallocated to which the path refers weakly.
  ///
  /// No setter runs for that.
  public let wasCausedByDeallocation: Bool
  /// Whether the objects on the path are the same as before, so that its last part alone changed.
  ///
  /// True of every change of a single key. False of the initial one of a longer path, and where the path
  /// ends early.
  public let affectedOnlyLastPart: Bool
}

extension ObservedTransition: Sendable where Value: Sendable {}

extension KeyValueObservable {
  /// The changes of a property, each with what on the path brought it about.
  ///
  /// As ``changes(of:options:boundTo:buffering:expectedToLive:fileID:line:function:)``; there are no
  /// notifications before changes (``ObservingOptions/prior``).
  ///
  /// Mirrors `rac_observeKeyPath:options:observer:block:`, whose block is told `causedByDealloc` and
  /// `affectedOnlyLastComponent`.
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
      isToldFirst: options.contains(.initial)
    )
    return request.addStream(buffering: buffering) { subject, change in
      ObservedTransition(
        change: ObservedChange(change),
        wasCausedByDeallocation: change.isOfDeath,
        affectedOnlyLastPart: holder.isSame(from: subject)
      )
    }
  }
}

/// The object that has the last key of a path, as it was at the change before.
private final class PathHolder: Sendable {
  /// The keys before the last; empty for a path of one.
  private let keys: [StringID]

  // `known` is read and written by the callbacks of one observation.
  private let known: GuardedState<Known>

  /// What was known at the change before.
  struct Known: @unchecked Sendable {
    // Sendable: the reference is weak and compared, never used; the runtime makes loading it atomic.
    var isToldFirst: Bool
    weak var holder: AnyObject?
  }

  init(path: String, from subject: AnyObject, isToldFirst: Bool) {
    keys = path.split(separator: ".").dropLast().map { Recorder.id(of: String($0)) }
    let known = Known(isToldFirst: isToldFirst)
    self.known = GuardedState(known)
    if !keys.isEmpty { _ = replace(by: holder(from: subject), isTold: false) }
  }

  /// Whether the last key is one of the same object as at the change before.
  func isSame(from subject: AnyObject) -> Bool {
    if keys.isEmpty { return true }
    let now = holder(from: subject)
    return replace(by: now, isTold: true) && now != nil
  }

  private func holder(from subject: AnyObject) -> AnyObject? {
    KeyPathWalk.value(of: keys, from: subject).map { $0 as AnyObject }
  }

  private func replace(by holder: AnyObject?, isTold: Bool) -> Bool {
    let address = holder.map { ObjectIdentifier($0) }
    nonisolated(unsafe) let holder = holder
    return known.withLock { known in
      defer {
        known.holder = holder
        if isTold { known.isToldFirst = false }
      }
      return !known.isToldFirst && known.holder.map { ObjectIdentifier($0) } == address
    }
  }
}
