#if Macros
import KVOSafety
import Testing

@Suite("Classes that are made observable by the macro")
struct ObservedClassTests {
  /// What an observer of a key by name hears while `body` runs, as text.
  private func heard<Subject: KeyValueObservable>(
    _ subject: Subject,
    _ keyPath: String,
    options: ObservingOptions = [.old, .new],
    while body: (Subject) -> Void
  ) -> [String] {
    var heard: [String] = []
    let token = subject.observe(keyPath: keyPath, options: options) { object, change in
      #expect(object === subject)
      let old = change.oldValue.map { "\($0)" } ?? "nil"
      let new = change.newValue.map { "\($0)" } ?? "nil"
      heard.append("\(old) → \(new)")
    }
    #expect(token.isActive)
    body(subject)
    token.invalidate()
    return heard
  }

  @Test("a stored property notifies when it is set, also to an equal value")
  func stored() {
    let account = Account()
    let changes = heard(account, "balance") {
      $0.balance = 2
      $0.balance = 2
      $0.balance += 1
    }
    #expect(changes == ["0.0 → 2.0", "2.0 → 2.0", "2.0 → 3.0"])
    #expect(account.balance == 3)
  }

  @Test("a typed key path observes the same as a name")
  func typed() {
    let account = Account()
    var heard: [Double?] = []
    let token = account.observe(\.balance, options: .new) { heard.append($1.newValue) }
    account.balance = 2
    token.invalidate()
    account.balance = 3
    #expect(heard == [2])
  }

  @Test("values that are set in init are there, and a change in place is one change of the whole")
  func inPlace() {
    let account = Account(number: 7, limit: 3)
    #expect(account.number == 7)
    #expect(account.limit == 3)
    account.tags.append("unheard")
    let changes = heard(account, "tags") { $0.tags.append("a") }
    #expect(changes == [#"["unheard"] → ["unheard", "a"]"#])
    #expect(account.tags == ["unheard", "a"])
  }

  @Test("a throwing change in place is reported all the same")
  func throwingInPlace() {
    struct Failure: Error {}
    func fail(_ tags: inout [String]) throws {
      tags = ["changed"]
      throw Failure()
    }
    let account = Account()
    let changes = heard(account, "tags") { account in
      do { try fail(&account.tags) } catch { #expect(error is Failure) }
    }
    #expect(changes == [#"[] → ["changed"]"#])
  }

  @Test("a property's own observers run, before and after the object is observed")
  func ownObservers() {
    let account = Account(limit: 1)
    #expect(account.seen.isEmpty)
    account.limit = 2
    let changes = heard(account, "limit") { $0.limit = 3 }
    #expect(changes == ["2 → 3"])
    #expect(account.seen == ["will 2", "did 1 2", "will 3", "did 2 3"])
  }

  @Test("a property that notifies of differences is silent if there is none")
  func whenDifferent() {
    let account = Account()
    let changes = heard(account, "name") {
      $0.name = ""
      $0.name = "Ada"
      $0.name = "Ada"
      $0.name.append("!")
      $0.name.append("")
    }
    #expect(changes == [" → Ada", "Ada → Ada!"])
  }

  @Test("a manual property notifies when the class does")
  func manual() {
    let account = Account()
    let changes = heard(account, "rate") {
      $0.rate = 2
      $0.rate = -1
      $0.rate = 3
    }
    #expect(changes == ["1 → 2", "-1 → 3"])
  }

  @Test("an ignored property and a static one are not keys")
  func ignored() {
    #expect(Account.observableKeys["cache"] == nil)
    #expect(Account.observableKeys["count"] == nil)
  }

  @Test("lazy and wrapped properties notify")
  func indirect() {
    let account = Account()
    #expect(heard(account, "statement") { $0.statement = "one" } == ["none → one"])
    #expect(heard(account, "level") { $0.level = 99 } == ["0 → 10"])
  }

  @Test("weak, privately set and strangely named properties notify")
  func modifiers() {
    let account = Account()
    let other = Account(number: 2)
    var numbers: [Int?] = []
    let token = account.observe(\.partner, options: .new) { _, change in
      numbers.append(change.newValue??.number)
    }
    account.partner = other
    account.partner = nil
    token.invalidate()
    #expect(numbers == [2, nil])
    #expect(heard(account, "revision") { $0.revise() } == ["0 → 1"])
    #expect(heard(account, "default") { $0.default = 5 } == ["0 → 5"])
  }

  @Test("a let and a computed property can be observed, and be part of a path")
  func constant() {
    let account = Account(number: 4)
    account.owner = Person("Ada")
    let initial = heard(account, "number", options: [.initial, .new]) { _ in }
    #expect(initial == ["nil → 4"])
    #expect(heard(account, "total", options: [.initial, .new]) { _ in } == ["nil → 1.0"])
    #expect(heard(account, "owner.name") { $0.owner?.name = "Grace" } == ["Ada → Grace"])
  }

  @Test("a key notifies when the keys that affect it change, through an object as well")
  func dependencies() {
    let account = Account()
    let changes = heard(account, "summary") {
      $0.balance = 1
      $0.owner = Person("Ada")
      $0.owner?.name = "Grace"
    }
    #expect(
      changes == [
        "nobody has 0.0 → nobody has 1.0", "nobody has 1.0 → Ada has 1.0",
        "Ada has 1.0 → Grace has 1.0",
      ]
    )
  }

