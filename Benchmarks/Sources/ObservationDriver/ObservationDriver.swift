import BenchmarkDriver
import KVOSafety

/// The cost of observing, compared with other libraries.
///
/// `ObservationDriver <case> <operations> <scratch>`.
@main
enum ObservationDriver {
  static func main() {
    let run = MeasuredRun()
    guard let measure = cases[run.name] else {
      MeasuredRun.fail("no case \"\(run.name)\"; there are \(cases.keys.sorted())", status: 64)
    }
    measure(run)
  }

  private static let cases: [String: @Sendable (MeasuredRun) -> Void] = [
    "plain": { SetCases.plain($0) },
    "unobserved": { SetCases.unobserved($0) },
    "set": { SetCases.observed($0) },
    // The same again, because a row has one target.
    "set-faster": { SetCases.observed($0) },
    "set-faster-notification": { SetCases.observed($0) },
    "set-faster-tracking": { SetCases.observed($0) },
    "set-old-new": { SetCases.observed($0, options: [.old, .new]) },
    "set-prior": { SetCases.observed($0, options: [.prior, .new]) },
    "set-recorded": { SetCases.observed($0, isRecorded: true) },
    "set-recorded-again": { SetCases.observed($0, isRecorded: true) },
    "set-bound": { SetCases.observed($0) },
    "set-no-room": { SetCases.observed($0, isRecorded: true, hasRoom: false) },
    "set-10-bound": { SetCases.observed($0, observers: 10) },
    "set-10-no-room": {
      SetCases.observed($0, observers: 10, isRecorded: true, hasRoom: false)
    },
    "set-10": { SetCases.observed($0, observers: 10) },
    "set-1000": { SetCases.observed($0, observers: 1_000) },
    "set-classic": { FormCases.classicSet($0) },
    "set-controller": { FormCases.controllerSet($0) },
    "set-dependent": { DeepCases.dependent($0) },
    "set-deep": { DeepCases.end($0) },
    "set-middle": { DeepCases.middle($0) },
    "set-element": { DeepCases.element($0) },
    "set-manual": { SetCases.manual($0) },
    "set-thread": { SetCases.onThreads($0, count: 1) },
    "set-threads": { SetCases.onThreads($0, count: 8) },
    "published": { SetCases.published($0) },
    "published-10": { SetCases.published($0, observers: 10) },
    "published-1000": { SetCases.published($0, observers: 1_000) },
    "switch": { DeepCases.switchEnd($0) },
    "switch-middle": { DeepCases.switchMiddle($0) },
    "map": { DeepCases.mapped($0) },
    "tracking-deep": { DeepCases.trackedEnd($0) },
    "notification": { SetCases.posted($0) },
    "tracking": { SetCases.tracked($0) },
    "pair": { AddCases.pair($0) },
    "pair-faster-notification": { AddCases.pair($0) },
    "pair-faster-gnustep": { AddCases.pair($0) },
    "pair-recorded": { AddCases.pair($0, isRecorded: true) },
    "cycle": { AddCases.cycle($0) },
    "cycle-recorded": { AddCases.cycle($0, isRecorded: true) },
    "cycle-no-room": { AddCases.cycle($0, isRecorded: true, hasRoom: false) },
    "pair-100000": { AddCases.pair($0, others: 100_000) },
    "pair-deep": { DeepCases.pair($0) },
    "pair-deep-classic": { FormCases.classicDeepPair($0) },
    "pair-dependent": { DeepCases.dependentPair($0) },
    "pair-controller": { FormCases.controllerPair($0) },
    "pair-initial": { FormCases.initialPair($0) },
    "pair-classic": { FormCases.classicPair($0) },
    "add": { AddCases.additions($0) },
    "switch-pair": { DeepCases.switchPair($0) },
    "map-pair": { DeepCases.mapPair($0) },
    "sink-pair": { AddCases.sinkPair($0) },
    "notification-pair": { AddCases.notificationPair($0) },
    "iterate": { ParkCases.plain($0) },
    "iterate-wrapped": { ParkCases.wrapped($0) },
    "iterate-noted": { ParkCases.noted($0) },
    "iterate-noted-recorded": { ParkCases.noted($0, isRecorded: true) },
    "take-buffered": { ParkCases.buffered($0) },
    "take-values": { ParkCases.values($0) },
    "take-values-recorded": { ParkCases.values($0, isRecorded: true) },
    "count-parked": { ParkCases.count($0) },
    "memory": { MemoryCase.registrations($0) },
  ]
}
