import KVORecorder
import KVOReplay
import KVORules
import KVOTrace
import Testing

@testable import KVOSafety

/// Shows objects that no property keeps.
private final class Catalogue: KeyValueObservable {
  let observationRegistrar = ObservationRegistrar()
  static let observableKeys = ObservableKeyTable(
    ObservableKey("seed", \Catalogue.seed),
    ObservableKey("made", \Catalogue.made, affectedBy: ["seed"]),
    ObservableKey("constant", \Catalogue.constant),
    ObservableKey("found", \Catalogue.found)
  )

  var seed = 0 {
    willSet { willChangeValue(for: \.seed) }
    didSet { didChangeValue(for: \.seed) }
  }
  weak var last: Person?

  var made: Person { Person("made \(seed)") }
  var constant: Person { Person("constant") }
  var found: Person? { last }
}

@Suite("The replay of deep paths")
struct DeepPathReplayTests {
  /// What a replay says of what `body` records about the objects that it returns the numbers of.
  private func replay(_ body: () -> Set<ObjectID>) -> [RuleCode] {
    let memory = EventMemory()
    Recorder.shared.attach(memory)
    // A scope of its own keeps reports off standard error.
    let subjects = RecordingScope.$ofTask.withValue(ScopeID(ObjectTable.shared.nextNumber())) {
      body()
    }
    Recorder.shared.detach(memory)
    var verdicts: [Verdict] = []
    var replay = OrderedReplay()
    for (index, event) in memory.events.enumerated() {
      replay.take(event, number: index + 1) { verdicts.append($0) }
    }
    replay.finish { verdicts.append($0) }
    return verdicts.filter { $0.subject.map { subjects.contains($0.id) } ?? false }.map(\.code)
  }

  @Test("finds no fault if an intermediate object is replaced, and is deallocated")
  func replaced() {
    let codes = replay {
      let account = Account(owner: Person("Ann"))
      let token = account.observe(keyPath: "owner.name") { _, _ in }
      account.owner = Person("Ben")
      account.owner?.name = "Bob"
      account.owner = nil
      token.invalidate()
      return [account.storage.record.ref.id]
    }
    #expect(codes == [])
  }

  @Test("finds no fault if a getter makes the intermediate object at each call")
  func made() {
    var heard: [String] = []
    let codes = replay {
      let catalogue = Catalogue()
      let tokens = ["made.name", "constant.name"].map { path in
        catalogue.observe(keyPath: path, options: [.initial, .new]) {
          heard.append("\(path) \($1.newValue ?? "nothing")")
        }
      }
      catalogue.seed = 1
      catalogue.seed = 2
      for token in tokens { token.invalidate() }
      return [catalogue.storage.record.ref.id]
    }
    #expect(
      heard == [
        "made.name made 0", "constant.name constant", "made.name made 1", "made.name made 2",
      ]
    )
    #expect(codes == [])
  }

  @Test("reports an intermediate object that a getter found, and that is deallocated later")
  func found() {
    let codes = replay {
      let catalogue = Catalogue()
      var person: Person? = Person("Ann")
      catalogue.last = person
      let token = catalogue.observe(keyPath: "found.name") { _, _ in }
      person?.name = "Ben"
      person = nil
      catalogue.seed = 1
      token.invalidate()
      return [catalogue.storage.record.ref.id]
    }
    #expect(codes == [.deepPathIntermediateDeath])
  }

  @Test("finds no fault if all are deallocated together, including the token")
  func together() {
    final class Screen {
      var token: ObservationToken?
      let account = Account(owner: Person("Ann"))
    }
    let codes = replay {
      let screen = Screen()
      screen.token = screen.account.observe(keyPath: "owner.name") { _, _ in }
      screen.account.owner?.name = "Ben"
      return [screen.account.storage.record.ref.id]
    }
    #expect(codes == [])
  }

  @Test(
    "reports an observed object that is deallocated with all it held once, and not of what it held"
  )
  func observedDies() {
    let listener = Listener()
    let codes = replay {
      let account = Account(owner: Person("Ann"))
      account.addObserver(listener, forKeyPath: "owner.name")
      return [account.storage.record.ref.id]
    }
    #expect(codes == [.observedDeinitWhileObserved])
  }
}
