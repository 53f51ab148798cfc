import KVORecorder
import KVORules
import KVOTrace
import Testing

@testable import KVOSafety

@Suite("Keys that depend on others")
struct DependentKeyTests {
  private func heard(
    of contact: Contact,
    _ keyPath: String,
    options: ObservingOptions = [.old, .new],
    _ body: () -> Void
  ) -> [String] {
    let listener = Listener()
    contact.addObserver(listener, forKeyPath: keyPath, options: options)
    body()
    contact.removeObserver(listener, forKeyPath: keyPath)
    let count = listener.heard.count
    contact.first += "."
    contact.boss?.last += "."
    #expect(listener.heard.count == count, "nothing after the removal")
    return listener.heard
  }

  @Test("a change of a key that affects another is a change of that, before and after")
  func depends() {
    let contact = Contact("Ada", "Byron")
    let heard = heard(of: contact, "full", options: [.prior, .old, .new]) {
      contact.last = "Lovelace"
    }
    #expect(
      heard == [
        "full setting prior from Ada Byron", "full setting from Ada Byron to Ada Lovelace",
      ]
    )
  }

  @Test("dependence goes through any number of keys, and notifies once a change")
  func transitive() {
    let contact = Contact("Ada", "Byron")
    let heard = heard(of: contact, "greeting") {
      contact.first = "Augusta"
      contact.last = "Lovelace"
    }
    #expect(
      heard == [
        "greeting setting from Dear Ada Byron to Dear Augusta Byron",
        "greeting setting from Dear Augusta Byron to Dear Augusta Lovelace",
      ]
    )
  }

  @Test("dependence goes through another object, which may be replaced")
  func throughObject() {
    let contact = Contact("Ada", "Byron")
    let old = Contact("Grace", "Hopper")
    let heard = heard(of: contact, "line", options: [.new]) {
      contact.boss = old
      old.first = "G."
      contact.boss = nil
      old.first = "nobody's"
      contact.first = "A."
    }
    #expect(
      heard == [
        "line setting to Ada Byron under Grace Hopper", "line setting to Ada Byron under G. Hopper",
        "line setting to Ada Byron under nobody", "line setting to A. Byron under nobody",
      ]
    )
  }

  @Test("a subclass's declaration of a key adds to its superclass's")
  func superclass() {
    let contact = TitledContact("Ada", "Byron")
    let heard = heard(of: contact, "greeting", options: [.new]) {
      contact.title = "Lady"
      contact.last = "Lovelace"
    }
    #expect(
      heard == [
        "greeting setting to Dear Lady Ada Byron", "greeting setting to Dear Lady Ada Lovelace",
      ]
    )
  }

  @Test("a dependent key at the end of a path, of an object that is replaced")
  func endOfPath() {
    let contact = Contact("Ada", "Byron")
    let boss = Contact("Grace", "Hopper")
    let heard = heard(of: contact, "boss.greeting", options: [.new]) {
      contact.boss = boss
      boss.first = "G."
    }
    #expect(
      heard == [
        "boss.greeting setting to Dear Grace Hopper", "boss.greeting setting to Dear G. Hopper",
      ]
    )
  }

  @Test("keys that affect each other notify once a change")
  func cycle() {
    let contact = Contact("Ada", "Byron")
    #expect(heard(of: contact, "odd", options: [.new]) { contact.odd = 5 } == ["odd setting to 5"])
    #expect(
      heard(of: contact, "even", options: [.new]) { contact.even = 6 } == ["even setting to 6"]
    )
  }

  @Test("objects that lead back to themselves end somewhere, and notify once a change")
  func cycleOfObjects() {
    let contact = Contact("Ada", "Byron")
    contact.boss = contact
    let heard = heard(of: contact, "line", options: [.new]) { contact.last = "Lovelace" }
    #expect(heard == ["line setting to Ada Lovelace under Ada Lovelace"])
    contact.boss = nil
  }

  @Test("an object that is twice on a path notifies once a change")
  func twiceOnPath() {
    let contact = Contact("Ada", "Byron")
    contact.boss = contact
    let heard = heard(of: contact, "boss.boss", options: []) { contact.boss = nil }
    #expect(heard == ["boss.boss setting"])
  }

  @Test("dependence through a collection is refused; the rest of the key is observed")
  func throughCollection() {
    let contact = Contact("Ada", "Byron")
    contact.team = [Contact("Grace", "Hopper")]
    let listener = Listener()
    let found = verdicts(about: contact) {
      contact.addObserver(listener, forKeyPath: "size", options: [.new])
      contact.team = []
      contact.removeObserver(listener, forKeyPath: "size")
    }
    #expect(found.map(\.code) == [.uncompliantPath])
    #expect(listener.heard == ["size setting to 0"])
  }

  @Test("a manual key notifies when it is requested, and no sooner")
  func manual() {
    let contact = Contact("Ada", "Byron")
    let heard = heard(of: contact, "stamp", options: [.new]) {
      contact.stamp = 1
      contact.willChangeValue(for: \.stamp)
      contact.stamp = 2
      contact.didChangeValue(for: \.stamp)
    }
    #expect(heard == ["stamp setting to 2"])
  }

  @Test("the log has the dependencies of a key, once a registration, cycles included")
  func declares() {
    let memory = EventMemory()
    let contact = Contact("Ada", "Byron")
    let scope = ScopeID(ObjectTable.shared.nextNumber())
    Recorder.shared.attach(memory)
    RecordingScope.willOpen()
    RecordingScope.$ofTask.withValue(scope) {
      contact.observe(\.greeting) { _, _ in }.invalidate()
      contact.observe(\.odd) { _, _ in }.invalidate()
      contact.observe(\.first) { _, _ in }.invalidate()
      Deal().observe(\.label) { _, _ in }.invalidate()
    }
    Recorder.shared.detach(memory)
    let declared = memory.events.filter { $0.scope == scope }.compactMap { event -> String? in
      guard case .declares(let key) = event.body else { return nil }
      func text(_ id: StringID) -> String { Recorder.shared.text(of: id) }
      let superclass = key.superclass == .none ? "" : " of \(text(key.superclass))"
      let paths = key.affectedBy.map { text($0.text) }
      return "\(text(key.className))\(superclass) \(text(key.key)) \(paths)"
    }
    #expect(
      declared == [
        #"Contact greeting ["full"]"#, #"Contact full ["first", "last"]"#,
        #"Contact odd ["even"]"#, #"Contact even ["odd"]"#,
        #"Deal label ["partner.label"]"#, #"Deal partner ["label"]"#,
      ]
    )
  }
}

