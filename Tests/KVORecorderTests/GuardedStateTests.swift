import Dispatch
import Foundation
import KVORecorder
import Testing

@Suite("A guarded state") struct GuardedStateTests {
  private final class Box: Sendable {
    let state = GuardedState(1)
  }

  @Test("is given if no thread holds its lock, and is not waited for if one does")
  func availability() {
    let box = Box()
    let (isHeld, mayEnd, hasEnded) = (
      DispatchSemaphore(value: 0), DispatchSemaphore(value: 0), DispatchSemaphore(value: 0)
    )
    Thread.detachNewThread {
      box.state.withLock { _ in
        isHeld.signal()
        mayEnd.wait()
      }
      hasEnded.signal()
    }
    isHeld.wait()
    #expect(box.state.withLockIfAvailable { $0 } == nil)
    mayEnd.signal()
    hasEnded.wait()
    #expect(box.state.withLockIfAvailable { $0 } == 1)
  }
}
