import KVORules
import KVOTrace
import Testing

@Suite("The registrations of one object")
struct SubjectLedgerTests {
  private var words = SampleLog()

  private func at(_ event: Int, thread: UInt64 = 1, order: UInt64? = nil) -> Evidence {
    Evidence(role: .failed, event: event, order: order, thread: ThreadID(thread))
  }

  private mutating func registration(
    _ id: String,
    by observer: String? = "Screen#3",
    _ keyPath: String = "balance",
    context: String? = nil,
    form: Registration.Form = .classic
  ) -> Registration {
    words.registration(id, "Account#12", by: observer, keyPath, context: context, form: form)
  }

  private mutating func removal(context: String? = nil) -> Removal {
    Removal(
      subject: words.object("Account#12"),
      observer: words.object("Screen#3"),
      keyPath: words.names.id(of: "balance"),
      context: words.context(context)
    )
  }

  @Test("two equal registrations take two removals, the newest first")
  mutating func stacking() {
    var ledger = SubjectLedger()
    let first = ledger.add(registration("1"), at: at(1))
    let second = ledger.add(registration("2"), at: at(2))
    #expect(first.verdicts == [])
    #expect(second.verdicts.map(\.brief) == ["KVO005@2"])
    #expect(second.verdicts.first?.detail == .copies(2))
    #expect(second.verdicts.first?.evidence.map(\.role) == [.failed, .registered])
    #expect(ledger.registrations.map(\.id) == [RegistrationID(1), RegistrationID(2)])
    #expect(ledger.remove(removal(), at: at(3)).matched == RegistrationID(2))
    #expect(ledger.remove(removal(), at: at(4)).matched == RegistrationID(1))
    #expect(ledger.remove(removal(), at: at(5)).verdicts.map(\.brief) == ["KVO001@5"])
    #expect(ledger.isEmpty)
  }

  @Test("where the runtime overwrites, one removal ends both, and a second one is not a fault")
  mutating func overwriting() {
    var ledger = SubjectLedger(semantics: .overwriting)
    _ = ledger.add(registration("1"), at: at(1))
    let second = ledger.add(registration("2"), at: at(2))
    #expect(second.verdicts.map(\.brief) == ["KVO005@2"])
    #expect(second.displaced?.id == RegistrationID(1))
    #expect(ledger.count == 1)
    #expect(ledger.remove(removal(), at: at(3)).matched == RegistrationID(2))
    #expect(ledger.isEmpty)
    #expect(ledger.remove(removal(), at: at(4)).verdicts == [])
    #expect(ledger.remove(removal(), at: at(5)).verdicts.map(\.brief) == ["KVO001@5"])
  }

  @Test("adding without a context is adding with NULL")
  mutating func nullContext() {
    var ledger = SubjectLedger()
    _ = ledger.add(registration("1"), at: at(1))
    let duplicate = ledger.add(registration("2", context: "NULL"), at: at(2))
    #expect(duplicate.verdicts.map(\.brief) == ["KVO005@2"])
    #expect(ledger.remove(removal(context: "NULL"), at: at(3)).matched == RegistrationID(2))
    let last = ledger.remove(removal(), at: at(4))
    #expect(last.matched == RegistrationID(1))
    #expect(last.verdicts == [])
  }

  @Test("a second removal carries the removal before it and the registration")
  mutating func doubleRemove() {
    var ledger = SubjectLedger()
    _ = ledger.add(registration("1"), at: at(1))
    _ = ledger.remove(removal(), at: at(2))
    let again = ledger.remove(removal(), at: at(3))
    #expect(again.matched == nil)
    let verdict = again.verdicts.first
    #expect(verdict?.evidence.map(\.role) == [.failed, .removed, .registered])
    #expect(verdict?.evidence.map(\.event) == [3, 2, 1])
    #expect(verdict?.isHistoryLost == false)
  }

