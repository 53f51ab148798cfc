import Foundation
import KVOTraceJSON
import TestSupport
import Testing

/// The parser of JSON, compared with Foundation's.
@Suite("JSON")
struct JSONSyntaxTests {
  private func parsed(_ text: [UInt8]) -> JSONValue? { try? JSONSyntax.parse(text[...]) }

  /// What Foundation reads, or nil.
  private func foundation(_ text: [UInt8]) -> Any? {
    try? JSONSerialization.jsonObject(with: Data(text), options: .fragmentsAllowed)
  }

  private func isEqual(_ ours: JSONValue, _ theirs: Any) -> Bool {
    switch (ours, theirs) {
    case (.null, is NSNull): true
    case (.text(let text), let other as String): Array(text.utf8) == Array(other.utf8)
    case (.list(let items), let others as [Any]):
      items.count == others.count && zip(items, others).allSatisfy { isEqual($0, $1) }
    case (.object(let members), let others as [String: Any]):
      members.count == others.count
        && members.allSatisfy { name, value in others[name].map { isEqual(value, $0) } ?? false }
    case (.flag(let flag), let number as NSNumber):
      ["c", "B"].contains(String(cString: number.objCType)) && number.boolValue == flag
    case (.whole(let whole), let number as NSNumber) where isFraction(number):
      isNear(Double(whole), number)
    case (.negative(let whole), let number as NSNumber) where isFraction(number):
      isNear(Double(whole), number)
    case (.whole(let whole), let number as NSNumber):
      number.uint64Value == whole && number.doubleValue == Double(whole)
    case (.negative(let whole), let number as NSNumber): number.int64Value == whole
    case (.number(let value), let number as NSNumber): isNear(value, number)
    default: false
    }
  }

  private func isFraction(_ number: NSNumber) -> Bool { String(cString: number.objCType) == "d" }

  /// Foundation's last digits may be wrong: it reads 131905.86401315845 as a number after that.
  private func isNear(_ value: Double, _ number: NSNumber) -> Bool {
    (number.doubleValue - value).magnitude <= 8 * value.ulp
  }

  @Test(
    "values of each kind are Foundation's",
    arguments: [
      "null", "true", "false", "0", "-0", "1", "-1", "18446744073709551615", "-9223372036854775808",
      "1.5", "-2.5e-3", "1e2", "1E+2", "9007199254740993.5", #""""#, #""a""#,
      #""\u00e9\n\t\/\"\\""#,
      #""\ud83d\ude00""#, #""é😀""#, "[]", "[1,[2],{}]", "{}", #"{"a":1,"b":{"c":[null]}}"#,
      #" { "a" : 1 , "b" : [ ] } "#, #"{"a":1,"a":2}"#, #"{"":0}"#,
    ]
  )
  func values(_ text: String) throws {
    let bytes = Array(text.utf8)
    let theirs = try #require(foundation(bytes))
    #expect(isEqual(try JSONSyntax.parse(bytes[...]), theirs), "\(theirs)")
  }

  @Test(
    "a number without a fraction is whole however it is spelled, up to the limits of 64 bits",
    arguments: [
      ("9007199254740993.0", "whole(9007199254740993)"), ("1e19", "whole(10000000000000000000)"),
      ("1.8446744073709551615e19", "whole(18446744073709551615)"), ("120e-1", "whole(12)"),
      ("0.0010e4", "whole(10)"), ("1000000000000000000000e-3", "whole(1000000000000000000)"),
      ("0e99999999999999999999", "whole(0)"), ("-0.0", "whole(0)"),
      ("-1e18", "negative(-1000000000000000000)"),
      ("-9.223372036854775808E+18", "negative(-9223372036854775808)"),
      ("1.9e19", "number(1.9e+19)"), ("-9223372036854775809", "number(-9.223372036854776e+18)"),
      ("9007199254740992.5", "number(9007199254740992.0)"),
      ("1.00000000000000000001", "number(1.0)"), ("125e-1", "number(12.5)"),
      ("1e-99999999999999999999", "number(0.0)"),
    ]
  )
  func wholeNumbers(_ text: String, _ value: String) throws {
    #expect("\(try JSONSyntax.parse(Array(text.utf8)[...]))" == value)
  }

