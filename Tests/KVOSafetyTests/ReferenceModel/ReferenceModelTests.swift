import Foundation
import KVORecorder
import KVOReplay
import KVORules
import KVOTrace
import TestSupport
import Testing

@testable import KVOSafety

@Suite("Random programs, judged by a reference model")
struct ReferenceModelTests {
  /// How many programs are run; `make reference-model` runs a hundred thousand.
  private static let count =
    ProcessInfo.processInfo.environment["KVO_SAFETY_MODEL"].flatMap(Int.init) ?? 2_000

  @Test("notify the expected observers, with the expected values")
  func unrecorded() { expectAgreement(isRecorded: false) }

  @Test("the same while a log is kept, which shows no fault that the program does not have")
  func recorded() { expectAgreement(isRecorded: true) }

  private func expectAgreement(isRecorded: Bool) {
    for seed in 0..<UInt64(Self.count / 2) {
      var generator = ModelGenerator(seed: isRecorded ? ~seed : seed)
      let program = generator.program()
      guard let error = Self.error(of: program, isRecorded: isRecorded) else { continue }
      let smallest = Self.shrink(program) { Self.error(of: $0, isRecorded: isRecorded) != nil }
      let last = Self.error(of: smallest, isRecorded: isRecorded) ?? error
      Issue.record("seed \(seed): \(last) in \(smallest)")
      return
    }
  }

  /// The first fault in a run, or nil if there is none.
  private static func error(of program: [ModelStep], isRecorded: Bool) -> String? {
    let scope = ScopeID(ObjectTable.shared.nextNumber())
    RecordingScope.willOpen()
    return RecordingScope.$ofTask.withValue(scope) {
      guard isRecorded else { return ModelRun.errors(of: program).first }
      let memory = EventMemory()
      Recorder.shared.attach(memory)
      let errors = ModelRun.errors(of: program)
      Recorder.shared.detach(memory)
      return errors.first ?? falseFinding(in: memory.events.filter { $0.scope == scope })
    }
  }

  /// What these programs never do, whatever else they do.
  private static let impossible: Set<RuleCode> = [
    .doubleRemove, .removeUnregistered, .removeWrongContext, .deliveryToDead, .deliveryAfterRemove,
    .registrationRace, .unbalancedChange, .mutationWithoutNotification,
    .deepPathIntermediateDeath, .unhandledNotification, .offExecutorDelivery, .concurrentChange,
    .concurrentRemoval, .missedDelivery,
  ]

  private static func falseFinding(in events: [Event]) -> String? {
    var found: String?
    var replay = OrderedReplay()
    func see(_ verdict: Verdict) {
      if impossible.contains(verdict.code) { found = found ?? "false \(verdict.code.rawValue)" }
    }
    for (index, event) in events.enumerated() {
      replay.take(event, number: index + 1) { see($0) }
    }
    replay.finish { see($0) }
    return found
  }

  // MARK: Shrinking

  /// A part of `program` that fails, and of which no part does.
  static func shrink(_ program: [ModelStep], _ fails: ([ModelStep]) -> Bool) -> [ModelStep] {
    var smallest = program
    var isSmaller = true
    while isSmaller {
      isSmaller = false
      for part in parts(of: smallest) where fails(part) {
        smallest = part
        isSmaller = true
        break
      }
    }
    return smallest
  }

  /// The program with one step less, or with a callback that does one thing less.
  private static func parts(of program: [ModelStep]) -> [[ModelStep]] {
    var parts: [[ModelStep]] = []
    for index in program.indices {
      var part = program
      part.remove(at: index)
      parts.append(part)
      guard case .add(var registration) = program[index] else { continue }
      for place in registration.script.indices {
        let script = registration.script
        registration.script.remove(at: place)
        part = program
        part[index] = .add(registration)
        parts.append(part)
        registration.script = script
      }
    }
    return parts
  }
}
