import KVORules
import TestSupport
import Testing

@testable import KVOSafety

private final class Team: KeyValueObservable {
  let observationRegistrar = ObservationRegistrar()
  static let observableKeys = ObservableKeyTable(ObservableKey("members", \Team.members))
  var members: [Person] = [] {
    willSet { willChangeValue(for: \.members) }
    didSet { didChangeValue(for: \.members) }
  }
}

@Suite("The elements of a collection")
struct ElementObservationTests {
  private let team = Team()
  private let ada = Person("Ada")
  private let grace = Person("Grace")

  @Test("every element is observed, and insertions and removals are followed")
  func follows() throws {
    team.members = [ada]
    var heard: [String] = []
    let observation = team.observeEach(\.members, \.name, options: [.old, .new]) {
      #expect($0 === team)
      heard.append("\($1 === ada ? "ada" : "grace") \(line("name", $2))")
    }
    ada.name = "a"
    grace.name = "unheard"
    team.mutableValues(of: \.members).append(grace)
    grace.name = "g"
    team.members = [grace]
    ada.name = "unheard"
    grace.name = "h"
    try team.mutableValues(of: \.members).remove(at: 0)
    grace.name = "unheard"
    #expect(
      heard == [
        "ada name setting from Ada to a", "grace name setting from unheard to g",
        "grace name setting from g to h",
      ]
    )
    #expect(observation.isActive)
  }

  @Test("the initial value comes for the first elements and for each that is inserted")
  func initial() {
    team.members = [ada]
    var heard: [String] = []
    let observation = team.observeEach(\.members, \.name, options: [.initial, .new]) {
      heard.append(line("name", $2))
    }
    team.members.append(grace)
    team.members.append(ada)
    #expect(heard == ["name setting to Ada", "name setting to Grace"])
    ada.name = "a"
    #expect(heard.count == 3)
    observation.invalidate()
    ada.name = "b"
    team.members = []
    #expect(heard.count == 3)
    #expect(!observation.isActive)
    #expect(KVO.census(of: ada).isEmpty && KVO.census(of: team).isEmpty)
  }

  @Test("a handler may change the collection, and end the observation")
  func reentrant() {
    var heard: [String] = []
    var observation: ElementObservation?
    observation = team.observeEach(\.members, \.name, options: [.initial]) { team, member, _ in
      heard.append(member.name)
      if member === ada { team.members.append(grace) }
      if member.name == "last" { observation?.invalidate() }
    }
    team.members = [ada]
    grace.name = "g"
    grace.name = "last"
    grace.name = "unheard"
    #expect(heard == ["Ada", "Grace", "g", "last"])
    observation = nil
  }

  @Test("neither the object nor an element is kept alive, and all ends with the observation")
  func keepsNothing() {
    weak var gone: Team?
    weak var member: Person?
    let found = verdicts(where: { $0.code == .observedDeinitWhileObserved }) {
      let team = Team()
      gone = team
      do {
        let person = Person("p")
        member = person
        team.members = [person]
        var observation: ElementObservation? = team.observeEach(\.members, \.name) { _, _, _ in }
        team.members = []
        observation = nil
        _ = observation
      }
      #expect(member == nil)
    }
    #expect(gone == nil)
    #expect(found.isEmpty)
  }

  @Test("the removal of an element may deallocate it, which is not reported")
  func removedLast() {
    var heard: [String] = []
    let found = verdicts(where: { $0.code == .observedDeinitWhileObserved }) {
      team.members = [Person("a"), Person("b"), Person("c")]
      let observation = team.observeEach(\.members, \.name, options: [.new]) {
        heard.append(line("name", $2))
      }
      weak var first = team.members.first
      team.members[0] = ada
      #expect(first == nil)
      first = team.members[1]
      team.mutableValues(of: \.members)[1] = grace
      #expect(first == nil)
      ada.name = "A"
      grace.name = "G"
      team.mutableValues(of: \.members).removeAll()
      ada.name = "unheard"
      withExtendedLifetime(observation) {}
    }
    #expect(heard == ["name setting to A", "name setting to G"])
    #expect(found.isEmpty)
    #expect(KVO.census(of: ada).isEmpty && KVO.census(of: grace).isEmpty)
  }

  @Test("many changes, compared with who is in the collection")
  func random() {
    var random = SplitMix64(seed: 7)
    let people = (0..<8).map { Person("\($0)") }
    var heard: [ObjectIdentifier] = []
    let observation = team.observeEach(\.members, \.name) { _, member, _ in
      heard.append(ObjectIdentifier(member))
    }
    for step in 0..<500 {
      team.members = people.filter { _ in Bool.random(using: &random) }
      if step % 3 == 0 { team.members.append(contentsOf: team.members.prefix(2)) }
      heard = []
      for person in people { person.name = "\(step)" }
      let expected = people.filter { person in team.members.contains { $0 === person } }
      #expect(heard == expected.map { ObjectIdentifier($0) })
    }
    withExtendedLifetime(observation) {}
  }
}
