import KVORecorder
import Synchronization
import TestSupport
import Testing

@testable import KVOSafety

@Suite("Objects on a path that other threads replace")
struct PathRaceTests {
  @Test("an object that is replaced between its being read and being listened to is not followed")
  func replacedWhileFound() {
    let (first, second) = (Step(), Step())
    let middle = Step(first)
    let root = Step()
    nonisolated(unsafe) var heard: [Int] = []
    let token = root.observeOnAnyThread(\.next?.next?.value, options: [.new]) { _, change in
      heard.append((change.newValue ?? nil) ?? 0)
    }
    middle.afterReading = { onThreads(count: 1) { _ in middle.next = second } }
    root.next = middle
    #expect(root.next?.next === second)
    heard = []
    first.value = 6
    second.value = 5
    #expect(heard == [5])
    token.invalidate()
  }

  @Test("the same while the observation is added")
  func replacedWhileAdded() {
    let (first, second) = (Step(), Step())
    let middle = Step(first)
    let root = Step(middle)
    nonisolated(unsafe) var heard: [Int] = []
    middle.afterReading = { onThreads(count: 1) { _ in middle.next = second } }
    let token = root.observeOnAnyThread(\.next?.next?.value, options: [.new]) { _, change in
      heard.append((change.newValue ?? nil) ?? 0)
    }
    first.value = 6
    second.value = 5
    #expect(heard == [5])
    token.invalidate()
  }
}

/// A part of a chain, whose properties several threads may set.
private final class Step: KeyValueObservable, Sendable {
  let observationRegistrar = ObservationRegistrar()
  private static let nextKey = ObservableKey("next", \Step.next)
  private static let valueKey = ObservableKey("value", \Step.value)
  static let observableKeys = ObservableKeyTable(nextKey, valueKey)

  private struct State: Sendable {
    var next: Step?
    var value = 0
    var afterReading: (@Sendable () -> Void)?
  }
  private let state: GuardedState<State>

  init(_ next: Step? = nil) { state = GuardedState(State(next: next)) }

  /// Called once, by the next getter that has read its value, before it returns that.
  var afterReading: (@Sendable () -> Void)? {
    get { state.withLock { $0.afterReading } }
    set { state.withLock { $0.afterReading = newValue } }
  }

  var next: Step? {
    get {
      let (next, act) = state.withLock { state in
        defer { state.afterReading = nil }
        return (state.next, state.afterReading)
      }
      act?()
      return next
    }
    set {
      observationRegistrar.change(Self.nextKey, of: self, value: state.withLock { $0.next }) {
        state.withLock { $0.next = newValue }
      }
    }
  }

  var value: Int {
    get { state.withLock { $0.value } }
    set {
      observationRegistrar.change(Self.valueKey, of: self, value: state.withLock { $0.value }) {
        state.withLock { $0.value = newValue }
      }
    }
  }
}
