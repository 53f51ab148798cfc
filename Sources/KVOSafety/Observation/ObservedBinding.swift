internal import KVORecorder
internal import KVOTrace

/// Keeps two properties of two objects equal, until it is invalidated or released.
///
/// ```swift
/// binding = account.bind(\.note, to: \.text, of: field)
/// ```
///
/// Neither object is kept alive; when one of them is deallocated the other stays as it is. This end of the binding is
/// intended, and not reported. The value that one side is set to is written to the other, on the same thread, before
/// the statement that set it is done. A change that the binding makes is not sent back, so it cannot loop, even if
/// several bindings form a cycle. If a side corrects what it is set to, the sides differ until one is set again.
///
/// Any thread that may set both properties. Sides that two threads set at the same time may end up different.
///
/// Mirrors `RACChannelTo` on both sides, and two-way bindings of Cocoa.
public final class ObservedBinding: Sendable {
  private let tokens: [ObservationToken]

  fileprivate init(_ tokens: [ObservationToken]) {
    self.tokens = tokens
    // Each side's observation is meant to end with it.
    for token in tokens { token.bindToObject() }
  }

  deinit { invalidate() }

  /// Whether both sides are still followed.
  public var isActive: Bool { tokens.allSatisfy(\.isActive) }

  /// Ends the binding; a second call does nothing.
  public func invalidate() {
    for token in tokens { token.invalidate() }
  }
}

extension ObservedBinding: Hashable {
  /// Whether both are the same object.
  public static func == (left: ObservedBinding, right: ObservedBinding) -> Bool {
    left === right
  }

  /// Hashes the identity of the object.
  public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

extension KeyValueObservable {
  /// Sets a property of `other` to the value of one of this object's, and keeps both equal from then on.
  ///
  /// - Parameters:
  ///   - keyPath: the property of this object, whose value both have at first.
  ///   - otherKeyPath: the property of the other object. Both are in ``KeyValueObservable/observableKeys``;
  ///     a side that is not is refused and reported (KVO029), and not followed.
  ///   - other: the other object.
  ///   - isolation: the actor of the caller; it is recorded as the one that changes are expected on.
  ///   - fileID: where the call is, for reports.
  ///   - line: where the call is, for reports.
  ///   - function: where the call is, for reports.
  /// - Returns: the binding, which ends when it is released.
  public func bind<Other: KeyValueObservable, Value>(
    _ keyPath: ReferenceWritableKeyPath<Self, Value>,
    to otherKeyPath: ReferenceWritableKeyPath<Other, Value>,
    of other: Other,
    isolation: isolated (any Actor)? = #isolation,
    fileID: StaticString = #fileID,
    line: UInt = #line,
    function: StaticString = #function
  ) -> ObservedBinding {
    let writers = WritingThreads()
    weak let here = self
    weak let there = other
    other[keyPath: otherKeyPath] = self[keyPath: keyPath]
    let forth = observe(
      keyPath,
      isolation: isolation,
      fileID: fileID,
      line: line,
      function: function,
      handler: { subject, _ in
        guard let there else { return }
        writers.write { there[keyPath: otherKeyPath] = subject[keyPath: keyPath] }
      }
    )
    let back = other.observe(
      otherKeyPath,
      isolation: isolation,
      fileID: fileID,
      line: line,
      function: function,
      handler: { subject, _ in
        guard let here else { return }
        writers.write { here[keyPath: keyPath] = subject[keyPath: otherKeyPath] }
      }
    )
    return ObservedBinding([forth, back])
  }
}

/// The threads on which a binding is writing.
private final class WritingThreads: Sendable {
  // State: `threads`, under its own lock; nothing is written while it is held.
  private let threads = GuardedState<Set<ThreadID>>([])

  /// Writes, unless the calling thread is already writing: then the change is the echo of that write.
  func write(_ body: () -> Void) {
    let thread = Recorder.currentThread
    guard threads.withLock({ $0.insert(thread).inserted }) else { return }
    defer { threads.withLock { _ = $0.remove(thread) } }
    body()
  }
}
