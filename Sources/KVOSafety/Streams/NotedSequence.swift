internal import KVORecorder
internal import KVOTrace

/// A sequence of the program whose loops ``KVO/parked()`` counts while they wait.
public struct NotedSequence<Base: AsyncSequence>: AsyncSequence {
  /// The elements of the sequence.
  public typealias Element = Base.Element
  /// The errors that it may throw.
  public typealias Failure = Base.Failure

  private let base: Base
  private let origin: ConsumerOrigin
  private let source: ConsumerSource?

  init(_ base: Base, _ origin: ConsumerOrigin, source: ConsumerSource? = nil) {
    self.base = base
    self.origin = origin
    self.source = source
  }

  /// Takes the elements.
  public struct Iterator: AsyncIteratorProtocol {
    /// The elements of the sequence.
    public typealias Element = Base.Element
    /// The errors that it may throw.
    public typealias Failure = Base.Failure

    @usableFromInline var base: Base.AsyncIterator
    @usableFromInline let life: ConsumerLife

    fileprivate init(_ base: Base.AsyncIterator, _ life: ConsumerLife) {
      self.base = base
      self.life = life
    }

    // Inlined: as a generic function that the loop's module cannot specialize it takes longer than the iteration of a
    // simple sequence.

    /// Waits for the next element; nil at the end.
    @inlinable
    public mutating func next(
      isolation actor: isolated (any Actor)?
    ) async throws(Failure) -> Element? {
      life.park()
      do {
        let element = try await base.next(isolation: actor)
        life.resume(hasValue: element != nil)
        return element
      } catch {
        life.fail()
        throw error
      }
    }
  }

  /// An iterator over the elements, which counts as one loop.
  public func makeAsyncIterator() -> Iterator {
    Iterator(base.makeAsyncIterator(), ConsumerLife(origin, source: source))
  }
}

extension NotedSequence: Sendable where Base: Sendable {}

extension AsyncSequence {
  /// The same sequence, whose loops ``KVO/parked()`` counts while they wait.
  ///
  /// ```swift
  /// for await event in server.events.noted(as: "server events") { … }
  /// ```
  ///
  /// An audited test that leaves such a loop waiting in its task fails with the line of this call. Nothing else changes:
  /// elements, errors, the end and cancellation are those of the sequence.
  ///
  /// - Parameters:
  ///   - name: what a loop waits for, in reports.
  ///   - expectedToLive: why loops are meant to outlive the test scope in which they begin, if so.
  ///   - fileID: where the call is, for reports.
  ///   - line: where the call is, for reports.
  ///   - function: where the call is, for reports.
  /// - Returns: the sequence, which any code may iterate over that may iterate over this one.
  /// - Complexity: O(1) for each element, besides that of the sequence.
  public func noted(
    as name: String,
    expectedToLive: String? = nil,
    fileID: StaticString = #fileID,
    line: UInt = #line,
    function: StaticString = #function
  ) -> NotedSequence<Self> {
    NotedSequence(
      self,
      ConsumerOrigin(
        CallSite(fileID: fileID, line: line, function: function),
        name,
        expectedToLive: expectedToLive
      )
    )
  }
}
