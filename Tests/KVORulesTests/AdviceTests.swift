import KVOTrace
import Testing

@testable import KVORules

/// What a finding advises, in the calls of who reads it.
@Suite("Advice")
struct AdviceTests {
  private func hint(
    _ form: Registration.Form,
    on subject: String = "Account#12",
    by observer: String? = "Screen#3",
    stack: [String] = ["f() (A.swift:1)"],
    recorded: Profile = .swift,
    ends: Bool = true
  ) -> String? {
    let log = SampleLog {
      $0.beginScope("1")
      $0.register("1", subject, by: observer, form: form, stack: stack)
      if ends { $0.endScope("1") } else { $0.endDeinit(subject, stack: stack) }
    }
    let builder = FindingBuilder(names: log.names, profile: .swift, recorded: recorded)
    return log.verdicts().first.map(builder.finding)?.hint
  }

  @Test("of a registration that is left is in the calls that made it")
  func forms() throws {
    let lines: [(Registration.Form, String)] = [
      (.classic, #"`account.removeObserver(self, forKeyPath: "balance")`"#),
      (.token, "`token.invalidate()`"), (.controller, "`observations.unobserveAll()`"),
      (.stream, "`task.cancel()`"),
    ]
    for (form, line) in lines {
      let advice = try #require(hint(form, by: form == .classic ? "Screen#3" : nil))
      #expect(advice.contains(line), "\(form): \(advice)")
      for (other, foreign) in lines where other != form && form != .classic {
        #expect(!advice.contains(foreign), "\(form): \(advice)")
      }
    }
    let center = try #require(hint(.classic, on: "NotificationCenter#1"))
    #expect(center.contains("`center.removeObserver(observation)`"))
    #expect(!center.contains("removeObserver(self"))
  }

  @Test(
    "of a path that was refused names the class, or says whose it is",
    arguments: Profile.allCases
  )
  func refused(recorded: Profile) throws {
    let log = SampleLog { $0.refuse(.unknownKey, part: "balanse") }
    let verdict = try #require(log.verdicts().first)
    let builder = FindingBuilder(names: log.names, profile: .swift, recorded: recorded)
    let named = builder.finding(for: verdict).hint
    #expect(
      named.contains("give Account an observable property")
        || named.contains("give Account a property")
    )
    var nameless = verdict
    for subject in [nil, ObjectRef(id: ObjectID(12), className: .none)] {
      nameless.subject = subject
      let advice = builder.finding(for: nameless).hint
      #expect(
        advice.contains("give the class of the observed object an observable property")
          || advice.contains("give the class of the observed object a property")
      )
    }
  }

  @Test("to an Objective-C program is in Objective-C")
  func objectiveC() throws {
    for (recorded, stack) in [
      (Profile.gnustep128, ["f (a.m:1)"]), (.appleModern, ["-[Screen show] (Screen.m:1)"]),
    ] {
      let advice = try #require(hint(.classic, stack: stack, recorded: recorded, ends: false))
      #expect(advice.contains(#"[account removeObserver:self forKeyPath:@"balance"]"#))
      #expect(!advice.contains("account.removeObserver"))
    }
    let swift = try #require(
      hint(.classic, stack: ["Screen.show() (Screen.swift:1)"], recorded: .appleModern, ends: false)
    )
    #expect(swift.contains("account.removeObserver(self"))
    let m = try #require(
      hint(.classic, stack: ["show (Screen.mm:1)"], recorded: .appleModern, ends: false)
    )
    #expect(m.contains(#"[account removeObserver:self forKeyPath:@"balance"]"#))
  }

  @Test("to a program that observes through Foundation names no call of this library")
  func foundation() throws {
    let own = [
      "keyPath:", ".handled", "invalidateAndWait", "expectedToLive", "observeOnMainActor",
      "ObservationContext", "isolation:", "observeEach", "observations.",
    ]
    let remaining = RuleCatalogue.entries.filter { RuleAdvice.foundation($0.code) == nil }
    // Rules that a Foundation's log never has, or whose catalogue entry has advice of its own for it.
    let others: Set<RuleCode> = [.uncompliantPath]
    for entry in remaining where !others.contains(entry.code) {
      #expect(own.allSatisfy { !entry.hint.contains($0) }, "\(entry.code): \(entry.hint)")
    }
    for entry in RuleCatalogue.entries {
      let advice = RuleAdvice.foundation(entry.code) ?? ""
      #expect(own.allSatisfy { !advice.contains($0) }, "\(advice)")
    }
    let left = try #require(hint(.classic, recorded: .appleModern))
    #expect(left.contains(#"`account.removeObserver(self, forKeyPath: "balance")`"#))
    #expect(left.contains("`NSKeyValueObservation`"))
  }

  @Test(
    "has no name that no one would give",
    arguments: [
      ("UITableView#1", "…"), ("NSUserDefaults#1", "…"), ("URLSession#1", "…"),
      ("_Private#1", "…"), ("Account#1", "account"), ("Bank.Box<Int>#1", "box"), ("X#1", "x"),
    ]
  )
  func names(subject: String, name: String) throws {
    let advice = try #require(hint(.classic, on: subject))
    #expect(advice.contains("`\(name).removeObserver(self"), "\(advice)")
  }

  @Test("says who observes without an observer: a closure, a stream, a block")
  func observers() throws {
    for (form, subject, name) in [
      (Registration.Form.token, "Account#1", "A closure"), (.stream, "Account#1", "A stream"),
      (.token, "NotificationCenter#1", "A block"),
    ] {
      let log = SampleLog {
        $0.beginScope("1")
        $0.register("1", subject, by: nil, form: form)
        $0.endScope("1")
      }
      let builder = FindingBuilder(names: log.names, profile: .swift)
      let finding = try #require(log.verdicts().first.map(builder.finding))
      #expect(finding.message.hasPrefix("\(name) still observed "))
    }
  }

  @Test(
    "calls a variable as its class, where programmers would, whatever a pseudonym looks like",
    arguments: [
      ("Account", "account"), ("N5abc", "n5abc"), ("Na5bc", "na5bc"), ("A", "a"),
      ("App.Box<Int>", "box"), ("UITableView", "…"), ("NSObject", "…"), ("account", "…"),
      ("App.Box<Int>.Row", "row"), ("App.Box<(Int) -> App.Box<Int>>.Row", "row"), ("Case", "…"),
      ("App.Import", "…"), ("Register", "register"), ("", "…"), ("Self", "…"),
    ]
  )
  func variable(className: String, name: String) {
    #expect(SourceLanguage.swift.variable(of: className) == name)
  }

  @Test(
    "calls no variable of Objective-C as its keywords and those of C++",
    arguments: [
      ("Account", "account"), ("Register", "…"), ("Template", "…"), ("Friend", "…"), ("Id", "…"),
      ("Import", "import"), ("Guard", "guard"), ("Case", "…"), ("UITableView", "…"),
    ]
  )
  func objectiveCVariable(className: String, name: String) {
    #expect(SourceLanguage.objectiveC.variable(of: className) == name)
    let advice = hint(.observedDeinitWhileObserved, on: className, recorded: .gnustepModern)
    #expect(advice.contains("`[\(name) removeObserver:self"), "\(advice)")
  }

  private func hint(
    _ code: RuleCode,
    on subject: String = "Account",
    path: String = "balance",
    context: String? = nil,
    others: [String] = [],
    recorded: Profile = .swift
  ) -> String {
    var names = TraceNames()
    let verdict = Verdict(
      code,
      subject: ObjectRef(id: ObjectID(1), className: names.id(of: subject)),
      observer: ObjectRef(id: ObjectID(2), className: names.id(of: "Screen")),
      keyPath: names.id(of: path),
      context: context.map { .named(names.id(of: $0)) } ?? .null,
      evidence: [],
      detail: others.isEmpty ? .none : .otherContexts(others.map { .named(names.id(of: $0)) })
    )
    return FindingBuilder(names: names, profile: .swift, recorded: recorded).finding(for: verdict)
      .hint
  }

  @Test("adds under the context that the removal names, since another would not match (KVO003)")
  func additionUnderContext() {
    let swift = hint(.removeUnregistered, context: "Self.own#7")
    #expect(
      swift.contains(#"`account.addObserver(self, forKeyPath: "balance", context: Self.own)`"#)
    )
    #expect(hint(.removeUnregistered).contains(#"addObserver(self, forKeyPath: "balance")`"#))
    let foundation = hint(.removeUnregistered, context: "&own", recorded: .appleModern)
    #expect(foundation.contains("options: [], context: &own)`"))
    let objectiveC = hint(.removeUnregistered, context: "0x7f00", recorded: .gnustep128)
    #expect(objectiveC.contains("options:0 context:…]`"))
  }

  @Test(
    "removes under the context of the registration, since what has none may take another (KVO004)",
    arguments: [
      RuleCode.observedDeinitWhileObserved, .observerDeinitWhileRegistered, .leakedRegistration,
    ]
  )
  func removalUnderContext(code: RuleCode) {
    let contexts = [
      ("Self.own#7", "Self.own"), ("own#7", "…"), ("&own", "&own"), ("0x7f00", "…"),
      ("context#7", "…"),
    ]
    for (name, argument) in contexts {
      let line = #"account.removeObserver(self, forKeyPath: "balance", context: \#(argument))"#
      for recorded in [Profile.swift, .appleModern] {
        let advice = hint(code, context: name, recorded: recorded)
        #expect(advice.contains(line), "\(recorded): \(advice)")
      }
      let modern = hint(code, context: name, recorded: .gnustepModern)
      #expect(
        modern.contains(
          #"[account removeObserver:self forKeyPath:@"balance" context:\#(argument)]"#
        ),
        "\(modern)"
      )
      // GNUstep 1.28 declares no removal with a context.
      let old = hint(code, context: name, recorded: .gnustep128)
      #expect(old.contains(#"[account removeObserver:self forKeyPath:@"balance"]"#), "\(old)")
    }
    let none = hint(code)
    #expect(none.contains(#"account.removeObserver(self, forKeyPath: "balance")"#), "\(none)")
  }

  @Test("removes an observation of itself under its context")
  func ownRemovalUnderContext() {
    var names = TraceNames()
    let account = ObjectRef(id: ObjectID(1), className: names.id(of: "Account"))
    let verdict = Verdict(
      .observedDeinitWhileObserved,
      subject: account,
      observer: account,
      keyPath: names.id(of: "balance"),
      context: .named(names.id(of: "Self.own#7")),
      evidence: []
    )
    let swift = #"`deinit { removeObserver(self, forKeyPath: "balance", context: Self.own) }`"#
    let lines: [(Profile, String)] = [
      (.swift, swift), (.appleModern, swift),
      (.gnustepModern, #"`[self removeObserver:self forKeyPath:@"balance" context:Self.own]`"#),
      (.gnustep128, #"`[self removeObserver:self forKeyPath:@"balance"]`"#),
    ]
    for (recorded, line) in lines {
      let builder = FindingBuilder(names: names, profile: .swift, recorded: recorded)
      let advice = builder.finding(for: verdict).hint
      #expect(advice.contains(line), "\(advice)")
    }
  }

  @Test(
    "names a context only if its name can be an argument",
    arguments: [
      ("Screen.own#7", "Screen.own"), ("own#7", "…"), ("&own", "&own"), ("context#7", "…"),
      ("main screen#7", "…"), ("0x7f00", "…"), ("2nd#7", "…"), ("default#7", "…"), ("#7", "…"),
    ]
  )
  func context(name: String, argument: String) {
    let advice = hint(.removeWrongContext, others: [name])
    #expect(advice.contains("context: \(argument))`"), "\(advice)")
  }

  @Test("leaves open which key of a deep path a line names")
  func deepPath() {
    let change = hint(.priorWithoutAfter, path: "owner.name")
    #expect(change.contains(#"didChangeValue(forKey: "…")"#), "\(change)")
    #expect(hint(.priorWithoutAfter).contains(#"didChangeValue(forKey: "balance")"#))
    // A key path of Swift needs a question mark after an optional owner, which a log does not have.
    let hop = hint(.offExecutorDelivery, path: "owner.name")
    #expect(hop.contains(#"observeOnMainActor(\.…)"#), "\(hop)")
    #expect(hint(.offExecutorDelivery).contains(#"observeOnMainActor(\.balance)"#))
  }

  @Test("fills in every placeholder, for every rule and reader")
  func placeholders() {
    for log in FiringLog.all.map(\.log) {
      for verdict in log.verdicts() {
        for form in [nil] + Registration.Form.allCases.map(Optional.some) {
          for recorded in Profile.allCases {
            var verdict = verdict
            verdict.form = form
            let builder = FindingBuilder(names: log.names, profile: .swift, recorded: recorded)
            let hint = builder.finding(for: verdict).hint
            #expect(!hint.contains("{subject}") && !hint.contains("{Subject}"))
            #expect(!hint.contains("{observer}") && !hint.contains("{keyPath}"))
            #expect(hint.count { $0 == "`" }.isMultiple(of: 2))
          }
        }
      }
    }
  }
}
