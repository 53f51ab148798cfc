import KVORules
import KVOTrace
import Testing

@Suite("Tokens that are deallocated")
struct TokenDeathTests {
  /// A token that is deallocated in the scope in which it was handed out; no `cancel` says so.
  private static let died = SampleLog {
    $0.beginScope("1", name: "test")
    $0.register("2", by: "Screen#4")
    $0.register(by: nil, form: .token, token: "ObservationToken#9")
    $0.notify()
    $0.notifyEnd()
    $0.beginDeinit("ObservationToken#9")
    $0.endDeinit("ObservationToken#9")
    $0.will(change: "c")
    $0.did(change: "c")
    $0.notify("2", change: "c")
    $0.notifyEnd("2", change: "c")
    $0.remove("2", by: "Screen#4")
    $0.endScope("1")
    $0.endDeinit("Account#12")
    $0.exit()
  }

  @Test("end their observation: it misses no change, is not left over, and is on no object")
  func ended() {
    #expect(Self.died.outcome() == [])
    #expect(Self.died.without(7).without(6).outcome() == ["KVO021@11", "KVO006@12", "KVO032@7"])
  }

  @Test("leave nothing over even if the log lacks the end of the deallocation")
  func begun() {
    let log = Self.died.without(9).without(8).without(7)
    #expect(!log.outcome().contains { $0.hasPrefix("KVO021") })
  }

  @Test("end it once, whichever event says so")
  func once() {
    for place in 6...8 {
      let log = Self.died.inserting(before: place) { $0.cancel(by: .token) }
      #expect(log.outcome() == [])
    }
  }

  @Test("are reported if they observed nothing at all")
  func unused() {
    #expect(Self.died.without(5).without(4).outcome() == ["KVO031@5"])
  }

  @Test("deliver nothing afterwards")
  func late() {
    let log = Self.died.inserting(before: 8) { $0.notify() }
    #expect(log.outcome() == ["KVO009@8"])
  }
}
