import KVORules
import Testing

@testable import KVOSafety

/// A contest whose winner is derived: directly, through another derived key, and through an object.
private final class Contest: KeyValueObservable {
  let observationRegistrar = ObservationRegistrar()
  static let observableKeys = ObservableKeyTable(
    ObservableKey("first", \Contest.first),
    ObservableKey("best", \Contest.best, affectedBy: ["first"]),
    ObservableKey("champion", \Contest.champion, affectedBy: ["best"]),
    ObservableKey("host", \Contest.host),
    ObservableKey("guest", \Contest.guest, affectedBy: ["host.best"]),
    ObservableKey("me", \Contest.me, affectedBy: ["first"])
  )
  var first: Person? {
    willSet { willChangeValue(for: \.first) }
    didSet { didChangeValue(for: \.first) }
  }
  var best: Person? { first }
  var champion: Person? { best }
  var host: Contest? {
    willSet { willChangeValue(for: \.host) }
    didSet { didChangeValue(for: \.host) }
  }
  var guest: Person? { host?.best }
  /// Changes without notice, and is itself on the path.
  var me: Contest { self }
}

@Suite("Paths through derived objects")
struct DerivedPathTests {
  private func heard(
    of contest: Contest,
    _ keyPath: String,
    _ body: () -> Void
  ) -> [String] {
    let listener = Listener()
    let found = verdicts(about: contest) {
      contest.addObserver(listener, forKeyPath: keyPath, options: [.old, .new])
      body()
      contest.removeObserver(listener, forKeyPath: keyPath)
    }
    #expect(found.isEmpty)
    return listener.heard
  }

  @Test(
    "the new object is observed, and the old one not, when the key that derives it changes",
    arguments: ["best", "champion"]
  )
  func derived(key: String) {
    let contest = Contest()
    let (old, new) = (Person("Ada"), Person("Grace"))
    contest.first = old
    let path = "\(key).name"
    let heard = heard(of: contest, path) {
      old.name = "A."
      contest.first = new
      old.name = "unheard"
      new.name = "G."
      contest.first = nil
      new.name = "unheard"
    }
    #expect(
      heard == [
        "\(path) setting from Ada to A.", "\(path) setting from A. to Grace",
        "\(path) setting from Grace to G.", "\(path) setting from G.",
      ]
    )
    #expect(old.storage.linksOfOthers.isEmpty && new.storage.linksOfOthers.isEmpty)
  }

  @Test("also when it is derived through another object, which changes or is replaced")
  func throughObject() {
    let contest = Contest()
    let (one, two) = (Contest(), Contest())
    one.first = Person("Ada")
    two.first = Person("Grace")
    contest.host = one
    let heard = heard(of: contest, "guest.name") {
      one.first = Person("Augusta")
      one.first?.name = "Augusta Ada"
      contest.host = two
      one.first?.name = "unheard"
      two.first?.name = "G."
    }
    #expect(
      heard == [
        "guest.name setting from Ada to Augusta", "guest.name setting from Augusta to Augusta Ada",
        "guest.name setting from Augusta Ada to Grace", "guest.name setting from Grace to G.",
      ]
    )
  }

  @Test("also when one key derives an object and the value that is read of it")
  func twice() {
    let contest = Contest()
    let (old, new) = (Person("Ada"), Person("Grace"))
    contest.first = old
    let heard = heard(of: contest, "me.best.name") {
      contest.first = new
      old.name = "unheard"
      new.name = "G."
    }
    #expect(
      heard == [
        "me.best.name setting from Ada to Grace", "me.best.name setting from Grace to G.",
      ]
    )
  }
}