  @Test("removed before comes before a wrong context, and names the contexts that are left")
  mutating func precedence() {
    var ledger = SubjectLedger()
    _ = ledger.add(registration("1", context: "a"), at: at(1))
    _ = ledger.add(registration("2", context: "b"), at: at(2))
    _ = ledger.remove(removal(context: "a"), at: at(3))
    let again = ledger.remove(removal(context: "a"), at: at(4)).verdicts
    #expect(again.map(\.brief) == ["KVO001@4"])
    #expect(again.first?.detail == .otherContexts([words.context("b")]))
    let wrong = ledger.remove(removal(context: "c"), at: at(5)).verdicts
    #expect(wrong.map(\.brief) == ["KVO003@5"])
    #expect(wrong.first?.evidence.map(\.event) == [5, 2])
  }

  @Test(
    "after any end that was not a removal, a removal is one too many",
    arguments: [CancelCause.user, .owner, .subject, .token, .observer]
  )
  mutating func removalAfterCancel(cause: CancelCause) {
    var ledger = SubjectLedger()
    _ = ledger.add(registration("1"), at: at(1))
    #expect(ledger.cancel(RegistrationID(1), by: cause, at: at(2)).ended)
    let verdicts = ledger.remove(removal(), at: at(3)).verdicts
    #expect(verdicts.map(\.brief) == ["KVO001@3"])
    #expect(verdicts.first?.evidence.map(\.event) == [3, 2, 1])
    let isDeath = cause == .subject || cause == .observer
    #expect(verdicts.first?.evidence[1].role == (isDeath ? .deallocated : .removed))
  }

  @Test("a removal that pairs with a refused addition is silent, and the next one is not")
  mutating func refusedAddition() {
    var ledger = SubjectLedger()
    let wrong = registration("1", context: "a")
    ledger.noteRefusal(of: wrong)
    #expect(ledger.isEmpty)
    #expect(ledger.remove(removal(context: "b"), at: at(1)).verdicts.map(\.brief) == ["KVO002@1"])
    #expect(ledger.remove(removal(context: "a"), at: at(2)).verdicts.isEmpty)
    #expect(ledger.remove(removal(context: "a"), at: at(3)).verdicts.map(\.brief) == ["KVO002@3"])
    // A live one is removed first, and one that ended does not explain what a refusal does.
    _ = ledger.add(registration("2"), at: at(4))
    ledger.noteRefusal(of: registration("3"))
    #expect(ledger.remove(removal(), at: at(5)).matched == RegistrationID(2))
    #expect(ledger.remove(removal(), at: at(6)).verdicts.isEmpty)
    #expect(ledger.remove(removal(), at: at(7)).verdicts.map(\.brief) == ["KVO001@7"])
  }

  @Test("a token's registration is not removed by name, and cancels once")
  mutating func tokens() {
    var ledger = SubjectLedger()
    _ = ledger.add(registration("1", form: .token), at: at(1))
    #expect(ledger.remove(removal(), at: at(2)).verdicts.map(\.brief) == ["KVO002@2"])
    #expect(ledger.contains(RegistrationID(1)))
    #expect(ledger.cancel(RegistrationID(1), by: .user, at: at(3)).ended)
    let second = ledger.cancel(RegistrationID(1), by: .user, at: at(4))
    #expect(!second.ended)
    #expect(second.verdicts == [])
  }

  @Test("nothing is kept of the end of a token's registration, and it ends once")
  mutating func dropped() {
    var ledger = SubjectLedger()
    let id = RegistrationID(1)
    _ = ledger.add(registration("1", by: nil, form: .token), at: at(1))
    ledger.finishAdding(id)
    let slot = ledger.slot(of: id)
    #expect(ledger.drop(id, by: .user) == slot)
    #expect(!ledger.contains(id))
    #expect(ledger.drop(id, by: .user) == -1)
    #expect(!ledger.cancel(id, by: .user, at: at(2)).ended)
    _ = ledger.add(registration("2", by: nil, form: .token), at: at(3))
    #expect(ledger.slot(of: RegistrationID(2)) == slot, "its slot is free")
  }

