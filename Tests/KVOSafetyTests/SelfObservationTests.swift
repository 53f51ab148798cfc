import KVORules
import KVOTrace
import Testing

@testable import KVOSafety

/// Observes itself by a token, as view models do.
private final class TokenHolder: KeyValueObservable {
  let observationRegistrar = ObservationRegistrar()
  static let observableKeys = ObservableKeyTable(ObservableKey("value", \TokenHolder.value))
  var value = 0 {
    willSet { willChangeValue(for: \.value) }
    didSet { didChangeValue(for: \.value) }
  }
  var seen: [Int] = []
  var token: ObservationToken?

  init() { token = observe(\.value, options: .new) { me, _ in me.seen.append(me.value) } }
}

/// Observes itself by a controller of its own.
private final class ControllerHolder: KeyValueObservable {
  let observationRegistrar = ObservationRegistrar()
  static let observableKeys = ObservableKeyTable(ObservableKey("value", \ControllerHolder.value))
  var value = 0 {
    willSet { willChangeValue(for: \.value) }
    didSet { didChangeValue(for: \.value) }
  }
  var seen: [Int] = []
  lazy var observations = ObservationController(owner: self, retainsObserved: false)

  func start() {
    observations.observe(self, \.value, options: .new) { me, _, _ in me.seen.append(me.value) }
  }
}

@Suite("Objects that observe themselves")
struct SelfObservationTests {
  @Test("a token that an object keeps of itself ends with the object, silently")
  func token() {
    weak var dead: TokenHolder?
    var id: UInt64 = 0
    let found = verdicts(where: { _ in true }) {
      let holder = TokenHolder()
      holder.value = 1
      #expect(holder.seen == [1])
      id = holder.storage.record.ref.id.rawValue
      dead = holder
    }
    #expect(dead == nil)
    #expect(found.filter { $0.subject?.id.rawValue == id }.map(\.code) == [])
  }

  @Test(
    "a controller of an object that observes itself ends with the object, silently but for a note",
    arguments: [false, true]
  )
  func controller(isAttached: Bool) {
    weak var dead: ControllerHolder?
    var id: UInt64 = 0
    let found = verdicts(where: { _ in true }) {
      let holder = ControllerHolder()
      if isAttached {
        ObservationController.of(holder).observe(holder, \.value, options: .new) { me, _, _ in
          me.seen.append(me.value)
        }
      } else {
        holder.start()
      }
      holder.value = 1
      #expect(holder.seen == [1])
      id = holder.storage.record.ref.id.rawValue
      dead = holder
    }
    #expect(dead == nil)
    #expect(found.filter { $0.subject?.id.rawValue == id }.map(\.code) == [.selfObservation])
  }

  @Test("a token that outlives the object it observes is reported all the same")
  func outlived() {
    var token: ObservationToken?
    var id: UInt64 = 0
    let found = verdicts(where: { _ in true }) {
      let account = Account()
      id = account.storage.record.ref.id.rawValue
      token = account.observe(\.balance) { _, _ in }
    }
    #expect(
      found.filter { $0.subject?.id.rawValue == id }.map(\.code) == [.observedDeinitWhileObserved]
    )
    #expect(token?.isActive == false)
  }
}