private final class Deal: KeyValueObservable {
  let observationRegistrar = ObservationRegistrar()
  static let observableKeys = ObservableKeyTable(
    ObservableKey("label", \Deal.label, affectedBy: ["partner.label"]),
    ObservableKey("partner", \Deal.partner, affectedBy: ["label"])
  )
  var label: String { partner?.label ?? "" }
  var partner: Deal? { nil }
}

private final class Spot: KeyValueObservable {
  struct Point { var x = 0, y = 0 }
  let observationRegistrar = ObservationRegistrar()
  static let observableKeys = ObservableKeyTable(
    ObservableKey("point", \Spot.point),
    ObservableKey("end", \Spot.end),
    ObservableKey("title", \Spot.title),
    ObservableKey("next", \Spot.next),
    ObservableKey(
      "text",
      \Spot.text,
      affectedBy: ["point.x", "end.x", "title.count", "next.point.y"]
    )
  )
  var point = Point() {
    willSet { willChangeValue(for: \.point) }
    didSet { didChangeValue(for: \.point) }
  }
  var end: Point? {
    willSet { willChangeValue(for: \.end) }
    didSet { didChangeValue(for: \.end) }
  }
  var title = "" {
    willSet { willChangeValue(for: \.title) }
    didSet { didChangeValue(for: \.title) }
  }
  var next: Spot? {
    willSet { willChangeValue(for: \.next) }
    didSet { didChangeValue(for: \.next) }
  }
  var text: String {
    "\(point.x) \(end?.x ?? -1) \(title.count) \(next?.point.y ?? -1)"
  }
}

