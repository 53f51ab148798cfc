internal import Synchronization

/// The continuation of a stream that reports when it is released while loops wait for it.
///
/// The stream of an `AsyncStream.Continuation` that is released without `finish()` never ends. ``KVO/parked()`` says how
/// many loops wait for such a stream, and an audited test that leaves one waiting fails with KVO041.
///
/// Any thread may use it.
public struct RecordedStreamContinuation<Element>: Sendable {
  /// Notes in its deinit that nobody can continue the stream.
  private final class Side: Sendable {
    // relaxed: nothing is published with it; the deinit comes after all other uses.
    let isFinished = Atomic<Bool>(false)
    let source: ConsumerSource

    init(_ source: ConsumerSource) { self.source = source }

    deinit { if !isFinished.load(ordering: .relaxed) { source.leave() } }
  }

  private let base: AsyncStream<Element>.Continuation
  private let side: Side

  fileprivate init(_ base: AsyncStream<Element>.Continuation, _ source: ConsumerSource) {
    self.base = base
    side = Side(source)
  }

  /// Gives the stream its next element.
  ///
  /// - Parameter element: the element.
  /// - Returns: what became of it.
  @discardableResult
  public func yield(_ element: sending Element) -> AsyncStream<Element>.Continuation.YieldResult {
    base.yield(element)
  }

  /// Ends the stream after the elements that it has; a second call does nothing.
  public func finish() {
    side.isFinished.store(true, ordering: .relaxed)
    base.finish()
  }

  /// Called when the stream has ended or its task was cancelled, as that of `AsyncStream.Continuation`.
  public var onTermination: (@Sendable (AsyncStream<Element>.Continuation.Termination) -> Void)? {
    get { base.onTermination }
    nonmutating set { base.onTermination = newValue }
  }
}

extension AsyncStream {
  /// A stream whose loops are counted while they wait, and its continuation.
  ///
  /// ```swift
  /// let (prices, continuation) = AsyncStream<Int>.recorded(as: "prices")
  /// ```
  ///
  /// - Parameters:
  ///   - name: what loops wait for, in reports.
  ///   - limit: which elements are kept that are not taken in time.
  ///   - expectedToLive: why loops are meant to outlive the test scope in which they begin, if so.
  ///   - fileID: where the call is, for reports.
  ///   - line: where the call is, for reports.
  ///   - function: where the call is, for reports.
  /// - Returns: the stream, as one with `noted(as:)`, and what gives it elements.
  public static func recorded(
    as name: String,
    bufferingPolicy limit: Continuation.BufferingPolicy = .unbounded,
    expectedToLive: String? = nil,
    fileID: StaticString = #fileID,
    line: UInt = #line,
    function: StaticString = #function
  ) -> (stream: NotedSequence<AsyncStream>, continuation: RecordedStreamContinuation<Element>) {
    let (stream, continuation) = makeStream(of: Element.self, bufferingPolicy: limit)
    let source = ConsumerSource()
    let origin = ConsumerOrigin(
      CallSite(fileID: fileID, line: line, function: function),
      name,
      expectedToLive: expectedToLive
    )
    return (
      NotedSequence(stream, origin, source: source),
      RecordedStreamContinuation(continuation, source)
    )
  }
}
