import Foundation
import KVORecorder
import KVOTrace
import Synchronization
import TestSupport
import Testing

@testable import KVOSafety

/// How much the tests of threads do: a little by default, as much as the environment asks for.
///
/// `make thread-sanitizer` for four times as much, `make stress` for the ten million that the design asks for.
enum StressSize {
  static let operations =
    ProcessInfo.processInfo.environment["KVO_SAFETY_STRESS"].flatMap(Int.init) ?? 10_000
  static var rounds: Int { max(100, operations / 200) }
}

/// How a property notifies: by its setter, or by two halves around the assignment.
enum NotifyingForm: CaseIterable, Sendable {
  case setter
  case halves
}

/// A property that any thread may set, and that notifies in one of two forms.
final class LockedCounter: KeyValueObservable, @unchecked Sendable {
  // Sendable: `number` is under a lock of its own.
  let observationRegistrar = ObservationRegistrar()
  static let valueKey = ObservableKey("value", \LockedCounter.value)
  static let observableKeys = ObservableKeyTable(
    valueKey,
    ObservableKey("half", \LockedCounter.half, affectedBy: ["value"])
  )
  private let form: NotifyingForm
  private let number = GuardedState(0)

  init(_ form: NotifyingForm) { self.form = form }

  var value: Int {
    get { number.withLock { $0 } }
    set {
      switch form {
      case .setter:
        guard observationRegistrar.wasEverObserved else {
          number.withLock { $0 = newValue }
          // Another thread may have begun to observe in between.
          observationRegistrar.change(Self.valueKey, of: self, value: value) {}
          return
        }
        observationRegistrar.change(Self.valueKey, of: self, value: value) {
          number.withLock { $0 = newValue }
        }
      case .halves:
        willChangeValue(for: \.value)
        number.withLock { $0 = newValue }
        didChangeValue(for: \.value)
      }
    }
  }

  var half: Int { value / 2 }
}

@Suite("Threads that do everything at once", .serialized)
struct StressTests {
  @Test("add, remove, change and deallocate on eight threads", arguments: NotifyingForm.allCases)
  func everything(form: NotifyingForm) {
    let shared = (0..<4).map { _ in LockedCounter(form) }
    let late = Atomic<Int>(0)
    let captured = Counted.liveCount
    onThreads(count: 8) { index in
      var random = SystemRandomNumberGenerator()
      var tokens: [(token: ObservationToken, hasEnded: Ended)] = []
      let listener = Listener()
      for step in 0..<(StressSize.operations / 8) {
        let counter = shared[Int.random(in: 0..<shared.count, using: &random)]
        switch Int.random(in: 0..<10, using: &random) {
        case 0, 1:
          let ended = Ended()
          let counted = Counted()
          let options = ObservingOptions(rawValue: UInt.random(in: 0..<16, using: &random))
          let keyPath = Bool.random(using: &random) ? \LockedCounter.value : \.half
          let token = counter.observeOnAnyThread(keyPath, options: options) { _, _ in
            if ended.value { late.wrappingAdd(1, ordering: .relaxed) }
            withExtendedLifetime(counted) {}
          }
          tokens.append((token, ended))
        case 2, 3:
          guard let (token, ended) = tokens.popLast() else { continue }
          token.invalidateAndWait()
          ended.value = true
        case 4:
          counter.addObserver(listener, forKeyPath: "value", options: [.new])
          counter.removeObserver(listener, forKeyPath: "value", context: nil)
        case 5:
          let own = LockedCounter(form)
          let token = own.observeOnAnyThread(\.value) { _, _ in }
          own.value = step
          withExtendedLifetime(own) { token.invalidate() }
        case 6:
          // An object that is deallocated together with its observation ends it, and reports that.
          let own = LockedCounter(form)
          let token = own.observeOnAnyThread(\.value) { _, _ in }
          token.invalidate()
        default:
          counter.value = index &+ step
        }
        if tokens.count > 16 { tokens.removeFirst().token.invalidate() }
      }
    }
    #expect(late.load(ordering: .relaxed) == 0)
    for counter in shared { #expect(KVO.census(of: counter).isEmpty) }
    #expect(Counted.liveCount == captured, "what handlers captured is released")
  }

  @Test("a removal that waits returns after the callback, on any thread")
  func waits() {
    for form in NotifyingForm.allCases {
      let counter = LockedCounter(form)
      let isInside = Ended()
      let mayLeave = Ended()
      let hasLeft = Ended()
      let token = counter.observeOnAnyThread(\.value) { _, _ in
        isInside.value = true
        while !mayLeave.value { sched_yield() }
        hasLeft.value = true
      }
      onThreads(count: 2) { index in
        guard index == 0 else {
          counter.value = 1
          return
        }
        while !isInside.value { sched_yield() }
        // Not waited for: the callback continues.
        token.invalidate()
        #expect(!hasLeft.value)
        mayLeave.value = true
        token.invalidateAndWait()
        #expect(hasLeft.value)
      }
      counter.value = 2
    }
  }

  @Test("a handler is released when its last callback has ended, and not under it")
  func releases() {
    let counter = LockedCounter(.setter)
    let before = Counted.liveCount
    nonisolated(unsafe) var token: ObservationToken?
    do {
      let counted = Counted()
      token = counter.observeOnAnyThread(\.value) { _, _ in
        token?.invalidate()
        token = nil
        #expect(Counted.liveCount == before + 1)
        withExtendedLifetime(counted) {}
      }
    }
    counter.value = 1
    #expect(Counted.liveCount == before)
  }
}

/// A mark that threads set and read.
private final class Ended: Sendable {
  private let storage = Atomic<Bool>(false)
  var value: Bool {
    get { storage.load(ordering: .acquiring) }
    set { storage.store(newValue, ordering: .releasing) }
  }
}

/// Counts its instances.
private final class Counted: Sendable {
  private static let live = Atomic<Int>(0)
  static var liveCount: Int { live.load(ordering: .sequentiallyConsistent) }
  init() { Self.live.wrappingAdd(1, ordering: .sequentiallyConsistent) }
  deinit { Self.live.wrappingSubtract(1, ordering: .sequentiallyConsistent) }
}
