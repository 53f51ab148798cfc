import KVORules
import KVOTrace

// The firing logs of values that become others, of threads that meet, and of what shows in the whole.
extension FiringLog {
  // MARK: - Values

  private static let silentWrite = SampleLog {
    $0.register()
    $0.write("a")
    $0.write("b", stack: ["Account.reset() (Account.swift:31)"])
    $0.remove("1")
    $0.exit()
  }

  private static let silentLink = SampleLog {
    $0.register("1", "Account#12", by: "Screen#3", "owner.name")
    $0.attach(to: "Person#5")
    $0.remove("1", "Account#12", by: "Screen#3", "owner.name")
    $0.detach(from: "Person#6")
    $0.exit()
  }

  private static let intermediate = SampleLog {
    $0.register("1", "Account#12", by: "Screen#3", "owner.name")
    $0.attach(to: "Person#5")
    $0.endDeinit("Person#5", stack: ["Bank.close() (Bank.swift:8)"])
    $0.remove("1", "Account#12", by: "Screen#3", "owner.name")
    $0.exit()
  }

  /// `log`, in which the link `owner` depends on `path`, and `key` of `object` is being changed from the event `number` on.
  private static func computed(
    _ log: SampleLog,
    from path: String,
    changing key: String,
    of object: String,
    at number: Int
  ) -> SampleLog {
    log.inserting(before: number + 1) { $0.did(object, key) }
      .inserting(before: number) { $0.will(object, key) }
      .inserting(before: 2) { $0.attach(depth: 0, "owner", to: "Account#12") }
      .inserting(before: 1) { $0.declare("owner", affectedBy: [path]) }
  }

  private static let weakly = intermediate.replacing(2) { $0.attach(to: "Person#5", .weak) }

  /// What keeps the deallocation of an intermediate object silent.
  private static func intermediateTwins(_ log: SampleLog) -> [(name: String, log: SampleLog)] {
    [
      ("detached before", log.inserting(before: 3) { $0.detach(from: "Person#5") }),
      ("another object", log.replacing(3) { $0.endDeinit("Person#6") }),
      (
        "removed before",
        log.without(4).inserting(before: 3) {
          $0.remove("1", "Account#12", by: "Screen#3", "owner.name")
        }
      ),
      (
        "replaced",
        log.inserting(before: 3) { $0.will("Account#12", "owner") }
          .inserting(before: 5) { $0.did("Account#12", "owner") }
      ),
      (
        "a key that the link depends on is being changed",
        computed(log, from: "index", changing: "index", of: "Account#12", at: 3)
      ),
      (
        "a key along a path that the link depends on is being changed",
        computed(log, from: "team.lead", changing: "lead", of: "Team#2", at: 3)
      ),
      ("it ends with its owner", log.without(4).inserting(before: 4) { $0.cancel(by: .owner) }),
    ]
  }

