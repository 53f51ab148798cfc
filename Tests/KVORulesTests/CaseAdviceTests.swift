import KVOTrace
import Testing

@testable import KVORules

/// Advice that depends on the case, and not on the rule alone.
@Suite("Advice for a case")
struct CaseAdviceTests {
  private func hint(
    _ code: RuleCode = .uncompliantPath,
    recorded: Profile = .swift,
    _ events: (inout SampleLog) -> Void
  ) throws -> String {
    let log = SampleLog(events)
    let verdict = try #require(log.verdicts().first { $0.code == code })
    return FindingBuilder(names: log.names, profile: .swift, recorded: recorded).finding(
      for: verdict
    ).hint
  }

  @Test(
    "about a key path that names nothing does not repeat it",
    arguments: [Profile.swift, .gnustep128]
  )
  func noKey(recorded: Profile) throws {
    for reason in [RefusalReason.nilKeyPath, .emptyKeyPath] {
      let advice = try hint(recorded: recorded) { $0.refuse(reason, part: "", "") }
      #expect(advice == "name the property to observe: a key path that is nil or empty names none")
    }
  }

  @Test("about a key that is missing names the class that lacks it, as far as the log says")
  func missingKey() throws {
    let cases = [
      ("balanse", "balanse", "give Account an observable property \"balanse\""),
      ("owner.nam", "nam", "give the class of \"owner\" an observable property \"nam\""),
      ("owner.boss.nam", "nam", "give the class of \"owner.boss\" an observable property \"nam\""),
      (
        "owner..nam", "",
        "give Account an observable property of that name: it must name one at every step"
      ),
    ]
    for (keyPath, part, text) in cases {
      let advice = try hint { $0.refuse(.unknownKey, part: part, keyPath) }
      #expect(advice.hasPrefix("correct \"\(keyPath)\", or "), "\(advice)")
      #expect(advice.contains(text), "\(advice)")
      let foreign = try hint(recorded: .appleModern) { $0.refuse(.unknownKey, part: part, keyPath) }
      #expect(!foreign.contains("macro") && !foreign.contains("observable property"), "\(foreign)")
    }
  }

