import KVOFindings
import KVOReplay
import KVORules
import KVOTrace
import Testing

@Suite("One fault that several events show")
struct OneFaultOnceTests {
  @Test("is one KVO012 if a change ends after it was reported as open, or on another thread")
  func change() {
    let scoped = SampleLog {
      $0.beginScope("s")
      $0.will(change: "c", scope: "s")
      $0.endScope("s")
      $0.did(change: "c")
      $0.exit()
    }
    #expect(scoped.outcome() == ["KVO012@2"])
    #expect(
      scoped.inserting(before: 5) { $0.did(change: "c") }.outcome() == ["KVO012@2", "KVO012@5"]
    )
    let elsewhere = SampleLog {
      $0.will(change: "c")
      $0.did(change: "c", thread: "2")
      $0.exit()
    }
    #expect(elsewhere.outcome() == ["KVO012@2"])
    #expect(
      elsewhere.replacing(2) { $0.did(change: "d", thread: "2") }.outcome() == [
        "KVO012@2", "KVO012@1",
      ]
    )
    let deallocated = SampleLog {
      $0.will(change: "c")
      $0.endDeinit("Account#12")
      $0.did(change: "c")
      $0.exit()
    }
    #expect(deallocated.outcome() == ["KVO012@1"])
    // Without a number it may be of another object at that address.
    let unnumbered = deallocated.replacing(1) { $0.will() }.replacing(3) { $0.did() }
    #expect(unnumbered.outcome() == ["KVO012@1", "KVO012@3"])
  }

  @Test("is one KVO013 only if no notification comes after a change that was announced twice")
  func announcedTwice() {
    let log = SampleLog {
      $0.register(options: [.prior])
      $0.will(change: "c")
      $0.notify("1", .prior, change: "c")
      $0.notifyEnd("1", .prior, change: "c", handled: true)
      $0.notify("1", .prior, change: "c")
      $0.notifyEnd("1", .prior, change: "c", handled: true)
      $0.did(change: "c")
      $0.notify("1", change: "c")
      $0.notifyEnd("1", change: "c", handled: true)
      $0.exit()
    }
    #expect(log.outcome() == [])
    #expect(log.without(9).without(8).outcome() == ["KVO013@7"])
  }

  @Test("is a KVO017, not a KVO039, if the exception is that of an unhandled notification")
  func unhandled() {
    func log(handled: Bool?) -> SampleLog {
      SampleLog {
        $0.process(runtime: .apple)
        $0.register()
        $0.notify()
        $0.notifyEnd(handled: handled, exception: "NSInternalInconsistencyException")
      }
    }
    #expect(log(handled: false).outcome() == ["KVO017@4"])
    #expect(log(handled: true).outcome() == ["KVO039@4"])
  }

  @Test("is a KVO039 with the change that the exception left before it was made (KVO012)")
  func abandonedChange() {
    /// The findings as `KVO001`, with what follows in brackets.
    func findings(_ log: SampleLog) -> [String] {
      let builder = FindingBuilder(names: log.names, profile: .gnustep128)
      var folder = FindingFolder()
      for verdict in log.verdicts() { folder.add(builder.finding(for: verdict)) }
      return folder.findings.map { "\($0.code.rawValue) \($0.consequences.map(\.code.rawValue))" }
    }
    let log = SampleLog {
      $0.process(runtime: .gnustep128)
      $0.register("1", options: [.prior])
      $0.registerEnd("1")
      $0.will(change: "c")
      $0.notify("1", .prior, change: "c")
      $0.notifyEnd("1", .prior, change: "c", exception: "Brittle")
      $0.remove("1")
      $0.exit()
    }
    #expect(log.outcome() == ["KVO039@6", "KVO012@4"])
    #expect(findings(log) == ["KVO039 [\"KVO012\"]"])
    // So does one that no class handled, for which the runtime raises.
    let unhandled = log.replacing(6) { $0.notifyEnd("1", .prior, change: "c", handled: false) }
    #expect(findings(unhandled) == ["KVO017 [\"KVO012\"]"])
    // A caller that catches the exception may end the change.
    let ended = log.inserting(before: 7) { $0.did(change: "c") }
      .inserting(before: 8) { $0.notify("1", change: "c") }
      .inserting(before: 9) { $0.notifyEnd("1", change: "c", handled: true) }
    #expect(findings(ended) == ["KVO039 []"])
    // Another change that is open is its caller's to end.
    let other = log.inserting(before: 4) { $0.will("Account#12", "name", change: "b") }
    #expect(findings(other).sorted() == ["KVO012 []", "KVO039 [\"KVO012\"]"])
  }

  @Test("is one KVO021 if a registration that a scope left is live at the exit, too")
  func leak() {
    let log = SampleLog {
      $0.beginScope("s")
      $0.register("1", scope: "s")
      $0.endScope("s")
      $0.register("2", "Account#13")
      $0.exit()
    }
    #expect(log.outcome(options: .init(judgesLeaksAtExit: true)) == ["KVO021@3", "KVO021@5"])
  }

  @Test("is one KVO041 if a consumer that waits in vain is listed twice")
  func parked() {
    let log = SampleLog {
      $0.beginScope("s")
      $0.consume("7", scope: "s")
      $0.park("7", isOrphaned: true, isLeft: true, scope: "s")
      $0.park("7", isOrphaned: true, isLeft: true, scope: "s")
      $0.exit()
    }
    #expect(log.outcome() == ["KVO041@3"])
  }

  @Test(
    "is a KVO029 without the removal that pairs with it, whether others were carried out before or after"
  )
  func refused() {
    let log = SampleLog {
      $0.refuse(.unknownKey, part: "", "balance")
      $0.register()
      $0.remove()
      $0.remove()
      $0.exit()
    }
    #expect(log.outcome() == ["KVO029@1"])
    let later = SampleLog {
      $0.register()
      $0.refuse(.unknownKey, part: "", "balance")
      $0.remove()
      $0.remove()
      $0.exit()
    }
    #expect(later.outcome() == ["KVO029@2"])
    #expect(later.inserting(before: 5) { $0.remove() }.outcome() == ["KVO029@2", "KVO001@5"])
  }

  @Test("is a KVO029, and not also a KVO013, if a path is led to an object without its key")
  func refusedOnTheWay() {
    let log = SampleLog {
      $0.register(options: [.prior])
      $0.will(change: "c")
      $0.notify("1", .prior, change: "c")
      $0.notifyEnd("1", .prior, change: "c", handled: true)
      $0.did(change: "c")
      $0.refuse(.unknownKey, part: "name", "owner.name")
      $0.notify("1", .after, change: "c")
      $0.notifyEnd("1", .after, change: "c", handled: true)
      $0.remove("1")
      $0.exit()
    }
    #expect(log.outcome() == ["KVO029@6"])
  }

  @Test("is a KVO004 that lists first the registration that was taken")
  func taken() {
    let log = SampleLog {
      $0.register("1", context: "a")
      $0.register("2", context: "b")
      $0.remove("1")
      $0.remove("2", context: "b")
      $0.exit()
    }
    #expect(log.outcome() == ["KVO004@3"])
    #expect(
      log.report().contains(
        "registered under context a and context b, and the first of these was taken"
      )
    )
  }
}