  static let values = [
    FiringLog(
      code: .mutationWithoutNotification,
      log: silentWrite,
      outcome: ["KVO014@3"],
      twins: [
        ("the same value", silentWrite.replacing(3) { $0.write("a") }),
        ("another key", silentWrite.replacing(3) { $0.write("b", "Account#12", "name") }),
        (
          "changed in between",
          silentWrite.inserting(before: 3) { $0.will() }.inserting(before: 4) { $0.did() }
            .inserting(before: 5) { $0.notify() }
        ),
        (
          "a key that it depends on was changed",
          silentWrite.inserting(before: 3) { $0.will("Account#12", "gross") }
            .inserting(before: 4) { $0.did("Account#12", "gross") }
            .inserting(before: 1) { $0.declare("balance", affectedBy: ["gross"]) }
        ),
        (
          "a key along a path that it depends on was changed",
          silentWrite.inserting(before: 3) { $0.will("Person#5", "name") }
            .inserting(before: 4) { $0.did("Person#5", "name") }
            .inserting(before: 1) { $0.declare("balance", affectedBy: ["owner.name"]) }
        ),
        (
          "the link of a path that it depends on was changed",
          silentWrite.inserting(before: 3) { $0.will("Account#12", "owner") }
            .inserting(before: 4) { $0.did("Account#12", "owner") }
            .inserting(before: 1) { $0.declare("balance", affectedBy: ["owner.name"]) }
        ),
        (
          "what a key along a path depends on was changed",
          silentWrite.inserting(before: 3) { $0.will("City#7", "zip") }
            .inserting(before: 4) { $0.did("City#7", "zip") }
            .inserting(before: 1) { $0.declare("balance", affectedBy: ["owner.name"]) }
            .inserting(before: 1) { $0.declare("name", affectedBy: ["city.zip"], by: "Person") }
        ),
        (
          "another object of that number never",
          silentWrite.inserting(before: 3) {
            $0.endDeinit("Account#12")
          }.without(1).without(4)
        ),
      ]
    ),
    FiringLog(
      code: .mutationWithoutNotification,
      log: silentLink.inserting(before: 1) { $0.write("a", "Bank#1", "name") },
      outcome: ["KVO014@5"],
      twins: [
        ("the same object", silentLink.replacing(4) { $0.detach(from: "Person#5") }),
        (
          "changed in between",
          silentLink.inserting(before: 3) { $0.will("Account#12", "owner") }
            .inserting(before: 4) { $0.did("Account#12", "owner") }
        ),
        (
          "a key that the link depends on was changed in between",
          computed(silentLink, from: "index", changing: "index", of: "Account#12", at: 3)
        ),
        (
          "a key along a path that the link depends on was changed in between",
          computed(silentLink, from: "team.lead", changing: "lead", of: "Team#2", at: 3)
        ),
      ]
    ),
    FiringLog(
      code: .deepPathIntermediateDeath,
      log: intermediate,
      outcome: ["KVO015@3"],
      twins: intermediateTwins(intermediate)
    ),
    FiringLog(
      code: .weakLinkSilentlyNil,
      log: weakly,
      outcome: ["KVO016@3"],
      twins: intermediateTwins(weakly) + [
        (
          "notified while the link is deallocated",
          weakly.inserting(before: 3) { $0.beginDeinit("Person#5") }
            .inserting(before: 4) { $0.notify("1") }
            .inserting(before: 5) { $0.notifyEnd("1") }
        )
      ]
    ),
  ]

  // MARK: - Threads

  private static let overlapping = SampleLog {
    $0.will(change: "c", order: 1)
    $0.will(change: "d", thread: "2", order: 2)
    $0.did(change: "c", order: 3)
    $0.did(change: "d", thread: "2", order: 4)
    $0.exit()
  }

  static let commonDependent = SampleLog {
    $0.declare("net", affectedBy: ["gross", "tax"])
    $0.will("Account#12", "gross")
    $0.will("Account#12", "tax", thread: "2")
    $0.did("Account#12", "gross")
    $0.did("Account#12", "tax", thread: "2")
    $0.exit()
  }

  private static let twoRemovals = SampleLog {
    $0.register(order: 1)
    $0.remove("1", order: 2)
    $0.remove(thread: "2", order: 3)
    $0.removeEnd("1", order: 4)
    $0.removeEnd(thread: "2", order: 5)
    $0.exit()
  }

  private static let removalInDeath = SampleLog {
    $0.register()
    $0.beginDeinit("Account#12", stack: ["Bank.close() (Bank.swift:8)"])
    $0.remove("1", thread: "2")
    $0.removeEnd("1", thread: "2")
    $0.endDeinit("Account#12")
    $0.exit()
  }

  private static let deathInRemoval = SampleLog {
    $0.register()
    $0.remove("1", thread: "2")
    $0.beginDeinit("Account#12", stack: ["Bank.close() (Bank.swift:8)"])
    $0.removeEnd("1", thread: "2")
    $0.endDeinit("Account#12")
    $0.exit()
  }

  private static let swizzled = SampleLog {
    $0.changeClass(to: "NSKVONotifying_Account", isKVOSubclass: true)
    $0.register()
    $0.changeClass(to: "Account_Aspects")
    $0.remove("1")
    $0.exit()
  }

