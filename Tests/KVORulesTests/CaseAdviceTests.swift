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
        report.contains("Screen#3 asked for a property \(way) that is no observable key"),
        "\(report)"
      )
      #expect(report.contains("Fix: end the key path at a property of an observable class;"))
    }
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