  @Test(
    "what is not JSON is an error with its place",
    arguments: [
      ("", 0, "the line ends too early"), ("nul", 3, "the line ends too early"),
      ("nonsense", 1, "invalid value"), ("{", 1, "the line ends too early"),
      (#"{"a":1,}"#, 7, "invalid value"), ("[1,]", 3, "invalid value"),
      ("[1 2]", 3, "invalid value"),
      ("01", 1, "number with leading zero"), ("1.", 2, "the line ends too early"),
      ("-", 1, "the line ends too early"), ("+1", 0, "invalid value"), (".5", 0, "invalid value"),
      ("1e999", 0, "a number that is too large"), (#""a"#, 2, "the line ends too early"),
      (#""\x""#, 1, "an invalid escape"), (#""\u12g4""#, 5, "an invalid escape"),
      (#""\ud800""#, 1, "half of a surrogate pair"),
      (#""\udc00\ud800""#, 1, "half of a surrogate pair"),
      ("\"\u{1}\"", 1, "a control character in a string"), ("{}{}", 2, "invalid value"),
      ("'a'", 0, "invalid value"), ("[1]\u{0}", 3, "a NUL byte"),
    ]
  )
  func errors(_ text: String, _ offset: Int, _ message: String) throws {
    let error = #expect(throws: JSONSyntaxError.self) {
      try JSONSyntax.parse(Array(text.utf8)[...])
    }
    #expect(error?.offset == offset)
    #expect(error?.message == "not JSON: \(message)")
  }

  @Test("a string that is not UTF-8 is an error")
  func encoding() {
    #expect(parsed([0x22, 0xc3, 0x28, 0x22]) == nil)
    #expect(parsed([0x22, 0xed, 0xa0, 0x80, 0x22]) == nil)
  }

  @Test("values are nested as deeply as the limit, and no deeper")
  func depth() {
    func nested(_ depth: Int) -> [UInt8] {
      Array((String(repeating: "[", count: depth) + String(repeating: "]", count: depth)).utf8)
    }
    #expect(parsed(nested(JSONSyntax.depthLimit)) != nil)
    #expect(parsed(nested(JSONSyntax.depthLimit + 1)) == nil)
    #expect(parsed(Array(repeating: UInt8(ascii: "{"), count: 1 << 20)) == nil)
  }

  /// A text of JSON that is picked at random.
  private func text(_ depth: Int, _ random: inout SplitMix64) -> String {
    func word() -> String {
      let letters = ["a", "é", "😀", #"\n"#, #"\u0041"#, #"\ud83d\ude00"#, " ", "/", #"\""#]
      return #"""#
        + (0..<Int.random(in: 0...3, using: &random)).map { _ in
          letters.randomElement(using: &random) ?? ""
        }.joined() + #"""#
    }
    switch Int.random(in: 0..<(depth > 3 ? 5 : 8), using: &random) {
    case 0: return ["null", "true", "false"].randomElement(using: &random) ?? ""
    case 1: return "\(Int64.random(in: .min ... .max, using: &random))"
    case 2: return "\(Double.random(in: -1e6...1e6, using: &random))"
    case 3: return "\(UInt64.random(in: 0 ... .max, using: &random))"
    case 4: return word()
    case 5, 6:
      let members = (0..<Int.random(in: 0...3, using: &random)).map { _ in
        "\(word()):\(text(depth + 1, &random))"
      }
      return "{\(members.joined(separator: ", "))}"
    default:
      let items = (0..<Int.random(in: 0...3, using: &random)).map { _ in text(depth + 1, &random) }
      return "[\(items.joined(separator: ","))]"
    }
  }

  @Test("random texts, and texts with a wrong byte, are read or refused as by Foundation")
  func random() {
    var random = SplitMix64(seed: 7)
    var readCount = 0
    var refusedCount = 0
    for _ in 0..<Rounds.count(20_000) {
      var bytes = Array(text(0, &random).utf8)
      if Bool.random(using: &random), let index = bytes.indices.randomElement(using: &random) {
        bytes[index] = UInt8.random(in: 1...255, using: &random)
      }
      let theirs = foundation(bytes)
      let ours = parsed(bytes)
      let shown = String(decoding: bytes, as: UTF8.self)
      #expect((ours == nil) == (theirs == nil), "\(shown)")
      if let ours, let theirs { #expect(isEqual(ours, theirs), "\(shown)") }
      if ours == nil { refusedCount += 1 } else { readCount += 1 }
    }
    #expect(readCount > 5_000)
    #expect(refusedCount > 1_000)
  }
}
