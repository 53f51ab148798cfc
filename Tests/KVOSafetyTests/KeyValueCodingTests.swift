import Testing

@testable import KVOSafety

private final class Sensor: KeyValueObservable {
  let observationRegistrar = ObservationRegistrar()
  static let observableKeys = ObservableKeyTable(
    ObservableKey("level", \Sensor.level),
    ObservableKey("ratio", \Sensor.ratio),
    ObservableKey("gain", \Sensor.gain),
    ObservableKey("limit", \Sensor.limit),
    ObservableKey("label", \Sensor.label),
    ObservableKey("anything", \Sensor.anything),
    ObservableKey("note", \Sensor.note),
    ObservableKey("tag", \Sensor.tag),
    ObservableKey("serial", \Sensor.serial),
    ObservableKey("isHigh", \Sensor.isHigh)
  )

  var level = 1 {
    willSet { willChangeValue(for: \.level) }
    didSet { didChangeValue(for: \.level) }
  }
  var ratio = 0.5
  var gain: Float = 1
  var limit: Int?
  var label: String? = "a"
  var anything: Any = 0
  var note: Any? = "n"
  var tag: AnyHashable? = "t"
  let serial = 7
  var isHigh: Bool { level > 5 }
}

@Suite("Key-value coding")
struct KeyValueCodingTests {
  private let account = Account(owner: Person("Ada"))
  private let sensor = Sensor()

  @Test("a value is read by the name of its key, without its optional")
  func reads() throws {
    #expect(try sensor.value(forKey: "level") as? Int == 1)
    #expect(try sensor.value(forKey: "label") as? String == "a")
    #expect(try sensor.value(forKey: "limit") == nil)
    #expect(try sensor.value(forKey: "isHigh") as? Bool == false)
    #expect(try account.value(forKey: "owner") as? Person === account.owner)
  }

  @Test("a key path is followed, and is nil after an object that is nil")
  func readsPaths() throws {
    #expect(try account.value(forKeyPath: "owner.name") as? String == "Ada")
    #expect(try account.value(forKeyPath: "owner.friend.name") == nil)
    #expect(try account.value(forKeyPath: "balance") as? Int == 0)
  }