  @Test("names of keys that are not literals are dependencies, too")
  func dependenciesByExpression() {
    let changes = heard(Frame(), "size") {
      $0.width = 2
      $0.height = 3
    }
    #expect(changes == ["1 × 1 → 2 × 1", "2 × 1 → 2 × 3"])
  }

  @Test("dependencies of a superclass count in the subclass, and go on from key to key")
  func inheritedDependencies() {
    let rectangle = Rectangle()
    let areas = heard(rectangle, "area") {
      $0.width = 2
      $0.height = 3
    }
    #expect(areas == ["1 → 2", "2 → 6"])
    #expect(heard(rectangle, "doubled") { $0.width = 1 } == ["12 → 6"])
  }

  @Test("an enum with values comes as it is, and nil as a value")
  func enumerations() {
    let account = Account()
    var heard: [Account.State??] = []
    let token = account.observe(\.state, options: [.new]) { heard.append($1.newValue) }
    account.state = .closed(reason: "moved")
    account.state = nil
    token.invalidate()
    #expect(heard == [.closed(reason: "moved"), .some(nil)])
  }

  @Test("a subclass has its superclass's keys, by name and by key path")
  func inheritance() {
    let car = Car()
    #expect(heard(car, "speed") { $0.speed = 5 } == ["0 → 5"])
    #expect(car.speedChanges == 1)
    #expect(heard(car, "gear") { $0.gear = 2 } == ["1 → 2"])
    var heardTyped: [Int?] = []
    let tokens = [
      car.observe(\.speed, options: .new) { heardTyped.append($1.newValue) },
      car.observe(\.gear, options: .new) { heardTyped.append($1.newValue) },
      (car as Vehicle).observe(\.speed, options: .new) { heardTyped.append($1.newValue) },
      car.observe(\.wheelCount, options: [.initial, .new]) { heardTyped.append($1.newValue) },
    ]
    #expect(tokens.filter(\.isActive).count == 4)
    car.speed = 7
    car.gear = 3
    tokens.forEach { $0.invalidate() }
    #expect(heardTyped == [4, 7, 7, 3])
  }

  @Test("a subclass that adds nothing is observed by its own key paths")
  func silentSubclass() {
    let taxi = Taxi()
    var heard: [Int?] = []
    let token = taxi.observe(\.gear, options: .new) { heard.append($1.newValue) }
    #expect(token.isActive)
    taxi.gear = 2
    token.invalidate()
    #expect(heard == [2])
    #expect(Set(Taxi.observableKeys.names) == ["speed", "wheelCount", "gear", "speedChanges"])
    #expect(Set(Vehicle.observableKeys.names) == ["speed", "wheelCount"])
  }

