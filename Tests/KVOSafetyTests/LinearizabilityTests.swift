import Foundation
import KVORecorder
import KVOTrace
import TestSupport
import Testing

@testable import KVOSafety

@Suite("The checker of histories")
struct LinearizabilityCheckerTests {
  typealias Call = HistoryCall<RegistrationLife.Operation>

  private func isExplained(_ calls: Call...) -> Bool {
    LinearizabilityChecker<RegistrationLife>.explains(calls)
  }

  private func call(_ began: Int, _ ended: Int, _ operation: RegistrationLife.Operation) -> Call {
    Call(began: began, ended: ended, operation: operation)
  }

  @Test("explains sequential operations, and overlapping ones, in either order")
  func right() {
    #expect(isExplained())
    #expect(
      isExplained(
        call(0, 1, .change(isNotified: false)),
        call(2, 3, .add),
        call(4, 5, .change(isNotified: true)),
        call(6, 7, .remove),
        call(8, 9, .change(isNotified: false))
      )
    )
    for isNotified in [true, false] {
      #expect(isExplained(call(0, 5, .add), call(1, 4, .change(isNotified: isNotified))))
      #expect(
        isExplained(
          call(0, 1, .add),
          call(2, 6, .remove),
          call(3, 5, .change(isNotified: isNotified))
        )
      )
    }
    #expect(isExplained(call(0, 1, .add), call(2, 6, .remove), call(3, 7, .remove)))
  }

  @Test("finds a delivery that began after the removal had returned")
  func late() {
    #expect(
      !isExplained(call(0, 1, .add), call(2, 3, .remove), call(4, 5, .change(isNotified: true)))
    )
  }

  @Test("finds a delivery from before the registration was requested")
  func early() {
    #expect(!isExplained(call(0, 1, .change(isNotified: true)), call(2, 3, .add)))
  }

  @Test("finds a change that was missed between addition and removal")
  func missed() {
    #expect(
      !isExplained(call(0, 1, .add), call(2, 3, .change(isNotified: false)), call(4, 5, .remove))
    )
  }

  @Test("finds two changes that contradict each other about one removal")
  func contradiction() {
    #expect(
      !isExplained(
        call(0, 1, .add),
        call(2, 9, .remove),
        call(3, 4, .change(isNotified: false)),
        call(5, 6, .change(isNotified: true))
      )
    )
    #expect(
      isExplained(
        call(0, 1, .add),
        call(2, 9, .remove),
        call(3, 4, .change(isNotified: true)),
        call(5, 6, .change(isNotified: false))
      )
    )
  }
}

@Suite("Histories of threads that observe, change and end")
struct HistoryTests {
  @Test(
    "can be explained, registration by registration",
    arguments: [NotifyingForm.setter, .halves]
  )
  func explained(form: NotifyingForm) {
    for _ in 0..<StressSize.rounds {
      let history = SharedHistory()
      let counter = LockedCounter(form)
      onThreads(count: 4) { index in
        for round in 0..<4 {
          if index < 2 {
            history.note(.changeBegan)
            counter.value = index * 10 + round
            history.note(.changeEnded)
          } else {
            let number = index * 10 + round
            history.note(.addBegan(number))
            let token = counter.observeOnAnyThread(\.value) { _, _ in history.note(.told(number)) }
            history.note(.addEnded(number))
            history.note(.removeBegan(number))
            token.invalidate()
            history.note(.removeEnded(number))
          }
        }
      }
      for (number, calls) in history.callsByRegistration {
        let isExplained = LinearizabilityChecker<RegistrationLife>.explains(calls)
        #expect(isExplained, "registration \(number): \(calls)")
      }
    }
  }

  @Test(
    "an observer that is added while the value changes is notified of the change, at first or later",
    arguments: [NotifyingForm.setter, .halves]
  )
  func neverMisses(form: NotifyingForm) {
    for round in 1...StressSize.rounds {
      let counter = LockedCounter(form)
      let heard = HeardValues()
      nonisolated(unsafe) var token: ObservationToken?
      onThreads(count: 2) { index in
        if index == 0 {
          counter.value = round
        } else {
          token = counter.observeOnAnyThread(\.value, options: [.initial, .new]) { _, change in
            if let value = change.newValue { heard.add(value) }
          }
        }
      }
      #expect(heard.all.contains(round))
      token?.invalidate()
    }
  }
}

/// The values that an observer heard of, on whatever thread.
private final class HeardValues: Sendable {
  private let values = GuardedState<[Int]>([])
  var all: [Int] { values.withLock { $0 } }
  func add(_ value: Int) { values.withLock { $0.append(value) } }
}

/// What happened, in one order that agrees with the order of every thread.
private final class SharedHistory: Sendable {
  enum Moment {
    case changeBegan
    case changeEnded
    case told(Int)
    case addBegan(Int)
    case addEnded(Int)
    case removeBegan(Int)
    case removeEnded(Int)
  }

  private let moments = GuardedState<[(thread: ThreadID, moment: Moment)]>([])

  func note(_ moment: Moment) {
    let thread = Recorder.currentThread
    moments.withLock { $0.append((thread, moment)) }
  }

  /// The calls that concern each registration: its addition, its removal, and every change, which notified
  /// its observer at the moment when the handler began, or ended without.
  var callsByRegistration: [Int: [HistoryCall<RegistrationLife.Operation>]] {
    let all = moments.withLock { $0 }
    var began: [String: Int] = [:]
    var spans: [Int: [HistoryCall<RegistrationLife.Operation>]] = [:]
    var changes: [(began: Int, ended: Int, told: [Int: Int])] = []
    var open: [ThreadID: (began: Int, told: [Int: Int])] = [:]
    for (now, entry) in all.enumerated() {
      switch entry.moment {
      case .changeBegan: open[entry.thread] = (now, [:])
      case .told(let number): open[entry.thread]?.told[number] = now
      case .changeEnded:
        if let change = open.removeValue(forKey: entry.thread) {
          changes.append((change.began, now, change.told))
        }
      case .addBegan(let number): began["add \(number)"] = now
      case .removeBegan(let number): began["remove \(number)"] = now
      case .addEnded(let number):
        spans[number, default: []]
          .append(HistoryCall(began: began["add \(number)"] ?? now, ended: now, operation: .add))
      case .removeEnded(let number):
        spans[number, default: []]
          .append(
            HistoryCall(began: began["remove \(number)"] ?? now, ended: now, operation: .remove)
          )
      }
    }
    for number in spans.keys {
      for change in changes {
        let told = change.told[number]
        spans[number]?
          .append(
            HistoryCall(
              began: change.began,
              ended: told ?? change.ended,
              operation: .change(isNotified: told != nil)
            )
          )
      }
    }
    return spans
  }
}