  static let threads = [
    FiringLog(
      code: .concurrentChange,
      log: overlapping,
      outcome: ["KVO024@2"],
      twins: [
        (
          "one after the other, by their order",
          overlapping.replacing(2) { $0.will(change: "d", thread: "2", order: 3) }
            .replacing(3) { $0.did(change: "c", order: 2) }
            .twin { $0.events.swapAt(1, 2) }
        ),
        (
          "of another key",
          overlapping.replacing(2) { $0.will("Account#12", "name", thread: "2", order: 2) }
            .replacing(4) { $0.did("Account#12", "name", thread: "2", order: 4) }
        ),
        (
          "of another object",
          overlapping.replacing(2) { $0.will("Account#13", thread: "2", order: 1) }
            .replacing(4) { $0.did("Account#13", thread: "2", order: 2) }
        ),
      ]
    ),
    FiringLog(
      code: .concurrentChange,
      log: commonDependent,
      outcome: ["KVO024@3"],
      twins: [
        (
          "nothing depends on both",
          commonDependent.replacing(1) {
            $0.declare("net", affectedBy: ["gross"])
          }
        ),
        (
          "of another class",
          commonDependent.replacing(1) {
            $0.declare("net", affectedBy: ["gross", "tax"], by: "Bank")
          }
        ),
      ]
    ),
    FiringLog(
      code: .concurrentRemoval,
      log: twoRemovals,
      // That the second removed nothing is reported as well: the live rules see it.
      outcome: ["KVO001@3", "KVO025@3"],
      twins: [
        ("removed once", twoRemovals.without(5).without(3)),
        (
          "another observation",
          twoRemovals.replacing(3) { $0.remove("2", by: "Screen#4", thread: "2", order: 4) }
            .replacing(5) { $0.removeEnd("2", by: "Screen#4", thread: "2") }
            .inserting(before: 2) { $0.register("2", by: "Screen#4", order: 2) }
            .replacing(3) { $0.remove("1", order: 3) }
        ),
      ]
    ),
    FiringLog(
      code: .concurrentRemoval,
      log: removalInDeath,
      outcome: ["KVO025@3"],
      twins: [
        (
          "on the thread of the deallocation",
          removalInDeath.replacing(3) { $0.remove("1") }.replacing(4) { $0.removeEnd("1") }
        ),
        ("another object", removalInDeath.replacing(2) { $0.beginDeinit("Account#13") }),
        (
          "in a callback of a change that the deinit makes, on the thread of its actor",
          removalInDeath.inserting(before: 3) {
            $0.will(change: "c", thread: "2")
            $0.did(change: "c", thread: "2")
            $0.notify("1", change: "c", thread: "2")
          }
        ),
        (
          "in an isolated deinit on that thread, while a third one finds the object being deallocated",
          removalInDeath.inserting(before: 3) { $0.beginDeinit("Account#12", thread: "3") }
            .inserting(before: 3) { $0.beginDeinit("Account#12", thread: "2") }
        ),
      ]
    ),
    FiringLog(
      code: .concurrentRemoval,
      log: deathInRemoval,
      outcome: ["KVO025@2"],
      twins: [
        (
          "removed before",
          deathInRemoval.without(4).inserting(before: 3) {
            $0.removeEnd("1", thread: "2")
          }
        )
      ]
    ),
    FiringLog(
      code: .classChangedUnderObservation,
      log: swizzled,
      outcome: ["KVO030@4"],
      twins: [
        (
          "by the runtime",
          swizzled.replacing(3) {
            $0.changeClass(to: "NSKVONotifying_Account", isKVOSubclass: true)
          }
        ),
        ("back again", swizzled.inserting(before: 4) { $0.changeClass(to: "Account") }),
        ("another object", swizzled.replacing(3) { $0.changeClass("Account#13", to: "Proxy") }),
        ("before", swizzled.without(3).inserting(before: 2) { $0.changeClass(to: "Proxy") }),
      ]
    ),
  ]
}
