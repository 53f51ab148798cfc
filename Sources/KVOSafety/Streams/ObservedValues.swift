internal import KVORecorder
internal import KVOTrace
internal import Synchronization

/// The values of an observed property, one after the other.
///
/// The stream observes from its creation on, so nothing is lost before the first is taken. It ends when the observed
/// object is deallocated, or the object that it is bound to; it keeps neither alive. It ends as well when its task is
/// cancelled or nothing retains it any more. These ends are intended, and not reported.
///
/// One task iterates over it: two tasks would split the values between them; use ``SharedValues`` for that. Any thread
/// may change the property.
public struct ObservedValues<Element: Sendable>: AsyncSequence, Sendable {
  private let stream: AsyncStream<Element>
  private let loss: StreamLoss
  /// What its loops take values from; nil if it ended at once.
  private let source: ObservedSource?

  init(_ stream: AsyncStream<Element>, _ loss: StreamLoss, _ source: ObservedSource?) {
    self.stream = stream
    self.loss = loss
    self.source = source
  }

  /// How many values were dropped because they were not taken in time; 0 for an unbounded stream.
  public var droppedCount: Int { loss.count }

  /// Takes the values.
  public struct Iterator: AsyncIteratorProtocol {
    @usableFromInline var iterator: AsyncStream<Element>.Iterator
    @usableFromInline let life: ConsumerLife?

    fileprivate init(_ iterator: AsyncStream<Element>.Iterator, _ life: ConsumerLife?) {
      self.iterator = iterator
      self.life = life
    }

    /// Waits for the next value; nil at the end.
    @inlinable
    public mutating func next(
      isolation actor: isolated (any Actor)? = #isolation
    ) async -> Element? {
      life?.park()
      let element = await iterator.next(isolation: actor)
      life?.resume(hasValue: element != nil)
      return element
    }
  }

  /// The iterator, which takes the values that have not been taken yet.
  public func makeAsyncIterator() -> Iterator {
    Iterator(stream.makeAsyncIterator(), source.map { $0.makeLife() })
  }
}

/// Counts what a stream dropped.
final class StreamLoss: Sendable {
  // relaxed: a number to look at; nothing is published with it.
  private let dropped = Atomic<Int>(0)

  var count: Int { dropped.load(ordering: .relaxed) }

  func note() { dropped.wrappingAdd(1, ordering: .relaxed) }
}

/// Ends a stream in its deinit.
///
/// Only the observation's callback holds it, so the stream ends when the observation has, for
/// whatever reason, and after the last callback.
private final class StreamEnd<Element: Sendable>: Sendable {
  let continuation: AsyncStream<Element>.Continuation
  let loss: StreamLoss

  init(_ continuation: AsyncStream<Element>.Continuation, _ loss: StreamLoss) {
    self.continuation = continuation
    self.loss = loss
  }

  deinit { continuation.finish() }

  func yield(_ element: Element) {
    if case .dropped = continuation.yield(element) { loss.note() }
  }
}

/// The observation whose values loops take.
struct ObservedSource: Sendable {
  private let origin: ConsumerOrigin
  private let registration: RegistrationID

  init(_ observation: Observation) {
    let registration = observation.registration
    let recorder = Recorder.shared
    let subject = recorder.text(of: registration.subject.className)
    origin = ConsumerOrigin(
      site: registration.site,
      awaited: recorder.id(of: "\(subject).\(recorder.text(of: registration.keyPath))"),
      expectedToLive: registration.expectedToLive
    )
    self.registration = observation.id
  }

  /// The life of a loop that begins now.
  func makeLife() -> ConsumerLife { ConsumerLife(origin, registration: registration) }
}

extension ObservationRequest {
  /// Adds the observation as a stream of the elements that `element` creates from its changes; nil creates none.
  func addStream<Value, Element: Sendable>(
    buffering: StreamBuffering,
    element: @escaping (ObservedChange<Value>) -> Element?
  ) -> ObservedValues<Element> {
    addStream(buffering: buffering) { _, change in element(ObservedChange(change)) }
  }

  /// Adds the observation as a stream of the elements that `element` creates from deliveries.
  func addStream<Element: Sendable>(
    buffering: StreamBuffering,
    element: @escaping (_ subject: AnyObject, DeliveredChange) -> Element?
  ) -> ObservedValues<Element> {
    let loss = StreamLoss()
    let (stream, continuation) = AsyncStream.makeStream(
      of: Element.self,
      bufferingPolicy: buffering.policy(of: Element.self)
    )
    let end = StreamEnd(continuation, loss)
    var request = self
    request.becomeStream { subject, change in
      if let element = element(subject, change) { end.yield(element) }
    }
    guard let observation = request.add() else { return ObservedValues(stream, loss, nil) }
    let id = observation.id
    // The stream must not retain the observation, which would then keep itself alive.
    weak let storage = observation.root
    continuation.onTermination = { reason in
      if case .cancelled = reason { storage?.cancel(id, by: .user) }
    }
    return ObservedValues(stream, loss, ObservedSource(observation))
  }

  /// Makes it the request of a stream, whose values go to `take`.
  mutating func becomeStream(_ take: @escaping (_ subject: AnyObject, DeliveredChange) -> Void) {
    form = .stream
    token = ObjectRef(
      id: ObjectID(ObjectTable.shared.nextNumber()),
      className: Recorder.id(of: "ObservedValues"),
      kind: .token
    )
    deliver = { subject, _, change in
      take(subject, change)
      return nil
    }
  }
}
