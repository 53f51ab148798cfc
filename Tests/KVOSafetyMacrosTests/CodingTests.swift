#if Macros
import Foundation
import KVOSafety
import Testing

@propertyWrapper
private struct Kept<Value: Codable>: Codable {
  var wrappedValue: Value
}

private final class PlainSettings: Codable {
  var volume = 1 { didSet { volume = min(volume, 5) } }
  var title: String? = "a"
  let number: Int
  lazy var skipped = 4
  @Kept var kept = 3
  var `default` = 2
  var cache = 9
  init(number: Int) { self.number = number }
}

@KeyValueObservable
private final class Settings: Codable {
  var volume = 1 { didSet { volume = min(volume, 5) } }
  var title: String? = "a"
  let number: Int
  lazy var skipped = 4
  @Kept var kept = 3
  var `default` = 2
  @KeyValue(.ignored) var cache = 9
  init(number: Int) { self.number = number }
}

/// Writes both directions, with keys of its own.
@KeyValueObservable
private final class Custom: Codable {
  var volume = 1
  init() {}
  init(from decoder: any Decoder) throws {
    volume = try decoder.container(keyedBy: CodingKeys.self).decode(Int.self, forKey: .volume)
  }
  func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(volume, forKey: .volume)
  }
  private enum CodingKeys: String, CodingKey { case volume }
}

private final class PlainVolume: Codable {
  var volume = 1
  var `default` = 2
  let number: Int
  init(number: Int) { self.number = number }
  init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: CodingKeys.self)
    volume = try values.decodeIfPresent(Int.self, forKey: .volume) ?? 7
    `default` = try values.decode(Int.self, forKey: .default)
    number = try values.decode(Int.self, forKey: .number)
  }
}

/// Writes one direction, with the keys that the compiler makes for the other one.
@KeyValueObservable
private final class Volume: Codable {
  var volume = 1
  var `default` = 2
  let number: Int
  init(number: Int) { self.number = number }
  init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: CodingKeys.self)
    volume = try values.decodeIfPresent(Int.self, forKey: .volume) ?? 7
    `default` = try values.decode(Int.self, forKey: .default)
    number = try values.decode(Int.self, forKey: .number)
  }
}

/// Writes the other direction, in an extension.
@KeyValueObservable
private final class Written: Codable {
  var volume = 1
  init() {}
}

extension Written {
  func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(volume + 1, forKey: .volume)
  }
}

@KeyValueObservable
private class Base<Value: Codable>: Codable {
  var value: Value
  init(_ value: Value) { self.value = value }
}

@KeyValueObservable
private final class Empty: Codable {
  init() {}
}

@Suite("Observable classes are coded as plain ones")
struct CodingTests {
  private func json(_ value: some Encodable) throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    return String(decoding: try encoder.encode(value), as: UTF8.self)
  }

  private func decode<Value: Decodable>(_ text: String) throws -> Value {
    try JSONDecoder().decode(Value.self, from: Data(text.utf8))
  }

  @Test("what the compiler synthesizes has the same keys, there and back")
  func synthesized() throws {
    let text = try json(PlainSettings(number: 8))
    #expect(try json(Settings(number: 8)) == text)
    let changed = text.replacing("\"volume\":1", with: "\"volume\":7")
    let plain: PlainSettings = try decode(changed)
    let settings: Settings = try decode(changed)
    #expect(settings.volume == plain.volume)
    #expect(try json(settings) == json(plain))
  }

  @Test("generic and empty classes, and keys that a class writes itself")
  func others() throws {
    #expect(try json(Base(3)) == #"{"value":3}"#)
    #expect(try (decode(#"{"value":"x"}"#) as Base<String>).value == "x")
    #expect(try json(Empty()) == "{}")
    #expect(try json(Custom()) == #"{"volume":1}"#)
    #expect(try (decode(#"{"volume":4}"#) as Custom).volume == 4)
  }

  @Test("a direction that a class writes itself names the properties as without the macro")
  func oneDirection() throws {
    let text = try json(PlainVolume(number: 8))
    #expect(try json(Volume(number: 8)) == text)
    let shorter = text.replacing(",\"volume\":1", with: "")
    let plain: PlainVolume = try decode(shorter)
    let volume: Volume = try decode(shorter)
    #expect(volume.volume == plain.volume)
    #expect(try json(volume) == json(plain))
    #expect(try json(Written()) == #"{"volume":2}"#)
    #expect(try (decode(#"{"volume":4}"#) as Written).volume == 4)
  }

  @Test("a decoded object is observed like any other")
  func observed() throws {
    let settings: Settings = try decode(try json(Settings(number: 1)))
    var heard: [Int?] = []
    let token = settings.observe(\.volume, options: .new) { heard.append($1.newValue) }
    settings.volume = 9
    token.invalidate()
    #expect(heard == [5])
  }
}
#endif