@Suite("Keys that depend on parts of values")
struct ValuePartTests {
  @Test("depend on the value, which is the only thing that changes, and nothing is reported")
  func dependence() {
    let spot = Spot()
    var heard: [String?] = []
    let found = verdicts(about: spot) {
      let token = spot.observe(\.text, options: [.new]) { heard.append($1.newValue) }
      spot.point.x = 1
      spot.end = Spot.Point(x: 2)
      spot.title = "abc"
      spot.next = Spot()
      spot.next?.point.y = 5
      token.invalidate()
    }
    #expect(heard == ["1 -1 0 -1", "1 2 0 -1", "1 2 3 -1", "1 2 3 0", "1 2 3 5"])
    #expect(found.isEmpty)
  }

  @Test("are not paths to observe, by key path or by name", arguments: ["point.x", "title.count"])
  func observing(name: String) {
    let spot = Spot()
    var count = 0
    let found = verdicts(about: spot) {
      let tokens = [
        spot.observe(\.point.x) { _, _ in count += 1 },
        spot.observe(keyPath: name) { _, _ in count += 1 },
      ]
      spot.point.x = 1
      spot.title = "a"
      #expect(tokens.allSatisfy { !$0.isActive })
    }
    #expect(found.map(\.code) == [.uncompliantPath, .uncompliantPath])
    #expect(count == 0)
  }
}

@Suite("Parts of a path that appear later")
struct LatePathTests {
  @Test("an object without the key, and a value that cannot be observed, are reported then, once")
  func late() {
    let account = Account()
    let listener = Listener()
    let found = verdicts(about: account) {
      account.addObserver(listener, forKeyPath: "owner.nosuch")
      account.addObserver(listener, forKeyPath: "owner.pet.name")
      #expect(KVO.census(of: account).count == 2)
      account.owner = Person("Ada")
      account.owner?.pet = Pet()
      account.owner = Person("Grace")
      account.removeObserver(listener, forKeyPath: "owner.nosuch")
      account.removeObserver(listener, forKeyPath: "owner.pet.name")
    }
    #expect(found.map(\.code) == [.uncompliantPath, .uncompliantPath])
    let parts = found.map { verdict -> String in
      guard case .refusal(let reason, let part) = verdict.detail else { return "" }
      return "\(reason) \(Recorder.shared.text(of: part))"
    }
    #expect(parts == ["unknownKey nosuch", "notObservable pet"])
  }

  @Test(
    "a collection operator and a path through a collection are refused",
    arguments: ["tags.@count", "tags.count", "@count", "tags.", ".tags", "owner..name"]
  )
  func refused(keyPath: String) {
    let account = Account(owner: Person("Ada"))
    let listener = Listener()
    let found = verdicts(about: account) {
      account.addObserver(listener, forKeyPath: keyPath)
    }
    #expect(found.map(\.code) == [.uncompliantPath])
    #expect(KVO.census(of: account).isEmpty)
  }

  @Test("removing observers of one key in any order silences no other", arguments: 0..<6)
  func anyOrder(order: Int) {
    let orders = [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]]
    let account = Account()
    let listeners = (0..<3).map { _ in Listener() }
    for listener in listeners { account.addObserver(listener, forKeyPath: "balance") }
    var counts = [0, 0, 0]
    var left: Set = [0, 1, 2]
    for place in orders[order] {
      account.removeObserver(listeners[place], forKeyPath: "balance")
      left.remove(place)
      account.balance += 1
      for other in left { counts[other] += 1 }
      #expect(listeners.map(\.heard.count) == counts)
    }
  }
}
