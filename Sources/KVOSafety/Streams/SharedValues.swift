internal import KVORecorder
internal import KVOTrace

/// The values of an observed property for several loops, each of which gets every value.
///
/// ```swift
/// let balances = account.sharedValues(for: \.balance)
/// Task { for await balance in balances { … } }
/// Task { for await balance in balances { … } }
/// ```
///
/// There is one observation, from the creation of the values on. It ends as that of ``ObservedValues`` does: with
/// either object, or when nothing holds the values or iterates over them any more. A cancelled task ends only its own
/// loop, after the values that came before. Any thread may change the property.
public struct SharedValues<Element: Sendable>: AsyncSequence, Sendable {
  private let hub: StreamHub<Element>
  private let end: SharedEnd?

  init(_ hub: StreamHub<Element>, _ end: SharedEnd?) {
    self.hub = hub
    self.end = end
  }

  /// Takes every value, independently of other loops.
  public struct Iterator: AsyncIteratorProtocol {
    private let loop: StreamLoop<Element>
    private var wakes: AsyncStream<Void>.Iterator
    /// Keeps the observation while the loop iterates.
    private let end: SharedEnd?
    private let life: ConsumerLife?

    fileprivate init(_ hub: StreamHub<Element>, _ end: SharedEnd?) {
      life = (end?.source).map { $0.makeLife() }
      let (stream, continuation) = AsyncStream.makeStream(
        of: Void.self,
        bufferingPolicy: .bufferingNewest(1)
      )
      loop = StreamLoop(hub, waking: continuation)
      wakes = stream.makeAsyncIterator()
      self.end = end
    }

    /// Waits for the next value; nil at the end.
    public mutating func next(
      isolation actor: isolated (any Actor)? = #isolation
    ) async -> Element? {
      while true {
        // As that of a stream: it ends after the values that came before.
        if Task.isCancelled { loop.close() }
        switch loop.next() {
        case .element(let element): return element
        case .finished:
          life?.resume(hasValue: false)
          return nil
        case .nothing:
          life?.park()
          // There is no wake if the values have ended or the task is cancelled, which the loop then finds out.
          _ = await wakes.next(isolation: actor)
          life?.resume(hasValue: true)
        }
      }
    }
  }

  /// An iterator over the kept values, and all that follow.
  public func makeAsyncIterator() -> Iterator { Iterator(hub, end) }
}

extension KeyValueObservable {
  /// The values of a property, starting with the current one, for several loops.
  ///
  /// Otherwise works as ``values(for:boundTo:buffering:expectedToLive:fileID:line:function:)``.
  ///
  /// - Parameters:
  ///   - keyPath: a property in ``KeyValueObservable/observableKeys``, or a path of such properties.
  ///   - observer: an object whose deallocation ends the values. Not kept alive.
  ///   - count: how many of the newest values are kept for a loop that begins later, or is slow; at least
  ///     one. Nil: all of them, so that each loop gets every value since the call, however late it begins;
  ///     memory grows until the values are released.
  ///   - expectedToLive: why the observation is meant to outlive the test scope it is made in, if so.
  ///   - fileID: where the call is, for reports.
  ///   - line: where the call is, for reports.
  ///   - function: where the call is, for reports.
  /// - Returns: the values, which observe from now on.
  /// - Complexity: of a change, O(loops + count).
  public func sharedValues<Value: Sendable>(
    for keyPath: KeyPath<Self, Value>,
    boundTo observer: (any AnyObject)? = nil,
    keeping count: Int? = nil,
    expectedToLive: String? = nil,
    fileID: StaticString = #fileID,
    line: UInt = #line,
    function: StaticString = #function
  ) -> SharedValues<Value> {
    var request = streamRequest(
      at: keyPath,
      options: [.initial, .new],
      observer: observer,
      valueType: Value.self,
      expectedToLive: expectedToLive,
      site: CallSite(fileID: fileID, line: line, function: function)
    )
    request.wantsWhole = true
    let hub = StreamHub<Value>(keeping: count)
    let source = HubSource(hub)
    request.becomeStream { _, change in
      if let value = ObservedChange<Value>(change).newValue { source.hub.yield(value) }
    }
    return SharedValues(hub, request.add().map(SharedEnd.init))
  }
}

/// Ends the loops in its deinit: only the observation's callback holds it.
private final class HubSource<Element: Sendable>: Sendable {
  let hub: StreamHub<Element>
  init(_ hub: StreamHub<Element>) { self.hub = hub }
  deinit { hub.finish() }
}

/// Ends the observation when no loop can take values any more.
final class SharedEnd: Sendable {
  private let id: RegistrationID
  private weak let storage: SubjectStorage?
  let source: ObservedSource

  init(_ observation: Observation) {
    source = ObservedSource(observation)
    id = observation.id
    storage = observation.root
  }

  deinit { storage?.cancel(id, by: .user) }
}
