import BenchmarkDriver
import Dispatch
import Glibc
import KVOSafety
import Synchronization

/// The cost of counting the loops that wait.
enum ParkCases {
  /// Has the next element at once, so that nothing but the loop is measured.
  private struct Numbers: AsyncSequence, AsyncIteratorProtocol, Sendable {
    typealias Element = Int
    typealias Failure = Never
    var next: Int
    let end: Int

    func makeAsyncIterator() -> Numbers { self }

    @inline(never)
    mutating func next(isolation actor: isolated (any Actor)?) async -> Int? {
      guard next < end else { return nil }
      defer { next += 1 }
      return next
    }
  }

  /// Passes the elements of another sequence on, as a noted sequence does, and notes nothing.
  private struct Wrapped<Base: AsyncSequence & Sendable>: AsyncSequence, Sendable {
    typealias Element = Base.Element
    typealias Failure = Base.Failure
    let base: Base

    struct Iterator: AsyncIteratorProtocol {
      typealias Element = Base.Element
      typealias Failure = Base.Failure
      var base: Base.AsyncIterator

      mutating func next(
        isolation actor: isolated (any Actor)?
      ) async throws(Failure) -> Element? {
        do {
          return try await base.next(isolation: actor)
        } catch {
          throw error
        }
      }
    }

    func makeAsyncIterator() -> Iterator { Iterator(base: base.makeAsyncIterator()) }
  }

  /// Never has an element.
  private struct Nothing: AsyncSequence, AsyncIteratorProtocol, Sendable {
    typealias Element = Int
    typealias Failure = Never

    func makeAsyncIterator() -> Nothing { self }

    mutating func next(isolation actor: isolated (any Actor)?) async -> Int? {
      await withUnsafeContinuation { (continuation: UnsafeContinuation<Int?, Never>) in
        waitingCount.add(1, ordering: .relaxed)
      }
    }
  }

  // relaxed: counts the loops that are about to wait.
  private static let waitingCount = Atomic<Int>(0)

  /// One operation is the wait for one element of a plain sequence.
  static func plain(_ run: MeasuredRun) {
    iterate(run, Numbers(next: 0, end: run.operationCount))
  }

  /// The same of one in another.
  static func wrapped(_ run: MeasuredRun) {
    iterate(run, Wrapped(base: Numbers(next: 0, end: run.operationCount)))
  }

  /// The same of a noted one, which stores before and after that whether it waits.
  static func noted(_ run: MeasuredRun, isRecorded: Bool = false) {
    if isRecorded { record(in: run) }
    iterate(run, Numbers(next: 0, end: run.operationCount).noted(as: "numbers"))
    KVO.stopRecording()
  }

  /// One operation takes one element of a stream that has all of them.
  static func buffered(_ run: MeasuredRun) {
    let (stream, continuation) = AsyncStream.makeStream(of: Int.self)
    for value in 0..<run.operationCount { continuation.yield(value) }
    continuation.finish()
    iterate(run, stream)
  }

  /// The same of the values of a property, which were set before.
  static func values(_ run: MeasuredRun, isRecorded: Bool = false) {
    var model: Model? = Model()
    let values = model?.values(for: \.value)
    for value in 1..<run.operationCount { if let model { set(model, value) } }
    // Ends the values.
    model = nil
    if isRecorded { record(in: run) }
    if let values { iterate(run, values) }
    KVO.stopRecording()
  }

  private static func iterate<Values: AsyncSequence & Sendable>(
    _ run: MeasuredRun,
    _ values: Values
  ) where Values.Element == Int, Values.Failure == Never {
    let done = DispatchSemaphore(value: 0)
    Task {
      // No task is suspended, so that the loop stays on this thread.
      let start = MeasuredRun.nanoseconds(CLOCK_THREAD_CPUTIME_ID)
      var sum = 0
      for await value in values { sum &+= value }
      let time = MeasuredRun.nanoseconds(CLOCK_THREAD_CPUTIME_ID) - start
      guard sum == run.operationCount * (run.operationCount - 1) / 2 else {
        MeasuredRun.fail("an element was lost")
      }
      run.report(threadNanoseconds: time, processNanoseconds: time)
      done.signal()
    }
    done.wait()
  }

  /// One operation is one loop that waits and is counted.
  static func count(_ run: MeasuredRun) {
    let nothing = Nothing().noted(as: "nothing")
    for _ in 0..<run.operationCount { Task { for await _ in nothing {} } }
    while waitingCount.load(ordering: .relaxed) < run.operationCount { usleep(1000) }
    var parked: [KVO.ParkedConsumers] = []
    run.measure { parked = KVO.parked() }
    guard parked.map(\.count) == [run.operationCount] else {
      MeasuredRun.fail("counted \(parked)")
    }
  }
}
