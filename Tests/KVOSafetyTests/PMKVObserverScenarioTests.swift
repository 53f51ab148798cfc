import Testing

@testable import KVOSafety

// Scenarios of PMKVObserverTests/PMKVObserverTests.m and KVObserverTests.swift in postmates/PMKVObserver
// (73f00b3), with what those files expect; each function has the name of its scenario. A token there is kept by
// its observation: here that is `bindToObject()` or `bind(to:)`.

private final class Profile: KeyValueObservable {
  let observationRegistrar = ObservationRegistrar()
  static let observableKeys = ObservableKeyTable(
    ObservableKey("nick", \Profile.nick),
    ObservableKey("given", \Profile.given),
    ObservableKey("family", \Profile.family),
    ObservableKey("full", \Profile.full, affectedBy: ["given", "family"])
  )
  var nick = "" {
    willSet { willChangeValue(for: \.nick) }
    didSet { didChangeValue(for: \.nick) }
  }
  var given: String? {
    willSet { willChangeValue(for: \.given) }
    didSet { didChangeValue(for: \.given) }
  }
  var family: String? {
    willSet { willChangeValue(for: \.family) }
    didSet { didChangeValue(for: \.family) }
  }
  var full: String? {
    let parts = [given, family].compactMap(\.self)
    return parts.isEmpty ? nil : parts.joined(separator: " ")
  }
}

@Suite("PMKVObserver's scenarios of tokens and observers")
struct PMKVObserverScenarioTests {
  private let profile = Profile()

  @Test("a handler gets the object, a setting without values and its token, until that ends")
  func kvo() {
    var heard: [String] = []
    var given: ObservationToken?
    let token = profile.observe(\.nick) { object, change, token in
      #expect(object === profile)
      #expect(change.kind == .setting && change.oldValue == nil && change.newValue == nil)
      given = token
      heard.append(object.nick)
    }
    profile.nick = "foo"
    #expect(given === token)
    token.invalidate()
    profile.nick = "bar"
    let pet = Pet()
    ObservationController.of(pet).observe(profile, keyPath: "nick") { owner, object, _ in
      #expect(owner === pet && object === profile)
      heard.append("for the pet: \(object.nick)")
    }
    profile.nick = "baz"
    ObservationController.of(pet).unobserve(profile, keyPath: "nick")
    profile.nick = "nobody's"
    #expect(heard == ["foo", "for the pet: baz"])
  }

  @Test("a computed value that becomes nil comes as every other")
  func kvoComputed() {
    var heard: [String?] = []
    let token = profile.observe(\.full) { object, _ in heard.append(object.full) }
    profile.given = "Bob"
    profile.family = "Jones"
    profile.given = nil
    profile.family = nil
    token.invalidate()
    #expect(heard == ["Bob", "Bob Jones", "Jones", nil])
  }

  /// PMKVObserver frees the token as well; here a few ended tokens stay known until their owner is deallocated.
  @Test("an unretained observation continues until it is ended, and releases its captures")
  func kvoTeardown() {
    weak var captured: Pet?
    weak var token: ObservationToken?
    var count = 0
    do {
      let pet = Pet()
      captured = pet
      token =
        profile.observe(\.nick) { _, _ in
          count += 1
          withExtendedLifetime(pet) {}
        }
        .bindToObject()
      profile.nick = "a"
    }
    profile.nick = "b"
    #expect(count == 2)
    #expect(captured != nil && token != nil)
    token?.invalidate()
    #expect(captured == nil)
    profile.nick = "c"
    #expect(count == 2)
  }

  @Test("a handler that captures its own token is released when the observation ends")
  func kvoRetainCycle() {
    weak var released: ObservationToken?
    var count = 0
    do {
      var token: ObservationToken?
      token = profile.observe(\.nick) { _, _ in
        count += 1
        withExtendedLifetime(token) {}
      }
      released = token
      profile.nick = "a"
      token?.invalidate()
    }
    #expect(released == nil)
    profile.nick = "b"
    #expect(count == 1)
  }

  @Test("an observation that is bound to an observer is released with it, token and all")
  func observer() {
    weak var gone: Pet?
    weak var token: ObservationToken?
    var count = 0
    do {
      let pet = Pet()
      gone = pet
      token = profile.observe(\.nick) { _, _ in count += 1 }.bind(to: pet)
      profile.nick = "a"
      #expect(token != nil)
      profile.nick = "b"
      withExtendedLifetime(pet) {}
    }
    #expect(gone == nil && token == nil)
    profile.nick = "c"
    #expect(count == 2)
  }
}
