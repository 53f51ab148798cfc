import KVORetention
import KVORules
import KVOTrace
import Testing

@testable import KVOSafety

/// Holds the object that observes it.
private final class Part: KeyValueObservable {
  let observationRegistrar = ObservationRegistrar()
  static let observableKeys = ObservableKeyTable(ObservableKey("count", \Part.count))

  var count = 0
  var whole: AnyObject?
}

private final class Whole {}

@Suite("Retain cycles through the objects that controllers keep", .serialized)
struct RetainControllerTests {
  init() { RetainSearch.install() }

  @Test("a controller that keeps an object which holds its owner is drawn, its observation named")
  func keptObject() {
    let whole = Whole()
    let parts = [Part(), Part()]
    let controller = ObservationController.of(whole)
    for part in parts { controller.observe(part, \.count) { _, _, _ in } }
    #expect(KVO.findRetainCycles(from: whole).verdict == .noneFound)
    parts[1].whole = whole
    let verdicts = verdicts(where: { $0.code == .observationRetainCycle }) {
      let drawn = KVO.findRetainCycles(from: whole).cycles.map {
        $0.description.replacing(#/#\d+/#, with: "")
      }
      #expect(
        drawn == [
          "Whole → ObservationController.of → ObservationController → observed object → Part → "
            + "whole → Whole"
        ]
      )
    }
    let observer = ObjectTable.shared.record(of: whole).ref.id
    let own = verdicts.filter { $0.observer?.id == observer }
    // The controller has an older observation, of another object.
    #expect(own.map { $0.subject?.id } == [parts[1].storage.record.ref.id])
    parts[1].whole = nil
    #expect(KVO.findRetainCycles(from: whole).verdict == .noneFound)
    controller.unobserveAll()
  }

  @Test("an object that should be gone is found to be kept by the controller of another")
  func keptObjectExpected() async {
    let whole = Whole()
    let part = Part()
    part.whole = whole
    ObservationController.of(whole).observe(part, \.count) { _, _, _ in }
    guard case .alive(let cycles) = await KVO.expectDeallocation(of: part, within: .zero).outcome
    else {
      Issue.record("it is not alive")
      return
    }
    #expect(cycles.cycles.count == 1)
    ObservationController.of(whole).unobserveAll()
  }
}
