#if ObservationAdapter
internal import KVOSafety
internal import KVOTrace
public import Observation

/// Values of the standard library's `Observations`, with their registration in the log.
///
/// It is in the census as an observation of the model from its creation until its iteration ends, or nothing retains it
/// any more.
public struct RecordedObservations<Base: AsyncSequence>: AsyncSequence {
  /// The elements of the sequence.
  public typealias Element = Base.Element
  /// The errors that it may throw.
  public typealias Failure = Base.Failure

  private let base: Base
  private let end: RecordedEnd

  /// Records the iteration of `base`, which observes `model`.
  ///
  /// - Parameters:
  ///   - base: an `Observations`, or a sequence derived from one.
  ///   - model: the object whose properties it reads.
  ///   - key: the name of the observed value.
  ///   - owner: on whose behalf.
  ///   - expectedToLive: why it is meant to outlive the test scope it is made in, if so.
  ///   - isolation: the actor of the caller.
  ///   - fileID: where the call is, for reports.
  ///   - line: where the call is, for reports.
  ///   - function: where the call is, for reports.
  public init<Model: Observable & AnyObject>(
    _ base: Base,
    of model: Model,
    _ key: String,
    owner: AnyObject? = nil,
    expectedToLive: String? = nil,
    isolation: isolated (any Actor)? = #isolation,
    fileID: StaticString = #fileID,
    line: UInt = #line,
    function: StaticString = #function
  ) {
    self.base = base
    end = RecordedEnd(
      ForeignRegistration(
        on: model,
        observer: owner,
        key: key,
        form: .stream,
        expectedToLive: expectedToLive,
        isolation: isolation,
        fileID: fileID,
        line: line,
        function: function
      ) { _ in }
    )
  }

  /// Takes the values.
  public struct Iterator: AsyncIteratorProtocol {
    /// The elements of the sequence.
    public typealias Element = Base.Element
    /// The errors that it may throw.
    public typealias Failure = Base.Failure

    private var base: Base.AsyncIterator
    private let end: RecordedEnd
    private let life: ConsumerLife?

    fileprivate init(_ base: Base.AsyncIterator, _ end: RecordedEnd) {
      self.base = base
      self.end = end
      life = end.registration.makeLife()
    }

    /// Waits for the next value.
    public mutating func next(
      isolation actor: isolated (any Actor)?
    ) async throws(Failure) -> Element? {
      life?.park()
      let value: Element?
      do {
        value = try await base.next(isolation: actor)
        life?.resume(hasValue: value != nil)
      } catch {
        life?.fail()
        throw error
      }
      if value == nil { end.registration.end(by: .user) } else { end.registration.deliver(nil) }
      return value
    }
  }

  /// A new iterator.
  public func makeAsyncIterator() -> Iterator { Iterator(base.makeAsyncIterator(), end) }
}

/// Ends the registration when no iterator can take values any more.
private final class RecordedEnd: Sendable {
  let registration: ForeignRegistration

  init(_ registration: ForeignRegistration) { self.registration = registration }

  deinit { registration.end(by: .token) }
}
#endif