  @Test("a set goes through the setter, which notifies once")
  func setsNotifyingOnce() throws {
    let listener = Listener()
    account.addObserver(listener, forKeyPath: "balance", options: [.old, .new])
    account.addObserver(listener, forKeyPath: "owner.name", options: [.old, .new])
    try account.setValue(5, forKey: "balance")
    try account.setValue("Grace", forKeyPath: "owner.name")
    #expect(account.balance == 5)
    #expect(account.owner?.name == "Grace")
    #expect(
      listener.heard == ["balance setting from 0 to 5", "owner.name setting from Ada to Grace"]
    )
    account.removeObserver(listener, forKeyPath: "balance")
    account.removeObserver(listener, forKeyPath: "owner.name")
  }

  @Test("a property of a superclass is written through the superclass's key path")
  func inherited() throws {
    let savings = SavingsAccount()
    try savings.setValue(3, forKey: "balance")
    try savings.setValue(["a"], forKey: "tags")
    #expect(savings.balance == 3)
    #expect(savings.tags == ["a"])
  }

  @Test("an optional takes nil, a value, and an optional")
  func optionals() throws {
    try sensor.setValue(3, forKey: "limit")
    #expect(sensor.limit == 3)
    try sensor.setValue(Int?.none as Any, forKey: "limit")
    #expect(sensor.limit == nil)
    try sensor.setValue(nil, forKey: "label")
    #expect(sensor.label == nil)
    let label: String? = "b"
    try sensor.setValue(label, forKey: "label")
    #expect(sensor.label == "b")
    try sensor.setValue("any", forKey: "anything")
    #expect(sensor.anything as? String == "any")
  }

  @Test("an optional of any value takes nil as its own nil, and not as a value")
  func optionalsOfAny() throws {
    try sensor.setValue(nil, forKey: "note")
    #expect(sensor.note == nil)
    try sensor.setValue(3, forKey: "note")
    #expect(sensor.note as? Int == 3)
    try sensor.setValue(Int?.none as Any, forKey: "note")
    #expect(sensor.note == nil)
    try sensor.setValue(nil, forKey: "tag")
    #expect(sensor.tag == nil)
    #expect(code { try sensor.setValue(nil, forKey: "anything") } == .nilForScalar)
  }

  @Test("a number is converted if the property's type has it")
  func numbers() throws {
    try sensor.setValue(2, forKey: "ratio")
    #expect(sensor.ratio == 2)
    try sensor.setValue(Float(0.5), forKey: "ratio")
    #expect(sensor.ratio == 0.5)
    try sensor.setValue(4.0, forKey: "level")
    #expect(sensor.level == 4)
    try sensor.setValue(UInt8(9), forKey: "limit")
    #expect(sensor.limit == 9)
    #expect(code { try sensor.setValue(4.5, forKey: "level") } == .wrongType)
    #expect(code { try sensor.setValue(UInt64.max, forKey: "limit") } == .wrongType)
    #expect(sensor.level == 4)
    #expect(sensor.limit == 9)
  }

  @Test("an impossible operation is a typed error, and changes and notifies nothing")
  func errors() throws {
    let listener = Listener()
    sensor.addObserver(listener, forKeyPath: "level")
    #expect(code { _ = try sensor.value(forKey: "nope") } == .undefinedKey)
    #expect(code { _ = try sensor.value(forKey: "") } == .undefinedKey)
    #expect(code { _ = try sensor.value(forKeyPath: "level.x") } == .notObservable)
    #expect(code { _ = try account.value(forKeyPath: "owner.nope") } == .undefinedKey)
    #expect(code { _ = try account.value(forKeyPath: "owner..name") } == .undefinedKey)
    #expect(code { _ = try account.value(forKeyPath: "tags.@count") } == .notObservable)
    #expect(code { try sensor.setValue(1, forKey: "nope") } == .undefinedKey)
    #expect(code { try sensor.setValue(nil, forKey: "level") } == .nilForScalar)
    #expect(code { try sensor.setValue("1", forKey: "level") } == .wrongType)
    #expect(code { try sensor.setValue(1e300, forKey: "gain") } == .wrongType)
    #expect(code { try sensor.setValue(true, forKey: "level") } == .wrongType)
    #expect(code { try sensor.setValue(1, forKey: "serial") } == .readOnly)
    #expect(code { try sensor.setValue(true, forKey: "isHigh") } == .readOnly)
    #expect(code { try account.setValue(1, forKeyPath: "owner.name") } == .wrongType)
    #expect(sensor.level == 1)
    #expect(listener.heard.isEmpty)
    sensor.removeObserver(listener, forKeyPath: "level")
  }

  @Test("a set after an object that is nil does nothing, as in Foundation")
  func setsBehindNil() throws {
    try account.setValue("x", forKeyPath: "owner.friend.name")
    #expect(account.owner?.friend == nil)
  }

  @Test("the message has the error, and the correct form")
  func messages() {
    #expect(
      message { try account.owner?.setValue(1, forKey: "nope") }
        == "Person, key \"nope\": the class has no such key; its keys are friend, name, pet"
    )
    #expect(
      message { try sensor.setValue(nil, forKey: "level") }
        == "Sensor, key \"level\": nil is no value of type Int"
    )
    #expect(
      message { try sensor.setValue("1", forKey: "level") }
        == "Sensor, key \"level\": the property is of type Int, the value of type String"
    )
  }

  private func code(_ body: () throws -> Void) -> KeyValueCodingError.Code? {
    error(body)?.code
  }

  private func message(_ body: () throws -> Void) -> String? { error(body)?.description }

  private func error(_ body: () throws -> Void) -> KeyValueCodingError? {
    do { try body() } catch { return error as? KeyValueCodingError }
    return nil
  }
}
