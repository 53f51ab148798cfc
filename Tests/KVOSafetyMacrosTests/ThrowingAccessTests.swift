#if Macros
import KVOSafety
import Testing

private protocol Named: AnyObject {
  var log: [String] { get set }
  var both: String { get set }
  var after: String { get set }
  var simple: String { get set }
  init()
}

private enum Plain {
  class Account: Named {
    var log: [String] = []
    var both = "a" {
      willSet { log.append("both will \(newValue)") }
      didSet { log.append("both did \(oldValue)") }
    }
    var after = "a" { didSet { log.append("after did \(oldValue)") } }
    var simple = "a" { didSet { log.append("simple did") } }
    required init() {}
  }

  final class Savings: Account {
    override var both: String { didSet { log.append("savings did \(oldValue)") } }
    override var simple: String { didSet { log.append("savings simple did \(oldValue)") } }
  }
}

private enum Observable {
  @KeyValueObservable
  class Account: Named {
    @KeyValue(.ignored) var log: [String] = []
    var both = "a" {
      willSet { log.append("both will \(newValue)") }
      didSet { log.append("both did \(oldValue)") }
    }
    var after = "a" { didSet { log.append("after did \(oldValue)") } }
    var simple = "a" { didSet { log.append("simple did") } }
    required init() {}
  }

  @KeyValueObservable
  final class Savings: Account {
    override var both: String { didSet { log.append("savings did \(oldValue)") } }
    override var simple: String { didSet { log.append("savings simple did \(oldValue)") } }
  }
}

@Suite("A call that throws while it has inout access to a property")
struct ThrowingAccessTests {
  private struct Failure: Error {}

  private static func fail(_ text: inout String, with new: String?) throws {
    if let new { text = new }
    throw Failure()
  }

  private func story<Object: Named>(_ type: Object.Type, _ look: (Object) -> Void) -> [String] {
    let object = Object()
    look(object)
    for new in [nil, "b"] {
      try? Self.fail(&object.both, with: new)
      try? Self.fail(&object.after, with: new)
      object.log.append("\(object.both) \(object.after)")
    }
    return object.log
  }

  @Test(
    "runs the property's observers as plain Swift does, observed or not",
    arguments: [false, true]
  )
  func twins(isObserved: Bool) {
    var tokens: [ObservationToken] = []
    var heard: [String] = []
    func look(_ account: Observable.Account) {
      guard isObserved else { return }
      tokens += ["both", "after"].map { name in
        account.observe(keyPath: name, options: .new) { _, change in
          heard.append("\(name) \(change.newValue ?? "")")
        }
      }
    }
    #expect(story(Observable.Account.self, look) == story(Plain.Account.self) { _ in })
    #expect(story(Observable.Savings.self, look) == story(Plain.Savings.self) { _ in })
    for token in tokens { token.invalidate() }
    if isObserved { #expect(heard.prefix(4) == ["both a", "after a", "both b", "after b"]) }
  }

  /// The compiler ends an access inside of `_modify` as if nothing had been thrown.
  @Test("runs a didSet that uses no old value, which plain Swift leaves out")
  func simple() {
    let (plain, observable) = (Plain.Account(), Observable.Account())
    try? Self.fail(&plain.simple, with: "b")
    try? Self.fail(&observable.simple, with: "b")
    #expect(plain.simple == "b" && plain.log == [])
    #expect(observable.simple == "b" && observable.log == ["simple did"])
  }
}
#endif
