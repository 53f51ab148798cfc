import Testing

@testable import KVOSafety

// Scenarios of ReactiveObjCTests/RACKVOWrapperSpec.m in ReactiveCocoa/ReactiveObjC (1af6617) of deaths that are told,
// and of those that are not.

private protocol Marking: AnyObject, Sendable {}
private final class Marker: Marking {}

private final class Marked: KeyValueObservable {
  let observationRegistrar = ObservationRegistrar()
  static let observableKeys = ObservableKeyTable(
    ObservableKey("marking", \Marked.marking, isWeak: true)
  )
  weak var marking: (any Marking)? {
    willSet { willChangeValue(for: \.marking) }
    didSet { didChangeValue(for: \.marking) }
  }
}

@Suite("ReactiveObjC's scenarios of deallocation")
struct ReactiveObjCDeathTests {
  private func count<Value>(_ values: ObservedValues<Value>) async -> Int {
    var count = 0
    for await _ in values { count += 1 }
    return count
  }

  @Test("an object that a getter made, and that no one keeps, is not waited for")
  func dynamicValues() async {
    let marks: ObservedValues<Mark>
    let numbers: ObservedValues<Int>
    do {
      let target = Chain()
      marks = target.values(for: \.freshMark)
      numbers = target.values(for: \.freshChain.number)
      withExtendedLifetime(target) {}
    }
    #expect(await count(marks) == 1)
    var heard: [Int] = []
    for await number in numbers { heard.append(number) }
    #expect(heard == [42])
  }

  /// ReactiveObjC calls the block of an object that refers to itself weakly, while it is deallocated; here the
  /// stream of an object that is deallocated ends, because its values can no longer be read.
  @Test(
    "a value that is the observer, or the observed object, is not reported when it is deallocated"
  )
  func valueIsObserver() async {
    // The values are not read, because that would keep them alive.
    let own: ObservedValues<Int?>
    let others: ObservedValues<Int?>
    weak var goneObserver: Chain?
    weak var goneTarget: Chain?
    do {
      let (observer, target) = (Chain(), Chain())
      (goneObserver, goneTarget) = (observer, target)
      observer.linked = observer
      target.linked = target
      own = observer.values(forKeyPath: "linked", as: Int.self, boundTo: observer)
      others = target.values(forKeyPath: "linked", as: Int.self, boundTo: observer)
      withExtendedLifetime((observer, target)) {}
    }
    #expect(goneObserver == nil && goneTarget == nil)
    #expect(await count(own) == 1)
    #expect(await count(others) == 1)
  }

  @Test("the deallocation of a weak value of a protocol's type is reported")
  func protocolProperty() async {
    let target = Marked()
    var marker: Marker? = Marker()
    target.marking = marker
    var changes = target.transitions(of: \.marking, options: []).makeAsyncIterator()
    withExtendedLifetime(marker) {}
    marker = nil
    let wasCausedByDeallocation = await changes.next()?.wasCausedByDeallocation
    #expect(wasCausedByDeallocation == true)
  }

  @Test("observations of a subclass's object end with it, with an observer and without one")
  func subclasses() {
    for hasObserver in [true, false] {
      weak var gone: SavingsAccount?
      weak var token: ObservationToken?
      let pet = Pet()
      do {
        let account = SavingsAccount()
        gone = account
        let made = account.observe(\.rate) { _, _ in }
        token = hasObserver ? made.bind(to: pet) : made.bindToObject()
        #expect(token?.isActive == true)
        withExtendedLifetime(account) {}
      }
      #expect(gone == nil && token == nil)
      withExtendedLifetime(pet) {}
    }
  }
}