  @Test("an end that is judged or remembered is not dropped")
  mutating func notDropped() {
    var ledger = SubjectLedger()
    let id = RegistrationID(1)
    _ = ledger.add(registration("1", by: nil, form: .token), at: at(1))
    ledger.beginInitial(id, at: at(2))
    #expect(ledger.drop(id, by: .user) == -1, "inside its initial delivery: KVO010")
    ledger.endInitial(id)
    #expect(ledger.drop(id, by: .subject) == -1, "its object was deallocated: KVO006")
    #expect(ledger.contains(id))
    _ = ledger.add(registration("2", form: .controller), at: at(3))
    #expect(ledger.drop(RegistrationID(2), by: .owner) == -1, "a removal may name its observer")
    #expect(ledger.contains(RegistrationID(2)))
  }

  @Test("evicted removals cannot be reported, and the verdict says so")
  mutating func historyLost() {
    var ledger = SubjectLedger(historyCapacity: 2)
    for number in 1...3 {
      _ = ledger.add(registration(String(number), context: "c\(number)"), at: at(number * 2))
      _ = ledger.remove(removal(context: "c\(number)"), at: at(number * 2 + 1))
    }
    let forgotten = ledger.remove(removal(context: "c1"), at: at(8)).verdicts
    #expect(forgotten.map(\.brief) == ["KVO002@8"])
    #expect(forgotten.map(\.isHistoryLost) == [true])
    let remembered = ledger.remove(removal(context: "c2"), at: at(9)).verdicts
    #expect(remembered.map(\.brief) == ["KVO001@9"])
    #expect(remembered.map(\.isHistoryLost) == [false])
  }

  @Test("if many objects remember much, each remembers four removals, and says that it lost others")
  mutating func crowdedHistory() {
    var ledger = RegistrationLedger(historyCapacity: 64, totalHistoryCapacity: 100)
    var ended = 0
    for subject in 0..<50 {
      let index = ledger.open(ObjectID(UInt64(subject + 1)), .stacking, hasUnknownPast: false)
      for _ in 0..<10 {
        let slot = ledger.insert(
          registration(String(ended + 1)),
          on: index,
          at: at(ended + 1),
          isBeingAdded: false
        )
        ledger.end(slot, at: at(ended + 1), by: nil)
        ledger.release(slot)
        ended += 1
      }
    }
    #expect(ledger.subjects.prefix(10).map(\.endedCount) == Array(repeating: 10, count: 10))
    #expect(ledger.subjects.dropFirst(10).map(\.endedCount) == Array(repeating: 4, count: 40))
    #expect(ledger.subjects.map(\.hasLostHistory) == (0..<50).map { $0 >= 10 })
    let asked = ledger.open(ObjectID(98), .overwriting, hasUnknownPast: false)
    for _ in 0..<10 {
      let slot = ledger.insert(registration("1"), on: asked, at: at(1), isBeingAdded: false)
      ledger.end(slot, at: at(1), by: .runtime)
      ledger.release(slot)
    }
    #expect(ledger.subjects[asked].endedCount == 10, "the program may still remove these")
    ledger.close(asked)
    for subject in 0..<50 { ledger.close(subject) }
    let index = ledger.open(ObjectID(99), .stacking, hasUnknownPast: false)
    for _ in 0..<10 {
      let slot = ledger.insert(registration("1"), on: index, at: at(1), isBeingAdded: false)
      ledger.end(slot, at: at(1), by: nil)
      ledger.release(slot)
    }
    #expect(ledger.subjects[index].endedCount == 10, "what closed is remembered no longer")
  }

  @Test("a ledger without history knows that it has none")
  mutating func noHistory() {
    var ledger = SubjectLedger(historyCapacity: 0)
    let first = ledger.remove(removal(), at: at(1)).verdicts
    #expect(first.map(\.isHistoryLost) == [false])
    _ = ledger.add(registration("1"), at: at(2))
    _ = ledger.remove(removal(), at: at(3))
    let second = ledger.remove(removal(), at: at(4)).verdicts
    #expect(second.map(\.brief) == ["KVO002@4"])
    #expect(second.map(\.isHistoryLost) == [true])
  }

