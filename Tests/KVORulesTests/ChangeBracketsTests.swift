import KVORules
import KVOTrace
import Testing

@Suite("The open changes of one thread")
struct ChangeBracketsTests {
  private var words = SampleLog()

  private mutating func change(
    _ key: String,
    _ id: UInt64? = nil,
    of subject: String = "A#1"
  )
    -> Change
  {
    Change(
      subject: words.object(subject),
      key: words.names.id(of: key),
      id: id.map { ChangeID($0) }
    )
  }

  private func at(_ event: Int) -> Evidence { Evidence(role: .failed, event: event) }

  @Test("changes that nest are silent, also of one key")
  mutating func nesting() {
    var brackets = ChangeBrackets()
    for event in 1...3 { brackets.will(change("a"), at: at(event)) }
    for event in 4...6 { #expect(brackets.did(change("a"), at: at(event)) == []) }
    #expect(brackets.did(change("a"), at: at(7)).map(\.detail) == [.change(.didWithoutWill)])
  }

  @Test("halves with different numbers do not belong together, one without a number fits any")
  mutating func numbers() {
    var brackets = ChangeBrackets()
    brackets.will(change("a", 1), at: at(1))
    let verdicts = brackets.did(change("a", 2), at: at(2))
    #expect(
      verdicts.map(\.detail) == [.change(.mismatched(begun: .setting, ended: .setting))]
    )
    #expect(verdicts.first?.evidence.map(\.event) == [2, 1])
    #expect(verdicts.first?.evidence.map(\.role) == [.failed, .changed])
    #expect(brackets.did(change("b", 2), at: at(2)).map(\.detail) == [.change(.didWithoutWill)])
    #expect(brackets.did(change("a"), at: at(3)) == [])
    #expect(brackets.isEmpty)
  }

  @Test("a change that ends too early is reported once, with both beginnings")
  mutating func outOfOrder() {
    var brackets = ChangeBrackets()
    brackets.will(change("a"), at: at(1))
    brackets.will(change("b"), at: at(2))
    brackets.will(change("c"), at: at(3))
    let verdicts = brackets.did(change("a"), at: at(4))
    #expect(verdicts.map(\.detail) == [.change(.crossed(inner: words.names.id(of: "c"), of: nil))])
    #expect(verdicts.first?.evidence.map(\.event) == [4, 1, 3])
    #expect(verdicts.first?.evidence.map(\.role) == [.failed, .changed, .changed])
    #expect(brackets.did(change("c"), at: at(5)) == [])
    #expect(brackets.did(change("b"), at: at(6)) == [])
  }

