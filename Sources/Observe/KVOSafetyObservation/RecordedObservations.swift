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

    @usableFromInline var base: Base.AsyncIterator
    @usableFromInline let loop: RecordedLoop

    fileprivate init(_ base: Base.AsyncIterator, _ end: RecordedEnd) {
      self.base = base
      loop = RecordedLoop(end)
    }

    /// Waits for the next value.
    @inlinable
    public mutating func next(
      isolation actor: isolated (any Actor)?
    ) async throws(Failure) -> Element? {
      loop.park()
      do {
        let value = try await base.next(isolation: actor)
        loop.resume(hasValue: value != nil)
        return value
      } catch {
        loop.fail()
        throw error
      }
    }
  }

  /// A new iterator.
  public func makeAsyncIterator() -> Iterator { Iterator(base.makeAsyncIterator(), end) }
}

/// What an iterator notes and delivers; not generic, so that the iteration is inlined into the loop and this is not.
@usableFromInline
final class RecordedLoop: Sendable {
  private let end: RecordedEnd
  private let life: ConsumerLife?

  fileprivate init(_ end: RecordedEnd) {
    self.end = end
    life = end.registration.makeLife()
  }

  @usableFromInline
  func park() { life?.park() }

  @usableFromInline
  func resume(hasValue: Bool) {
    life?.resume(hasValue: hasValue)
    if hasValue { end.registration.deliver(nil) } else { end.registration.end(by: .user) }
  }

  @usableFromInline
  func fail() {
    life?.fail()
    end.registration.end(by: .user)
  }
}

/// Ends the registration when no iterator can take values any more.
private final class RecordedEnd: Sendable {
  let registration: ForeignRegistration

  init(_ registration: ForeignRegistration) { self.registration = registration }

  deinit { registration.end(by: .token) }
}
#endif
