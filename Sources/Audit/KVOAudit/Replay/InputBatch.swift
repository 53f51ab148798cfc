private import Dispatch
import KVOFindings
import KVORules
private import KVOSystem
import KVOTrace

#if canImport(FoundationEssentials)
private import class FoundationEssentials.ProcessInfo
#else
private import class Foundation.ProcessInfo
#endif

/// Several inputs, replayed concurrently.
///
/// Each input is read by one thread from its beginning to its end, and judged by one: the same, or, if there are
/// processors for it, a second one (``ReplayThread``). So the findings are those of a single thread. State that the
/// threads share is guarded by a lock:
/// - `next`, `waiting` and `givenCount`, under `lock`, and so are the calls of `take`: the results of the inputs are
///   passed on in order, and kept only until it is their turn;
/// - the resolver, which caches the images that it read, inside ``SharedResolver``;
/// - the caller's progress closure, under `progressLock`, separate from the others because it may draw.
final class InputBatch: @unchecked Sendable {
  // Sendable: mutable state is guarded by the locks above; everything else is set in init.

  private let inputs: [AuditInput]
  private let options: AuditOptions
  private let resolver: SharedResolver?
  private let importer: (any TextImporter)?
  private let progress: Audit.Progress?
  private let progressLock = ThreadCondition()
  private let lock = ThreadCondition()
  private var next = 0
  private var waiting: [Int: Result<InputReplay.Outcome, InputFailure>] = [:]
  private var givenCount = 0

  init(
    _ inputs: [AuditInput],
    options: AuditOptions,
    resolver: (any FrameResolver)?,
    importer: (any TextImporter)?,
    progress: Audit.Progress?
  ) {
    self.inputs = inputs
    self.options = options
    self.resolver = resolver.map { SharedResolver($0) }
    self.importer = importer
    self.progress = progress
  }

  /// Replays all inputs and returns when that is done.
  ///
  /// Works on this thread and on as many others as `workerCount` and the machine allow.
  ///
  /// - Parameters:
  ///   - workerCount: how many threads there are at a time; nil: as many as there are processors.
  ///   - take: is given the result of each input, in their order, by one thread at a time.
  func replayAll(
    workerCount: Int?,
    _ take: (AuditInput, Result<InputReplay.Outcome, InputFailure>) -> Void
  ) {
    let most = workerCount ?? ProcessInfo.processInfo.activeProcessorCount
    withoutActuallyEscaping(take) { take in
      // The threads have ended when this returns, and `lock` admits one of them at a time.
      nonisolated(unsafe) let take = take
      let readerCount = max(1, min(inputs.count, most))
      DispatchQueue.concurrentPerform(iterations: readerCount) { _ in
        while let index = takeNext() {
          let result = replay(inputs[index], judgesBeside: most >= 2 * readerCount)
          lock.withLock {
            waiting[index] = result
            while let next = waiting.removeValue(forKey: givenCount) {
              take(inputs[givenCount], next)
              givenCount += 1
            }
          }
        }
      }
    }
  }

  private func takeNext() -> Int? {
    lock.withLock {
      guard next < inputs.count else { return nil }
      next += 1
      return next - 1
    }
  }

  /// Replays one input; `judgesBeside`: if it is large, on two threads.
  private func replay(
    _ input: AuditInput,
    judgesBeside: Bool
  ) -> Result<InputReplay.Outcome, InputFailure> {
    let replay = ReplayThread(
      InputReplay(options: options, resolver: resolver),
      mayStart: judgesBeside
    )
    let importer = importer?.reader(profile: options.profile, appModules: options.appModules)
    let text = importer.map { reader in
      { (bytes: ArraySlice<UInt8>) in
        reader.read(bytes)
        return !reader.isRefused
      }
    }
    let source = LogSource(input, text: text) { read, total in
      self.progressLock.withLock { self.progress?(input.label, read, total) }
    }
    do throws(InputFailure) {
      let reading = try source.read { replay.take($0, names: $1) }
      if reading.kind.isText, let importer {
        var outcome = try InputReplay.Outcome(importer.finish(), label: input.label)
        outcome.input.damaged += reading.problems
        outcome.input.damageCount += reading.problemCount
        if options.countsByOrigin {
          outcome.count(
            by: LogOrigin(outcome.findings, path: input.label, pattern: options.pathPattern)
          )
        }
        return .success(outcome)
      }
      return .success(replay.finish(reading, label: input.label))
    } catch {
      replay.abandon()
      return .failure(error)
    }
  }
}

/// A resolver that several threads may call.
private final class SharedResolver: FrameResolver {
  private let resolver: any FrameResolver
  private let lock = ThreadCondition()

  init(_ resolver: any FrameResolver) { self.resolver = resolver }

  func frames(at returnAddress: UInt64, in module: Module) -> [SourceFrame] {
    lock.withLock { resolver.frames(at: returnAddress, in: module) }
  }

  func problem(with module: Module) -> String? {
    lock.withLock { resolver.problem(with: module) }
  }
}
