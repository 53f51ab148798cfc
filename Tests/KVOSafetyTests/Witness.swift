import Glibc
import KVORecorder
import KVORules
import KVOTrace

@testable import KVOSafety

/// Collects the verdicts about one object while `body` runs, whichever tests run beside it.
func verdicts(
  about subject: any KeyValueObservable,
  _ body: () throws -> Void
) rethrows -> [Verdict] {
  let id = subject.storage.record.ref.id
  return try verdicts(onAnyThread: true, where: { $0.subject?.id == id }, body)
}

/// Collects the verdicts that match while `body` runs.
///
/// - Parameters:
///   - onAnyThread: whether those of other threads count too. Other tests run there: say so only if `isMeant` compares
///     the identifier of an object of the test.
///   - isMeant: whether a verdict matches.
///   - body: what causes them.
/// - Returns: the verdicts, in their order.
func verdicts(
  onAnyThread: Bool = false,
  where isMeant: @escaping @Sendable (Verdict) -> Bool,
  _ body: () throws -> Void
) rethrows -> [Verdict] {
  let collected = GuardedState<[Verdict]>([])
  let box = Box(collected)
  let thread = pthread_self()
  let witness = LiveMonitor.shared.addWitness { verdict in
    guard onAnyThread || pthread_equal(thread, pthread_self()) != 0 else { return }
    if isMeant(verdict) { box.add(verdict) }
  }
  defer { LiveMonitor.shared.removeWitness(witness) }
  RecordingScope.willOpen()
  try RecordingScope.$ofTask.withValue(ScopeID(ObjectTable.shared.nextNumber())) { try body() }
  return box.all
}

private final class Box: Sendable {
  private let state: GuardedState<[Verdict]>
  init(_ state: consuming GuardedState<[Verdict]>) { self.state = state }
  func add(_ verdict: Verdict) { state.withLock { $0.append(verdict) } }
  var all: [Verdict] { state.withLock { $0 } }
}
