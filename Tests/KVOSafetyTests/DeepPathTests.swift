import KVORecorder
import KVORules
import KVOTrace
import Testing

@testable import KVOSafety

@Suite("Deep key paths")
struct DeepPathTests {
  @Test("a change at the end of the path is delivered, also after an object on it was replaced")
  func followsReplacement() {
    let ada = Person("Ada")
    let grace = Person("Grace")
    let account = Account(owner: ada)
    let listener = Listener()
    let found = verdicts(about: account) {
      account.addObserver(listener, forKeyPath: "owner.name", options: [.old, .new])
      ada.name = "Ada L."
      account.owner = grace
      ada.name = "nobody listens"
      grace.name = "Grace H."
      account.removeObserver(listener, forKeyPath: "owner.name")
      grace.name = "nobody listens either"
    }
    #expect(
      listener.heard == [
        "owner.name setting from Ada to Ada L.",
        "owner.name setting from Ada L. to Grace",
        "owner.name setting from Grace to Grace H.",
      ]
    )
    #expect(found.isEmpty)
  }

  @Test("an object on the path may be nil at first, and again")
  func nilIntermediates() {
    let account = Account()
    let listener = Listener()
    let found = verdicts(about: account) {
      account.addObserver(listener, forKeyPath: "owner.name", options: [.initial, .old, .new])
      account.owner = Person("Ada")
      account.owner?.name = "Ada L."
      account.owner = nil
      account.removeObserver(listener, forKeyPath: "owner.name")
    }
    #expect(
      listener.heard == [
        "owner.name setting",
        "owner.name setting to Ada",
        "owner.name setting from Ada to Ada L.",
        "owner.name setting from Ada L.",
      ]
    )
    #expect(found.isEmpty)
  }

  @Test("three parts: the head is replaced, then the middle, then the tail changes")
  func threeParts() {
    let account = Account(owner: Person("Ada"))
    account.owner?.friend = Person("Charles")
    let listener = Listener()
    account.addObserver(listener, forKeyPath: "owner.friend.name", options: [.new])
    let grace = Person("Grace")
    grace.friend = Person("Howard")
    account.owner = grace
    grace.friend = Person("Barbara")
    grace.friend?.name = "Barbara L."
    account.removeObserver(listener, forKeyPath: "owner.friend.name")
    grace.friend?.name = "unheard"
    #expect(
      listener.heard == [
        "owner.friend.name setting to Howard", "owner.friend.name setting to Barbara",
        "owner.friend.name setting to Barbara L.",
      ]
    )
  }

  @Test("the registration does not keep objects on the path alive")
  func keepsNobodyAlive() {
    let account = Account(owner: Person("Ada"))
    weak let owner = account.owner
    let token = account.observe(keyPath: "owner.name") { _, _ in }
    account.owner = nil
    #expect(owner == nil)
    token.invalidate()
  }

  @Test("a token by name is notified like a deep path")
  func tokenByName() {
    let account = Account(owner: Person("Ada"))
    var heard: [String] = []
    let token = account.observe(keyPath: "owner.name", options: .new) { object, change in
      #expect(object === account)
      heard.append(line("owner.name", change))
    }
    account.owner?.name = "Grace"
    token.invalidate()
    #expect(heard == ["owner.name setting to Grace"])
  }

  @Test(
    "a path that cannot be observed is refused and reported, with the part at fault",
    arguments: [
      (nil, .nilKeyPath, ""),
      ("", .emptyKeyPath, ""),
      ("nosuch", .unknownKey, "nosuch"),
      ("owner.nosuch", .unknownKey, "nosuch"),
      ("owner..name", .unknownKey, ""),
      (".balance", .unknownKey, ""),
      ("balance.", .notObservable, "balance"),
      ("owner.pet.name", .notObservable, "pet"),
      ("tags.count", .throughCollection, "tags"),
    ] as [(String?, RefusalReason, String)]
  )
  func refusals(keyPath: String?, reason: RefusalReason, part: String) {
    let account = Account(owner: Person("Ada"))
    account.owner?.pet = Pet()
    let listener = Listener()
    let found = verdicts(about: account) {
      account.addObserver(listener, forKeyPath: keyPath)
      account.balance = 1
    }
    #expect(found.map(\.code) == [.uncompliantPath])
    #expect(found.first?.detail == .refusal(reason, part: Recorder.shared.id(of: part)))
    #expect(listener.heard.isEmpty)
    #expect(KVO.census(of: account).isEmpty)
  }

  @Test(
    "a path with an empty part is refused at once, even if there is no object yet",
    arguments: ["owner..name", "owner.", "owner.friend.", "owner.friend..name"]
  )
  func emptyParts(keyPath: String) {
    let account = Account()
    let listener = Listener()
    let found = verdicts(about: account) {
      account.addObserver(listener, forKeyPath: keyPath)
      account.owner = Person("Ada")
    }
    #expect(found.map(\.code) == [.uncompliantPath])
    #expect(found.first?.detail == .refusal(.unknownKey, part: Recorder.shared.id(of: "")))
    #expect(listener.heard.isEmpty)
    #expect(KVO.census(of: account).isEmpty)
  }

  @Test("a property that is not a key is refused in the token form, and its token is inactive")
  func unknownProperty() {
    let account = Account()
    let found = verdicts(about: account) {
      let token = account.observe(\.secret) { _, _ in }
      #expect(!token.isActive)
      token.invalidate()
    }
    #expect(found.map(\.code) == [.uncompliantPath])
  }
}