  @Test("a subclass of a class that conforms by hand has the keys of both")
  func handMadeSuperclass() {
    let leaf = Leaf()
    #expect(heard(leaf, "height") { $0.height = 2 } == ["1 → 2"])
    #expect(heard(leaf, "color") { $0.color = "red" } == ["green → red"])
  }

  @Test("generic classes, their subclasses and classes inside generic types notify")
  func generics() {
    #expect(heard(Box(1), "value") { $0.value = 2 } == ["1 → 2"])
    #expect(heard(Box("a"), "value") { $0.value = "b" } == ["a → b"])
    let labeled = LabeledBox(1)
    #expect(heard(labeled, "value") { $0.value = 2 } == ["1 → 2"])
    #expect(heard(labeled, "label") { $0.label = "x" } == [" → x"])
    #expect(heard(Shelf<Int>.Slot(1), "content") { $0.content = 2 } == ["1 → 2"])
  }

  @Test("public, open and private classes notify")
  func access() {
    #expect(heard(PublicModel(), "value") { $0.value = 1 } == ["0 → 1"])
    let model = OpenModel()
    #expect(heard(model, "other") { $0.other = 1 } == ["0 → 1"])
    #expect(heard(model, "value") { $0.value = 1 } == ["0 → 1"])
    #expect(changesOfPrivateModel() == [2])
    #expect(PrivateSpace.changes() == [2])
  }

  @Test("a class and a type parameter may be called Root")
  func namedRoot() {
    #expect(heard(Root(), "value") { $0.value = 1 } == ["0 → 1"])
    #expect(heard(Wrapper(0), "value") { $0.value = 1 } == ["0 → 1"])
  }

  @Test("a class of the main actor notifies there, and is part of a path")
  @MainActor
  func mainActor() {
    let screen = Screen()
    #expect(heard(screen, "title") { $0.title = "Home" } == [" → Home"])
    #expect(heard(screen, "subtitle") { $0.subtitle = "x" } == ["none → x"])
    screen.account = Account()
    #expect(heard(screen, "account.balance") { $0.account?.balance = 1 } == ["0.0 → 1.0"])
  }

  @Test("a class of another global actor conforms in its isolation")
  @Stage
  func globalActor() {
    let play = Play()
    #expect(heard(play, "act") { $0.act = 2 } == ["1 → 2"])
  }

  @Test("an object that is observed no more takes changes as before")
  func afterwards() {
    let account = Account()
    _ = heard(account, "balance") { $0.balance = 1 }
    account.balance = 2
    account.tags.append("a")
    account.name = "Ada"
    #expect(account.balance == 2)
    #expect(account.tags == ["a"])
    #expect(account.name == "Ada")
    #expect(KVO.census(of: account).isEmpty)
  }

  @Test("names of key paths are checked, and omit optional chaining")
  func names() {
    let account = Account()
    #expect(#keyPathName(\Account.balance) == "balance")
    #expect(#keyPathName(\Account.owner?.name) == "owner.name")
    #expect(#keyPathName(account, \.owner?.name) == "owner.name")
    #expect(#keyPathName(\Account.owner!.name) == "owner.name")
    #expect(#keyPathName(\Account.default) == "default")
    #expect(#keyPathName(\Bank.Vault.gold) == "gold")
    #expect(#keyPathName(\Bank.Shelf<Int>.vault?.gold) == "vault.gold")
    #expect(#keyPathName(\KVOSafetyMacrosTests.Account.owner?.name) == "owner.name")
  }
}

private enum Bank {
  @KeyValueObservable
  final class Vault {
    var gold = 0
  }

  @KeyValueObservable
  final class Shelf<Content> {
    var content: Content?
    var vault: Vault?
  }
}
#endif
