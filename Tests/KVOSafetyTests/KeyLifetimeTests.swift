import KVOTrace
import Testing

@testable import KVOSafety

/// A class that makes its keys once, as it should.
private final class MadeOnce: KeyValueObservable {
  let observationRegistrar = ObservationRegistrar()
  static let observableKeys = ObservableKeyTable(ObservableKey("value", \MadeOnce.value))
  var value = 1
}

/// A class that creates its keys again for each call.
private final class MadeAnew: KeyValueObservable {
  let observationRegistrar = ObservationRegistrar()
  static var observableKeys: ObservableKeyTable {
    ObservableKeyTable(ObservableKey("value", \MadeAnew.value))
  }
  var value = 1
}

private final class WeakKey {
  weak var key: ResolvedKey?
}

@Suite("The key of an observation")
struct KeyLifetimeTests {
  @Test("lives while it is observed, and no longer, if its table was deallocated")
  func anew() throws {
    let object = MadeAnew()
    let held = WeakKey()
    var seen: [Int?] = []
    let token = try observe(object, by: held) { seen.append($0) }
    #expect(held.key != nil)
    object.willChangeValue(for: \.value)
    object.value = 2
    object.didChangeValue(for: \.value)
    token.invalidate()
    #expect(held.key == nil)
    #expect(seen == [2])
  }

  /// Observes by a key of a table that is deallocated when this returns.
  private func observe(
    _ object: MadeAnew,
    by held: WeakKey,
    _ note: @escaping (Int?) -> Void
  ) throws -> ObservationToken {
    let key = try #require(MadeAnew.observableKeys.key(named: "value"))
    held.key = key
    #expect(!object.storage.keys.owns(key))
    let request = ObservationRequest(
      subject: object,
      key: key,
      options: .new,
      form: .token,
      site: CallSite(fileID: #fileID, line: #line, function: #function),
      token: ObservationToken.nextReference(),
      valueType: Int.self,
      deliver: { _, _, change in
        note(ObservedChange<Int>(change).newValue)
        return nil
      }
    )
    return ObservationToken(request.add())
  }

  @Test("is the object's own if its class creates its keys once")
  func once() throws {
    let object = MadeOnce()
    var seen: [Int?] = []
    let token = object.observe(\.value, options: .new) { _, change in seen.append(change.newValue) }
    let key = try #require(MadeOnce.observableKeys.key(named: "value"))
    #expect(object.storage.keys.owns(key))
    object.willChangeValue(for: \.value)
    object.value = 3
    object.didChangeValue(for: \.value)
    token.invalidate()
    #expect(seen == [3])
  }
}