  @Test("about a key that GNUstep 1.28 cannot spell names another one, and no other runtime's does")
  func beyondASCII() throws {
    let advice = try hint(recorded: .gnustep128) { $0.refuse(.notObservable, part: "", "größe") }
    #expect(
      advice
        == "give \"größe\" a name in ASCII: GNUstep 1.28 raises an exception for every other key"
    )
    for (recorded, key) in [(Profile.gnustep128, "groesse"), (.gnustepModern, "größe")] {
      let other = try hint(recorded: recorded) { $0.refuse(.unknownKey, part: "", key) }
      #expect(!other.contains("ASCII"), "\(other)")
    }
  }

  @Test("about a typed key path whose end has no name is not spelled as a key")
  func unnamedEnd() throws {
    for (keyPath, way) in [
      ("title → a member of String", "of String, from Account#12 through \"title\","),
      ("owner → pet → a member of Pet", "of Pet, from Account#12 through \"owner.pet\","),
      ("a member of Account", "of Account, from Account#12,"),
    ] {
      let log = SampleLog { $0.refuse(.unknownKey, part: keyPath, keyPath) }
      let report = log.report()
      #expect(
        report.contains("Screen#3 asked for a property \(way) that is not an observable key"),
        "\(report)"
      )
      #expect(report.contains("Fix: end the key path at a property of an observable class;"))
    }
  }

  @Test("about a class that lists no keys itself says that it needs the macro")
  func unmarkedClass() throws {
    let keyPath = "a member of Savings, which has only inherited keys"
    let report = SampleLog { $0.refuse(.unknownKey, part: keyPath, keyPath) }.report()
    #expect(
      report.contains(
        "asked for a property of Savings, from Account#12, but Savings has only the keys of its superclass"
      ),
      "\(report)"
    )
    #expect(report.contains("Fix: attach `@KeyValueObservable` to Savings itself:"), "\(report)")
  }

  @Test("about a key that depends on one that does not exist names the latter")
  func wrongDependency() throws {
    let report = SampleLog { $0.refuse(.unknownKey, part: "cents", "summary") }.report()
    #expect(
      report.contains(
        "asked for \"summary\" of Account#12, which depends on \"cents\", but there is no such key"
      ),
      "\(report)"
    )
    let advice = try hint { $0.refuse(.unknownKey, part: "cents", "summary") }
    #expect(advice.hasPrefix("correct \"cents\" where \"summary\" is declared to depend on it"))
    let foreign = try hint(recorded: .appleModern) {
      $0.refuse(.unknownKey, part: "cents", "summary")
    }
    #expect(!foreign.contains("affectedBy"), "\(foreign)")
  }

  @Test("about a collection says what can be observed instead")
  func collection() throws {
    let advice = try hint { $0.refuse(.throughCollection, part: "entries", "entries.amount") }
    #expect(advice.hasPrefix("end the key path at the collection \"entries\""))
    let foreign = try hint(recorded: .gnustep128) {
      $0.refuse(.notObservable, part: "count", "count")
    }
    #expect(foreign.contains("a collection itself cannot be observed"))
    let itself = try hint { $0.refuse(.notObservable, part: "", "count") }
    #expect(itself == foreign)
  }

  @Test(
    "about an object that was deallocated while it observed itself does not advise it to hold itself"
  )
  func ownDeath() throws {
    for (recorded, line) in [
      (Profile.swift, #"`deinit { removeObserver(self, forKeyPath: "balance") }`"#),
      (.gnustep128, #"`[self removeObserver:self forKeyPath:@"balance"]`"#),
    ] {
      let own = try hint(.observedDeinitWhileObserved, recorded: recorded) {
        $0.register("1", "Account#12", by: "Account#12", form: .classic)
        $0.endDeinit("Account#12", stack: ["Bank.close() (Bank.swift:8)"])
      }
      #expect(own.contains("add to Account") && own.contains(line), "\(own)")
      #expect(!own.contains("hold it"))
      let other = try hint(.observedDeinitWhileObserved, recorded: recorded) {
        $0.register("1", "Account#12", by: "Screen#3", form: .classic)
        $0.endDeinit("Account#12", stack: ["Bank.close() (Bank.swift:8)"])
      }
      #expect(other.contains("or let Screen hold it"))
    }
  }

  @Test("about a cycle without a closure does not advise a weak capture")
  func cycleWithoutClosure() throws {
    func advice(_ kind: String, recorded: Profile = .swift) throws -> String {
      try hint(.observationRetainCycle, recorded: recorded) {
        $0.hold("Screen#3", "\(kind):Holder#4", label: "holder")
        $0.hold("\(kind):Holder#4", "Screen#3", label: "observed")
        $0.exit()
      }
    }
    for kind in ["registry", "token"] {
      let own = try advice(kind)
      #expect(own.hasPrefix("make the reference \"observed\" of Holder to Screen weak"), "\(own)")
    }
    for recorded in [Profile.appleModern, .gnustepModern] {
      let foreign = try advice("registry", recorded: recorded)
      #expect(foreign.contains("`KVOControllerNonRetaining`") && !foreign.contains("capture"))
    }
    let captured = try hint(.observationRetainCycle) {
      $0.hold("Screen#3", "token:Token#4", label: "token")
      $0.hold("token:Token#4", "closure:handler#5", label: "handler")
      $0.hold("closure:handler#5", "Screen#3", label: "self")
      $0.exit()
    }
    #expect(captured.contains("[weak self]"), "\(captured)")
  }

  @Test("of a log that does not say its runtime is in the language of the calls")
  func unsaidRuntime() throws {
    func advice(_ registered: String, _ deallocated: String, at site: String = "") throws -> String
    {
      try hint(.observerDeinitWhileRegistered) {
        $0.register(at: site, stack: registered.isEmpty ? [] : [registered])
        $0.endDeinit("Screen#3", stack: deallocated.isEmpty ? [] : [deallocated])
        $0.exit()
      }
    }
    let dealloc = "-[Screen dealloc] (Screen.m:41)"
    let line = "[account removeObserver:self"
    #expect(try advice("-[Screen setAccount:] (Screen.m:20)", dealloc).contains(line))
    #expect(try advice("", "", at: "Screen.m:20").contains(line))
    #expect(try advice("", dealloc).contains(line))
    // Code in Objective-C may deallocate what observes through this library.
    #expect(try !advice("Screen.init() (Screen.swift:12)", dealloc).contains(line))
  }

  @Test("about a token or a controller of Foundation names no removal by name, which would raise")
  func formsOfFoundation() throws {
    let cases: [(Registration.Form, String, String)] = [
      (.token, "S.f() (S.swift:1)", "`token.invalidate()`"),
      (.token, "-[S f] (S.m:1)", "`[token invalidate]`"),
      (.controller, "S.f() (S.swift:1)", #"`unobserve(account, keyPath: "balance")`"#),
      (.controller, "-[S f] (S.m:1)", #"`[controller unobserve:account keyPath:@"balance"]`"#),
    ]
    for (form, frame, line) in cases {
      let left = try hint(.leakedRegistration, recorded: .appleModern) {
        $0.beginScope("s")
        $0.register(form: form, scope: "s", stack: [frame])
        $0.endScope("s")
      }
      let orphaned = try hint(.observedDeinitWhileObserved, recorded: .appleModern) {
        $0.register(form: form, stack: [frame])
        $0.endDeinit("Account#12")
      }
      for advice in [left, orphaned] {
        #expect(advice.contains(line) && !advice.contains("removeObserver"), "\(advice)")
      }
    }
  }

  @Test("about an exception does not ask Swift to catch one of Objective-C")
  func exceptionInSwift() throws {
    func advice(_ frame: String) throws -> String {
      try hint(.callbackRaised, recorded: .appleModern) {
        $0.register(stack: [frame])
        $0.notify()
        $0.notifyEnd(exception: "NSRangeException")
        $0.exit()
      }
    }
    #expect(try advice("S.f() (S.swift:1)").hasPrefix("make sure that nothing in"))
    #expect(try advice("-[S f] (S.m:1)").hasPrefix("catch the exception inside"))
  }

  @Test("about a change inside a callback for the same key says when to make it")
  func nested() throws {
    func report(_ key: String, recorded: Profile = .gnustep128) throws -> Finding {
      let log = SampleLog {
        $0.register("1")
        $0.register("2", "Account#12", by: "Screen#3", key)
        $0.will(change: "c")
        $0.did(change: "c")
        $0.notify("1", change: "c")
        $0.will("Account#12", key, change: "d")
        $0.did("Account#12", key, change: "d")
        $0.notifyEnd("1", change: "c")
        $0.exit()
      }
      let verdict = try #require(log.verdicts().first { $0.code == .missedDelivery })
      return FindingBuilder(names: log.names, profile: .swift, recorded: recorded)
        .finding(for: verdict)
    }
    let own = try report("balance")
    #expect(own.message.contains("of Account#12, made inside a callback for the same key"))
    #expect(own.hint.hasPrefix("make the change when the callback has returned, for instance by"))
    #expect(own.hint.contains("`[self performSelector:@selector(…) withObject:nil afterDelay:0];`"))
    let swift = try report("balance", recorded: .appleModern)
    #expect(swift.hint.contains("`DispatchQueue.main.async { … }`"), "\(swift.hint)")
    // Without any ends, the callback may have returned.
    let unsaid = try hint(.missedDelivery, recorded: .appleModern) {
      $0.register()
      $0.will(change: "c")
      $0.did(change: "c")
      $0.notify(change: "c")
      $0.will(change: "d")
      $0.did(change: "d")
      $0.exit()
    }
    #expect(!unsaid.contains("has returned"), "\(unsaid)")
    let other = try report("name")
    #expect(!other.message.contains("inside"), "\(other.message)")
    #expect(other.hint.hasPrefix("look at what else happened to the observers of the Account"))
  }

  @Test("about a change that never ends covers an exception, which `defer` does not in Objective-C")
  func unended() throws {
    let objectiveC = try hint(.unbalancedChange, recorded: .gnustep128) {
      $0.will()
      $0.exit()
    }
    #expect(objectiveC.contains(#"@finally { [self didChangeValueForKey:@"balance"]; }"#))
    #expect(objectiveC.hasSuffix("check the value before it is set"))
    let ended = try hint(.unbalancedChange, recorded: .gnustep128) { $0.did() }
    #expect(ended.hasPrefix("bracket the change on one thread"))
    let swift = try hint(.unbalancedChange) {
      $0.will()
      $0.exit()
    }
    #expect(swift.contains("defer {"))
  }

  @Test("calls an object that observes itself self")
  func ownName() throws {
    let advice = try hint(.leakedRegistration) {
      $0.beginScope("1")
      $0.register("1", "Account#12", by: "Account#12", form: .classic)
      $0.endScope("1")
    }
    #expect(advice.contains(#"`self.removeObserver(self, forKeyPath: "balance")`"#), "\(advice)")
  }

  @Test("about a removal that several match names a context that one of them has")
  func ambiguous() throws {
    for (contexts, code) in [
      ([Context.null, .named(.none)], "Screen.own"), ([.named(.none), .null], "Screen.own"),
      ([.null], "nil"),
    ] {
      var names = TraceNames()
      let own = names.id(of: "Screen.own#4")
      let verdict = Verdict(
        .ambiguousRemove,
        subject: ObjectRef(id: ObjectID(1), className: names.id(of: "Account")),
        observer: ObjectRef(id: ObjectID(2), className: names.id(of: "Screen")),
        keyPath: names.id(of: "balance"),
        evidence: [],
        detail: .otherContexts(contexts.map { $0.isNamed ? .named(own) : $0 })
      )
      let advice = FindingBuilder(names: names, profile: .swift).finding(for: verdict).hint
      #expect(advice.hasSuffix("context: \(code))`"), "\(advice)")
    }
  }
}