  @Test("each registration that its object left is a separate verdict")
  mutating func subjectDeath() {
    var ledger = SubjectLedger()
    _ = ledger.add(registration("1", by: "Screen#3"), at: at(1))
    _ = ledger.add(registration("2", by: nil, form: .token), at: at(2))
    let outcome = ledger.subjectDeallocated(at: at(3))
    #expect(outcome.ended.map(\.id) == [RegistrationID(1), RegistrationID(2)])
    #expect(outcome.registered.map(\.event) == [1, 2])
    #expect(outcome.verdicts.map { $0.evidence.map(\.event) } == [[3, 1], [3, 2]])
    #expect(ledger.subjectDeallocated(at: at(4)).verdicts == [])
  }

  @Test("a deallocated observer is reported if nothing else would have cleaned up")
  mutating func observerDeath() {
    var ledger = SubjectLedger()
    let forms: [Registration.Form] = [.classic, .token, .controller, .stream]
    for (index, form) in forms.enumerated() {
      _ = ledger.add(registration("\(index)", "key\(index)", form: form), at: at(index + 1))
    }
    let outcome = ledger.observerDeallocated(words.object("Screen#3").id, at: at(9))
    #expect(outcome.ended.map(\.form) == [.classic, .controller, .stream])
    #expect(outcome.verdicts.map { $0.evidence.map(\.event) } == [[9, 1]])
    #expect(ledger.registrations.map(\.form) == [.token])
  }

  @Test("events of two threads without orders are low confidence, with orders or one thread high")
  mutating func confidence() {
    func twice(_ second: Evidence, _ third: Evidence) -> Confidence? {
      var ledger = SubjectLedger()
      _ = ledger.add(registration("1"), at: at(1, order: 1))
      _ = ledger.remove(removal(), at: second)
      return ledger.remove(removal(), at: third).verdicts.first?.confidence
    }
    #expect(twice(at(2), at(3)) == .high)
    #expect(twice(at(2), at(3, thread: 2)) == .low)
    #expect(twice(at(2, order: 2), at(3, thread: 2, order: 3)) == .high)
    #expect(twice(at(2), at(3, thread: 2, order: 3)) == .low)
  }

  @Test("one of 100,000 registrations goes without a scan")
  mutating func complexity() {
    let count = 100_000
    var ledger = SubjectLedger()
    let observer = words.object("Screen#3")
    for number in 0..<count {
      var one = registration("1")
      one.id = RegistrationID(UInt64(number))
      one.observer = ObjectRef(id: ObjectID(UInt64(1_000 + number)), className: observer.className)
      if number % 2 == 0 { one.observer = observer }
      one.context = .named(StringID(rawValue: UInt32(number % 1_000)))
      _ = ledger.add(one, at: at(number))
    }
    let before = ledger.stepCount
    var ended = 0
    // From the middle outwards: nothing that a scan from either end would find soon.
    for number in (count / 4)..<(count * 3 / 4) {
      let outcome = ledger.cancel(RegistrationID(UInt64(number)), by: .user, at: at(number))
      ended += outcome.ended ? 1 : 0
    }
    var plain = removal()
    for _ in 0..<1_000 {
      ended += ledger.remove(plain, at: at(0)).matched == nil ? 0 : 1
    }
    plain.context = .named(StringID(rawValue: 2))
    for _ in 0..<20 {
      ended += ledger.remove(plain, at: at(0)).matched == nil ? 0 : 1
    }
    #expect(ended == count / 2 + 1_020)
    #expect(ledger.count == count - ended)
    // A verdict about an ambiguous removal lists 8 contexts and looks at 64 registrations for them.
    #expect(ledger.stepCount - before < (count / 2) * 3 + 1_020 * 80)
  }
}
