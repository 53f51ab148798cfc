import Foundation
import Testing

@testable import KVOSafety

@Suite("The description of a change")
struct ChangeDescriptionTests {
  private let account = Account()

  @Test(
    "a setting is printed as Foundation prints the dictionary of the same entries",
    arguments: ["word", "12", "After"]
  )
  func setting(new: String) {
    let person = Person("before")
    let texts = descriptions(of: \Person.name, on: person) { person.name = new }
    // corelibs' NSDictionary is in no order of its own.
    let foundation = NSDictionary(dictionary: ["kind": 1, "new": new, "old": "before"])
    #expect(texts.map(lines) == [lines(foundation.description)])
    #expect(texts.first?.hasPrefix("{\n    kind = 1;\n    new = ") == true)
  }

  @Test(
    "a string that is not a word stands in quotes, as in Foundation's collections",
    arguments: [
      ("two words", "\"two words\""), ("", "\"\""), ("a.b", "\"a.b\""), ("a\"b", "\"a\\\"b\""),
      ("a\\b\nc", "\"a\\\\b\\nc\""),
    ]
  )
  func quoted(new: String, expected: String) {
    let person = Person("before")
    let texts = descriptions(of: \Person.name, on: person) { person.name = new }
    #expect(texts == ["{\n    kind = 1;\n    new = \(expected);\n    old = before;\n}"])
  }

  @Test("elements of a collection are printed with their indexes, one a line")
  func elements() throws {
    let texts = try descriptions(of: \Account.tags, on: account) {
      let tags = account.mutableValues(of: \.tags)
      tags.append(contentsOf: ["a b", "c"])
      try tags.remove(at: 0)
    }
    #expect(
      texts == [
        """
        {
            indexes = "[number of indexes: 2 (in 1 ranges), indexes: (0-1)]";
            kind = 2;
            new =     (
                "a b",
                c
            );
        }
        """,
        """
        {
            indexes = "[number of indexes: 1 (in 1 ranges), indexes: (0)]";
            kind = 3;
            old =     (
                "a b"
            );
        }
        """,
      ]
    )
    let foundation = NSDictionary(dictionary: ["new": ["a b", "c"], "kind": 2])
    #expect(lines(foundation.description).isSubset(of: lines(texts[0])))
  }

  @Test("a nil value is printed as null; values that were not requested are omitted")
  func absent() {
    let token = account.observe(\.owner, options: [.new, .prior]) { _, _ in }
    var texts: [String] = []
    let second = account.observe(\.owner, options: [.new, .prior]) { texts.append("\($1)") }
    account.owner = nil
    #expect(
      texts == [
        "{\n    kind = 1;\n    notificationIsPrior = 1;\n}",
        "{\n    kind = 1;\n    new = <null>;\n}",
      ]
    )
    withExtendedLifetime((token, second)) {}
  }

  @Test("dictionaries and sets are printed in the order of their texts")
  func unordered() {
    let change = ObservedChange<Any>(
      kind: .setting,
      oldValue: Set(["b", "a"]),
      newValue: ["y": [1: true], "x y": 2.5] as [String: Any],
      isPrior: false,
      elements: nil
    )
    let foundation = NSDictionary(
      dictionary: ["new": NSDictionary(dictionary: ["y": NSDictionary(dictionary: [1: 1])])]
    )
    #expect(
      foundation.description.contains("        y =         {\n            1 = 1;\n        };")
    )
    #expect(
      "\(change)" == """
        {
            kind = 1;
            new =     {
                "x y" = 2.5;
                y =         {
                    1 = 1;
                };
            };
            old =     {(
                a,
                b
            )};
        }
        """
    )
  }

  @Test("a range is printed as Swift prints it, not as its elements")
  func range() {
    let change = ObservedChange<Any>(
      kind: .setting,
      oldValue: 0...Int.max - 1,
      newValue: 2..<5,
      isPrior: false,
      elements: nil
    )
    #expect(
      "\(change)"
        == "{\n    kind = 1;\n    new = 2..<5;\n    old = 0...9223372036854775806;\n}"
    )
  }

  private func descriptions<Root: KeyValueObservable, Value>(
    of keyPath: KeyPath<Root, Value>,
    on object: Root,
    _ body: () throws -> Void
  ) rethrows -> [String] {
    var texts: [String] = []
    let token = object.observe(keyPath, options: [.old, .new]) { texts.append("\($1)") }
    try body()
    token.invalidate()
    return texts
  }

  private func lines(_ text: String) -> Set<Substring> { Set(text.split(separator: "\n")) }
}
