import Testing

@testable import KVOSafety

private final class Owner: KeyValueObservable {
  let observationRegistrar = ObservationRegistrar()
  static let observableKeys = ObservableKeyTable(
    ObservableKey("person", \Owner.person, isWeak: true),
    ObservableKey("note", \Owner.note, isWeak: true),
    ObservableKey("account", \Owner.account)
  )
  weak var person: Person? {
    willSet { willChangeValue(for: \.person) }
    didSet { didChangeValue(for: \.person) }
  }
  weak var note: Note? {
    willSet { willChangeValue(for: \.note) }
    didSet { didChangeValue(for: \.note) }
  }
  var account: Account? {
    willSet { willChangeValue(for: \.account) }
    didSet { didChangeValue(for: \.account) }
  }
}

private final class Note: Sendable {}

/// The expected flags are those that ReactiveObjC gives: `causedByDealloc` and `affectedOnlyLastComponent` in
/// NSObject+RACKVOWrapper.m.
@Suite("What on a path brought a change about")
struct TransitionTests {
  private let owner = Owner()

  @Test("of a single key, the last part alone")
  func single() async {
    let account = Account()
    let transitions = account.transitions(of: \.balance)
    account.balance = 1
    #expect(await texts(transitions, 2) == ["0 last", "1 last"])
  }

  @Test("of a path: the object at its end as before, another, none, and the initial change")
  func path() async {
    let transitions = owner.transitions(of: \.account?.balance)
    let account = Account()
    owner.account = account
    account.balance = 1
    owner.account = Account()
    owner.account?.balance = 2
    owner.account = nil
    #expect(
      await texts(transitions, 6) == [
        "nil path", "0 path", "1 last", "0 path", "2 last", "nil path",
      ]
    )
  }

  @Test("without the initial change, the first is compared with the objects that were there")
  func withoutInitial() async {
    owner.account = Account()
    let transitions = owner.transitions(of: \.account?.balance, options: [.new])
    owner.account?.balance = 1
    #expect(await texts(transitions, 1) == ["1 last"])
  }

  @Test("the deallocation of an object in the middle, and at the end")
  func deallocation() async {
    let named = owner.transitions(of: \.person?.name)
    var notes = owner.transitions(of: \.note).makeAsyncIterator()
    var causes: [Bool] = []
    do {
      let ada = Person("Ada")
      owner.person = ada
      ada.name = "Grace"
      let first = Note()
      owner.note = first
      // What waits in a stream keeps its values alive.
      causes += await deallocations(&notes, 2)
      withExtendedLifetime((ada, first)) {}
    }
    owner.person = nil
    owner.note = nil
    #expect(
      await texts(named, 5) == [
        "nil path", "Ada path", "Grace last", "nil path dealloc", "nil path",
      ]
    )
    causes += await deallocations(&notes, 2)
    #expect(causes == [false, false, true, false])
  }

  /// Whether each of the next changes came of a deallocation.
  private func deallocations(
    _ notes: inout ObservedValues<ObservedTransition<Note?>>.AsyncIterator,
    _ count: Int
  ) async -> [Bool] {
    var causes: [Bool] = []
    for _ in 0..<count {
      guard let next = await notes.next() else { break }
      #expect(next.affectedOnlyLastPart)
      causes.append(next.wasCausedByDeallocation)
    }
    return causes
  }

  private func texts<Value>(
    _ transitions: ObservedValues<ObservedTransition<Value>>,
    _ count: Int
  ) async -> [String] {
    var iterator = transitions.makeAsyncIterator()
    var texts: [String] = []
    for _ in 0..<count {
      guard let next = await iterator.next() else { break }
      let value = next.change.newValue.flatMap { Optional<Any>.some($0).flattened }
      texts.append(
        (value.map { "\($0)" } ?? "nil") + (next.affectedOnlyLastPart ? " last" : " path")
          + (next.wasCausedByDeallocation ? " dealloc" : "")
      )
    }
    return texts
  }
}
