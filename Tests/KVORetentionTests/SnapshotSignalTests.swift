import CKVORetention
import Glibc
import Testing

@Suite("Signals that request snapshots")
struct SnapshotSignalTests {
  @Test("a signal for which the program set flags, and no handler, ends nothing")
  func flagsWithoutHandler() {
    // Ignored by default.
    let number = SIGWINCH
    var action = sigaction()
    action.sa_flags = SA_SIGINFO
    #expect(sigaction(number, &action, nil) == 0)
    #expect(kvos_request_on_signal(number) == 0)
    #expect(raise(number) == 0)
  }
}
