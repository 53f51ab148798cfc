import KVORules
import TestSupport
import Testing

@testable import KVOSafety

// Scenarios of PMKVObserverTests/PMKVObserverTests.m and KVObserverTests.swift in postmates/PMKVObserver
// (73f00b3) of the end of an observation; each function has the name of its scenario.

@Suite("PMKVObserver's scenarios of the end of an observation")
struct PMKVObserverEndingTests {
  private let person = Person("foo")

  @Test("ended inside its initial notification it is silent, and its token is released")
  func initialCancel() {
    var heard: [String] = []
    weak var released: ObservationToken?
    do {
      let token = person.observe(\.name, options: .initial) { object, _, token in
        heard.append(object.name)
        token.invalidate()
      }
      released = token
      person.name = "bar"
      withExtendedLifetime(token) {}
    }
    #expect(released == nil)
    let pet = Pet()
    do {
      let token = person.observe(\.name, options: .initial) { object, _, token in
        heard.append(object.name)
        token.invalidate()
      }
      .bind(to: pet)
      released = token
      person.name = "baz"
      withExtendedLifetime(token) {}
    }
    #expect(released == nil)
    #expect(heard == ["foo", "bar"])
    withExtendedLifetime(pet) {}
  }

  @Test("ended by two threads at once it is ended, for the next change as well")
  func cancelConcurrently() {
    for _ in 0..<50 {
      var count = 0
      let token = person.observe(\.name) { _, _ in count += 1 }
      person.name = "a"
      onThreads(count: 2) { _ in token.invalidate() }
      person.name = "b"
      #expect(count == 1)
    }
  }

  @Test("it is not over before its end, and is after it")
  func isCancelled() {
    let token = person.observe(\.name) { _, _ in }
    #expect(token.isActive)
    person.name = "bar"
    #expect(token.isActive)
    token.invalidate()
    #expect(!token.isActive)
  }

  @Test("an object that is its own observer is called, and released with nothing to report")
  func sameObserverObject() {
    weak var gone: Person?
    var heard: [String] = []
    let found = verdicts(where: { $0.code == .observedDeinitWhileObserved }) {
      let person = Person("")
      gone = person
      person.observe(\.name) { object, _ in
        #expect(object === gone)
        heard.append(object.name)
      }
      .bind(to: person)
      person.name = "foo"
    }
    #expect(heard == ["foo"])
    #expect(gone == nil)
    #expect(found.isEmpty)
  }

  @Test("a token knows the name of its key path")
  func keyPath() {
    let account = Account(owner: person)
    let tokens = [
      person.observe(\.name) { _, _ in }, person.observe(\.friend) { _, _ in },
      account.observe(\.owner?.name) { _, _ in },
    ]
    #expect(tokens.map(\.keyPath) == ["name", "friend", "owner.name"])
    tokens.forEach { $0.invalidate() }
  }
}