  /// Halves of different keys are matched apart on every runtime, those of one key are not.
  @Test("changes of one key that cross are worse than those of several, or of two objects")
  mutating func crossing() {
    var brackets = ChangeBrackets()
    for (number, event) in [(1, 1), (2, 2)] as [(UInt64, Int)] {
      brackets.will(change("a", number), at: at(event))
    }
    brackets.will(change("b", 3), at: at(3))
    let verdicts = brackets.did(change("a", 1), at: at(4))
    #expect(verdicts.map(\.detail) == [.change(.outOfOrder)])
    #expect(verdicts.first?.evidence.map(\.event) == [4, 1, 2])
    brackets.will(change("b", of: "A#2"), at: at(5))
    let other = brackets.did(change("b", 3), at: at(6))
    #expect(
      other.map(\.detail)
        == [.change(.crossed(inner: words.names.id(of: "b"), of: words.object("A#2")))]
    )
    let severities = (verdicts + other).map { RuleCatalogue.severity(of: $0, under: .appleModern) }
    #expect(severities == [.error, .warning])
  }

  @Test("changes that are begun in the notification before one may end after it, in any order")
  mutating func forwarded() {
    for number in [nil, 1] as [UInt64?] {
      var brackets = ChangeBrackets()
      let prior = ChangeBrackets.Prior(of: number.map { ChangeID($0) })
      brackets.will(change("a", number), at: at(1))
      brackets.will(change("b", 2), inside: prior, at: at(2))
      brackets.will(change("c", 3), inside: .init(of: ChangeID(2)), at: at(3))
      brackets.will(change("d", 4), inside: prior, at: at(4))
      for key in [("a", number), ("b", 2), ("c", 3)] {
        #expect(brackets.did(change(key.0, key.1), at: at(5)) == [])
      }
      #expect(brackets.close().map(\.brief) == ["KVO012@4"])
    }
  }

  @Test("one that is begun in the notification before another change is out of order")
  mutating func forwardedFromAnother() {
    var brackets = ChangeBrackets()
    brackets.will(change("a", 1), at: at(1))
    brackets.will(change("b", 2), at: at(2))
    brackets.will(change("c", 3), inside: .init(of: ChangeID(2)), at: at(3))
    #expect(brackets.did(change("b", 2), at: at(4)) == [])
    #expect(brackets.did(change("a", 1), at: at(5)).map(\.brief) == ["KVO012@5"])
  }

  @Test("the end of a scope on another thread leaves what was begun in it, until the log ends")
  mutating func leaveScope() {
    var brackets = ChangeBrackets()
    let scope = ScopeID(7)
    for (key, event) in [("a", 1), ("b", 2)] {
      var began = at(event)
      began.thread = ThreadID(1)
      brackets.will(change(key), scope: scope, at: began)
    }
    #expect(brackets.leaveScope(scope, openedAt: at(9)).map(\.event) == [1, 2])
    #expect(brackets.closeScope(scope).isEmpty)
    #expect(brackets.did(change("b"), at: at(3)).isEmpty)
    let left = brackets.closeLeft()
    #expect(left.map { $0.evidence.map(\.role) } == [[.failed, .scope]] && brackets.isEmpty)
  }

  @Test("the end of a scope takes what was begun in it, the end of the thread the rest")
  mutating func ends() {
    var brackets = ChangeBrackets()
    let scope = ScopeID(7)
    brackets.will(change("a"), at: at(1))
    brackets.will(change("b"), scope: scope, at: at(2))
    #expect(brackets.closeScope(ScopeID(8)) == [])
    let atScope = brackets.closeScope(scope, openedAt: at(9))
    #expect(atScope.map(\.brief) == ["KVO012@2"])
    #expect(atScope.first?.evidence.map(\.role) == [.failed, .scope])
    #expect(brackets.close().map(\.brief) == ["KVO012@1"])
    #expect(brackets.close() == [])
  }

  @Test("the open changes of a deallocated object are reported and forgotten, those of others stay")
  mutating func forgetting() {
    var brackets = ChangeBrackets()
    brackets.will(change("a", of: "A#1"), at: at(1))
    brackets.will(change("a", of: "A#2"), at: at(2))
    let left = brackets.subjectDeallocated(words.object("A#1").id)
    #expect(left.map(\.brief) == ["KVO012@1"])
    #expect(brackets.isChanging(words.object("A#2").id))
    #expect(!brackets.isChanging(words.object("A#1").id))
    #expect(brackets.close().map(\.brief) == ["KVO012@2"])
  }

  @Test("beyond the bound the outermost change is forgotten, and its end is not judged")
  mutating func bound() {
    var brackets = ChangeBrackets(capacity: 2)
    for (event, key) in ["a", "b", "c"].enumerated() { brackets.will(change(key), at: at(event)) }
    #expect(brackets.count == 2)
    for key in ["c", "a", "b"] { #expect(brackets.did(change(key), at: at(9)) == []) }
    // Nothing is open, and what was forgotten has ended.
    #expect(brackets.did(change("a"), at: at(10)).map(\.brief) == ["KVO012@10"])
  }

  @Test("a forgotten change excuses no end of another object, or after its own is deallocated")
  mutating func forgottenObject() {
    var brackets = ChangeBrackets(capacity: 2)
    for event in 1...5 { brackets.will(change("a"), at: at(event)) }
    #expect(brackets.did(change("a", of: "B#2"), at: at(6)).count == 1)
    #expect(brackets.subjectDeallocated(words.object("A#1").id).count == 2)
    #expect(brackets.did(change("a"), at: at(7)).count == 1)
    // More objects than are remembered: an end may be that of any of them.
    for number in 1...5 { brackets.will(change("a", of: "C#\(10 + number)"), at: at(7 + number)) }
    for number in [1, 2, 3, 5, 4] {
      #expect(brackets.did(change("a", of: "C#\(10 + number)"), at: at(20)) == [])
    }
    #expect(brackets.did(change("a", of: "C#11"), at: at(21)).count == 1)
  }

  @Test("as many ends as changes were forgotten are not judged, also when none is open any more")
  mutating func boundPassed() {
    var brackets = ChangeBrackets(capacity: 2)
    let keys = ["a", "b", "c", "d", "e"]
    for (event, key) in keys.enumerated() { brackets.will(change(key), at: at(event)) }
    for key in keys.reversed() { #expect(brackets.did(change(key), at: at(9)) == []) }
    #expect(brackets.did(change("a"), at: at(10)).map(\.brief) == ["KVO012@10"])
  }
}
